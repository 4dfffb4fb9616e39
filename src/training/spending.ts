// Counts what a private run spends: every step begun, in memory and, if the run has a folder, in its ledger.

import { join } from 'node:path';
import { FileError, option, say } from '../checks/index.js';
import type { Guarantee } from '../privacy/index.js';
import { digestTrainingData } from './data-digest.js';
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

/** Opens the account of a run, with its ledger if it has a folder. */
export async function openSpending({
  plan,
  run,
  trainable,
  data,
  seed,
  insecureSeed,
}: TrainOptions): Promise<Spending> {
  const isPrivate = plan.event !== undefined;
  const settings = { trainable, seed, insecure: insecureSeed !== undefined };
  const ledger =
    run && isPrivate
      ? await openLedger(join(run.folder, 'ledger.jsonl'), {
          plan,
          data: digestTrainingData(data.train),
          settings,
          resume: run.resume,
        })
      : undefined;
  const own: LedgerEntry[] = [];
  const entries: readonly LedgerEntry[] = ledger?.entries ?? own;
  const expectCounted = (steps: number): void => {
    // A checkpoint ahead of its ledger would claim more privacy than there is.
    if (!isPrivate || entries.length >= steps) return;
    throw new FileError(
      say`the checkpoint holds ${steps} steps, its ledger.jsonl counts ${entries.length}: restore the ledger, or start a new run in another ${option('folder')}`,
    );
  };
  return {
    ...(ledger && { run: ledger.run }),
    entries,
    expectCounted,
    refresh: async () => ledger?.refresh(),
    begin: async (step) => {
      if (!isPrivate) return;
      expectCounted(step);
      if (ledger === undefined) own.push({ step });
      else await ledger.record({ step });
    },
    guarantee: () => guaranteeOf(plan, entries),
    soFar: () => guaranteeOf(plan, entries, quickAccountant(plan)),
    close: async () => ledger?.close(),
  };
}
