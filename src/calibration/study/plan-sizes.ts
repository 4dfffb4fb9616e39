// The sizes of the training that a study stands for, and of the runs that the study does in its place. On fewer rows they keep the
// batch size and the number of steps of the plan, so that with the noise of a level each step has the noise of the real training.

import { ArgumentError, option, say } from '../../checks/index.js';
import { type PlanSizes, planSizes } from '../../mechanisms/index.js';
import type { PlanResults } from '../analysis/results.js';
import type { Study } from './study.js';

type SizedStudy = Pick<Study, 'training' | 'plan'>;

/** The sizes of the training that a study stands for; undefined if that is its own. */
export const plannedSizes = ({ plan }: Pick<Study, 'plan'>): PlanSizes | undefined => plan && planSizes(plan);

/**
 * The sizes of a study's training runs on so many rows. Under a plan they have at least as many steps as the plan: epochs of so many rows,
 * rounded up, are what is run and accounted for.
 */
export function runSizes(study: SizedStudy, rows: number, epochs: number) {
  const planned = plannedSizes(study);
  if (planned === undefined) {
    return { examples: rows, epochs, batchSize: Math.min(study.training.batchSize, rows) };
  }
  const { batchSize, steps } = planned;
  return { examples: rows, epochs: Math.ceil(steps / Math.ceil(rows / batchSize)), batchSize };
}

/** What the rows of a study are, where it stands for a plan. */
export interface PlanRows {
  /** Rows that are trained on. */
  readonly trained: number;
  /** Rows that the data offer for training. */
  readonly offered: number;
  /** Whether the features of the frozen part are kept, so that the limit of the data does not apply to them. */
  readonly cached: boolean;
}

/** Both sizes, for the results; undefined without a plan. Throws if a batch of the plan is larger than all rows. */
export function planResults(study: Study, { trained, offered, cached }: PlanRows): PlanResults | undefined {
  const planned = plannedSizes(study);
  if (planned === undefined) return undefined;
  if (planned.batchSize > trained) {
    throw new ArgumentError(
      say`plan: expected batches of at most the ${trained} rows that this study trains on, got ${planned.batchSize}: ${trained < offered ? say`raise ${option('data.limit')}` : say`give more rows with ${option('data')}`}`,
    );
  }
  const attacked = planSizes(runSizes(study, trained, planned.epochs));
  const { limit } = study.data;
  return { planned, attacked, offered, ...(cached && limit !== undefined && limit < offered && { pastLimit: limit }) };
}
