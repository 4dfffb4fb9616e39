// Several models of one run, as when its folder was copied and both copies were resumed: together they cost more than each states.

import type { Guarantee } from '../privacy/index.js';
import { guaranteeOf, type LedgerEntry } from '../training/index.js';
import { chainOf } from './privacy-record.js';
import { type Evidence, planIn } from './verify-evidence.js';

/** Different models that one run has given. */
export interface ModelsOfOneRun {
  readonly run: string;
  readonly models: readonly string[];
  /** What holds if all of them are released: every step of all their ledgers, common ones counted once. Absent without the ledgers. */
  readonly together?: Guarantee;
}

/** Models of different runs on the same data. */
export interface ModelsOnSameData {
  readonly models: readonly string[];
  /** What holds if all of them are released, by basic composition. Absent if their guarantees are for different neighbours. */
  readonly together?: { readonly epsilon: number; readonly delta: number };
}

/** Groups of models that come from one run, themselves or by a model that they started from, with different weights. */
export function modelsOfOneRun(evidence: readonly Evidence[]): ModelsOfOneRun[] {
  const runsOf = ({ record }: Evidence) => (record ? chainOf(record).flatMap(({ run }) => run ?? []) : []);
  return [...groupBy(evidence, runsOf)].flatMap(([run, group]) => {
    // Copies of one model tell nobody more than the model itself.
    if (new Set(group.map(({ weights }) => weights)).size < 2) return [];
    const together = group.every(({ record }) => record?.run === run) ? guaranteeOfAll(group) : undefined;
    return [{ run, models: group.map(({ model }) => model), ...(together && { together }) }];
  });
}

/** Groups of models whose ledgers hold the same digest of the data, from different runs. */
export function modelsOnSameData(evidence: readonly Evidence[]): ModelsOnSameData[] {
  return [...groupBy(evidence, ({ ledger }) => ledger?.head.data ?? [])].flatMap(([, group]) => {
    const runs = new Map(group.map((one) => [one.record?.run, one.record?.guarantee]));
    if (runs.size < 2) return [];
    const guarantees = [...runs.values()].flatMap((guarantee) => guarantee ?? []);
    const sum = (key: 'epsilon' | 'delta') => guarantees.reduce((total, one) => total + one[key], 0);
    const fits = guarantees.length === runs.size && new Set(guarantees.map(({ neighbours }) => neighbours)).size === 1;
    const together = { epsilon: sum('epsilon'), delta: sum('delta') };
    return [{ models: group.map(({ model }) => model), ...(fits && { together }) }];
  });
}

function groupBy(evidence: readonly Evidence[], keysOf: (one: Evidence) => string | readonly string[]) {
  const groups = new Map<string, Evidence[]>();
  for (const one of evidence) {
    for (const key of new Set([keysOf(one)].flat())) groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}

function guaranteeOfAll(group: readonly Evidence[]): Guarantee | undefined {
  const ledgers = group.map(({ ledger }) => ledger);
  const [first] = ledgers;
  if (first === undefined || ledgers.includes(undefined)) return undefined;
  const all = ledgers.map((ledger) => ledger?.entries ?? []).reduce(union);
  return guaranteeOf(planIn(first.head, group[0]?.ledgerPath ?? ''), all);
}

/** The steps of two ledgers that begin alike, because one was copied from the other, or both from a third. */
export function union(a: readonly LedgerEntry[], b: readonly LedgerEntry[]): readonly LedgerEntry[] {
  let common = 0;
  const isSame = (place: number) =>
    place < Math.min(a.length, b.length) &&
    a[place]?.step === b[place]?.step &&
    a[place]?.session !== undefined &&
    a[place]?.session === b[place]?.session;
  while (isSame(common)) common++;
  return [...a, ...b.slice(common)];
}
