// ε again, from the plan alone: mechanism, parameter, sizes and δ, as the statement gives them. What it says about ε is not read.

import type { Guarantee } from '../../privacy/index.js';
import type { Level } from '../analysis/results.js';
import { countedGuarantee, countedPlan } from '../study/counted-runs.js';
import { plannedSizes, runSizes } from '../study/plan-sizes.js';
import type { Study } from '../study/study.js';
import { triedSettings } from '../study/tuning.js';

/** What decides the plans of a study. */
export interface PlanSource {
  readonly study: Study;
  readonly levels: readonly Level[];
  /** Examples that are trained on. */
  readonly examples: number;
  /** How many layers the trainable parameters belong to; needed where a mechanism treats layers separately. */
  readonly layers?: number;
}

/** The guarantee at a level of the training that the study stands for; undefined if that is its own, or without noise. */
export function accountPlanned(source: PlanSource, level: Level): Guarantee | undefined {
  const sizes = plannedSizes(source.study);
  if (sizes === undefined) return undefined;
  const { examples, epochs, batchSize } = sizes;
  return countedGuarantee({ ...source, sizesFor: () => ({ examples, epochs, batchSize }) }, level, epochs);
}

/** The sizes that the runs of a level may have, one for each number of epochs that the study gives. */
export const possibleSizes = ({ study, examples }: PlanSource) =>
  triedSettings(study.training).map(({ epochs }) => runSizes(study, examples, epochs));

/** The steps and the guarantee of a level, made again. The guarantee is undefined if the level has no noise. `epochs` are those of its run. */
export function accountAgain(
  source: PlanSource,
  level: Level,
  epochs: number,
): { readonly steps: number; readonly guarantee: Guarantee | undefined } {
  const { study, examples } = source;
  const batchSize = runSizes(study, examples, epochs).batchSize;
  const plan = countedPlan({ ...source, sizesFor: () => ({ examples, epochs, batchSize }) }, level, epochs);
  if (!study.training.tuning?.accounted || plan.guarantee === undefined) {
    return { steps: plan.steps, guarantee: plan.guarantee };
  }
  const counted = { ...source, sizesFor: (count: number) => runSizes(study, examples, count) };
  return { steps: plan.steps, guarantee: countedGuarantee(counted, level, epochs) };
}
