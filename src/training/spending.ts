// What a private run has spent: every step begun, in memory and, where the run has a folder, in its ledger.

import { join } from 'node:path';
import { FileError } from '../checks/index.js';
import type { Guarantee } from '../privacy/index.js';
import { openLedger } from './ledger.js';
import { guaranteeOf, type LedgerEntry, quickAccountant } from './plan-guarantee.js';
import type { TrainOptions } from './train-options.js';

export interface Spending {
  /** Steps begun, those of earlier processes included; none where nothing is promised. */
  readonly entries: readonly LedgerEntry[];
  /** Returns when the step is on the disk. */
  readonly begin: (step: number) => Promise<void>;
  /** Throws where so many steps were made and fewer are counted. */
  readonly expectCounted: (steps: number) => void;
  /** By the plan's accountant; it may take seconds. */
  readonly guarantee: () => Guarantee | undefined;
  /** By the Rényi accountant where the plan's own is slow. */
  readonly soFar: () => Guarantee | undefined;
  readonly close: () => Promise<void>;
}

export async function openSpending({ plan, run, trainable, seed, insecureSeed }: TrainOptions): Promise<Spending> {
  const isPrivate = plan.event !== undefined;
  const settings = { trainable, seed, insecure: insecureSeed !== undefined };
  const ledger =
    run && isPrivate
      ? await openLedger(join(run.folder, 'ledger.jsonl'), { plan, settings, resume: run.resume })
      : undefined;
  const entries: LedgerEntry[] = [...(ledger?.entries ?? [])];
  const expectCounted = (steps: number): void => {
    // A checkpoint that is ahead of its ledger would promise more than it keeps.
    if (!isPrivate || entries.length >= steps) return;
    throw new FileError(
      `the checkpoint holds ${steps} steps, its ledger.jsonl counts ${entries.length}: put the ledger back, or start anew elsewhere`,
    );
  };
  return {
    entries,
    expectCounted,
    begin: async (step) => {
      if (!isPrivate) return;
      expectCounted(step);
      await ledger?.record({ step });
      entries.push({ step });
    },
    guarantee: () => guaranteeOf(plan, entries),
    soFar: () => guaranteeOf(plan, entries, quickAccountant(plan)),
    close: async () => ledger?.close(),
  };
}
