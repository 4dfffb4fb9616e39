// Several models of one run, as when its folder was copied and both copies were resumed: together they cost more than each states.

import type { Guarantee } from '../privacy/index.js';
import { guaranteeOf, type LedgerEntry } from '../training/index.js';
import { type Evidence, planIn } from './verify-evidence.js';

/** Different models that one run has given. */
export interface ModelsOfOneRun {
  readonly run: string;
  readonly models: readonly string[];
  /** What holds if all of them are released: every step of all their ledgers, common ones counted once. Absent without the ledgers. */
  readonly together?: Guarantee;
}

/** Groups of models with one identity but different weights. */
export function modelsOfOneRun(evidence: readonly Evidence[]): ModelsOfOneRun[] {
  const byRun = new Map<string, Evidence[]>();
  for (const one of evidence) {
    const run = one.record?.run;
    if (run !== undefined) byRun.set(run, [...(byRun.get(run) ?? []), one]);
  }
  return [...byRun].flatMap(([run, group]) => {
    // Copies of one model tell nobody more than the model itself.
    if (new Set(group.map(({ weights }) => weights)).size < 2) return [];
    const together = guaranteeOfAll(group);
    return [{ run, models: group.map(({ model }) => model), ...(together && { together }) }];
  });
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
