// Counts what a private run spends: every step begun, in memory and, if the run has a folder, in its ledger.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ArgumentError, FileError, option, say } from '../checks/index.js';
import type { Plan } from '../mechanisms/index.js';
import type { Guarantee } from '../privacy/index.js';
import { openLedger } from './ledger.js';
import { guaranteeOf, type LedgerEntry, quickAccountant } from './plan-guarantee.js';
import type { TrainOptions } from './train-options.js';

/** The steps of a run as they are accounted for. */
export interface Spending {
  /** Identity of the run, if it has a ledger. */
  readonly run?: string;
  /** Steps begun, those of earlier processes included; none if the plan has no guarantee. */
  readonly entries: readonly LedgerEntry[];
  /** Counts a step; resolves once it is on disk. */
  readonly begin: (step: number) => Promise<void>;
  /** Throws if fewer than this many steps are counted. */
  readonly expectCounted: (steps: number) => void;
  /** Counts what other processes have written to the ledger meanwhile. */
  readonly refresh: () => Promise<void>;
  /** The guarantee by the plan's accountant, which may take seconds. */
  readonly guarantee: () => Guarantee | undefined;
  /** The guarantee so far, by the Rényi accountant if the plan's own is slow. */
  readonly soFar: () => Guarantee | undefined;
  readonly close: () => Promise<void>;
}

/** Throws if a run whose noise is secret would keep no ledger. */
export function expectLedger({ run, insecureSeed }: Pick<TrainOptions, 'run' | 'insecureSeed'>): void {
  if (run?.ledger !== false || insecureSeed !== undefined) return;
  throw new ArgumentError(
    'invalid ledger: expected none to be left out, because the noise is secret: only runs with an insecureSeed may do without',
  );
}

/** Opens the account of a run, with its ledger if it has a folder. `dataDigest` is that of the training data. */
export async function openSpending(
  { plan, run, trainable, seed, insecureSeed }: TrainOptions,
  dataDigest: () => string,
): Promise<Spending> {
  expectLedger({ ...(run && { run }), ...(insecureSeed !== undefined && { insecureSeed }) });
  if (plan.event === undefined) return nothingSpent;
  if (run === undefined) return countInMemory(plan);
  const path = join(run.folder, 'ledger.jsonl');
  if (run.ledger === false) {
    if (!existsSync(path)) return countInMemory(plan);
    throw new FileError(
      say`${path}: the folder has a ledger: a run without one would leave steps out of it: use another ${option('folder')}`,
    );
  }
  const ledger = await openLedger(path, {
    plan,
    data: dataDigest(),
    settings: { trainable, seed, insecure: insecureSeed !== undefined },
    resume: run.resume,
  });
  const { entries } = ledger;
  const expectCounted = (steps: number): void => {
    // A checkpoint ahead of its ledger would claim more privacy than there is.
    if (entries.length >= steps) return;
    throw new FileError(
      say`the checkpoint holds ${steps} steps, its ledger.jsonl counts ${entries.length}: restore the ledger, or start a new run in another ${option('folder')}`,
    );
  };
  return {
    run: ledger.run,
    entries,
    expectCounted,
    refresh: ledger.refresh,
    begin: async (step) => {
      expectCounted(step);
      await ledger.record({ step });
    },
    guarantee: () => guaranteeOf(plan, entries),
    soFar: () => guaranteeOf(plan, entries, quickAccountant(plan)),
    close: ledger.close,
  };
}

const nothingSpent: Spending = {
  entries: [],
  begin: async () => {},
  expectCounted: () => {},
  refresh: async () => {},
  guarantee: () => undefined,
  soFar: () => undefined,
  close: async () => {},
};

/**
 * Counts every step once: without a folder none is repeated, and without a ledger, which takes a seed, a repeated step has the noise
 * that it had before.
 */
function countInMemory(plan: Plan): Spending {
  const entries: LedgerEntry[] = [];
  const countTo = (steps: number): void => {
    for (let step = entries.length; step < steps; step++) entries.push({ step });
  };
  return {
    ...nothingSpent,
    entries,
    begin: async (step) => countTo(step + 1),
    expectCounted: countTo,
    // That of the whole plan is in it already, by the same accountant.
    guarantee: () => (entries.length === plan.steps ? plan.guarantee : guaranteeOf(plan, entries)),
    soFar: () => guaranteeOf(plan, entries, quickAccountant(plan)),
  };
}
