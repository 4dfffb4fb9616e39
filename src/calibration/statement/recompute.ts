// ε again, from the plan alone: mechanism, parameter, sizes and δ, as the statement gives them. What it says about ε is not read.

import type { Plan } from '../../mechanisms/index.js';
import type { Guarantee } from '../../privacy/index.js';
import { guaranteeOfRuns } from '../../training/index.js';
import type { Level } from '../analysis/results.js';
import { planOfStudy } from '../study/levels.js';
import { plannedSizes, runSizes } from '../study/plan-sizes.js';
import type { Study } from '../study/study.js';
import { triedSettings, tuningLevelOf, tuningSeeds } from '../study/tuning.js';

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
export function accountPlanned({ study, layers }: PlanSource, level: Level): Guarantee | undefined {
  const sizes = plannedSizes(study);
  if (sizes === undefined) return undefined;
  const { examples, epochs, batchSize } = sizes;
  return planOfStudy(study, level, { examples, epochs, batchSize }, () => namesOf(layers)).guarantee;
}

/** Accounting needs to know how many layers there are, not what their parameters are called. */
const namesOf = (layers: number | undefined): string[][] | undefined =>
  layers === undefined ? undefined : Array.from({ length: layers }, (_, layer) => [`layer ${layer}`]);

/** The steps and the guarantee of a level, made again. The guarantee is undefined if the level has no noise. */
export function accountAgain(
  { study, levels, examples, layers }: PlanSource,
  level: Level,
  epochs: number,
): { readonly steps: number; readonly guarantee: Guarantee | undefined } {
  const named = () => namesOf(layers);
  const planAt = (one: Level, count: number): Plan => planOfStudy(study, one, runSizes(study, examples, count), named);
  const batchSize = Math.min(study.training.batchSize, examples);
  const plan = planOfStudy(study, level, { examples, epochs, batchSize }, named);
  const { tuning } = study.training;
  if (!tuning?.accounted || plan.guarantee === undefined) return { steps: plan.steps, guarantee: plan.guarantee };
  const settings = triedSettings(study.training);
  const tuned = tuningLevelOf(level, levels, tuning.levels);
  const tried = settings.flatMap((one) => tuningSeeds(study).map(() => planAt(tuned, one.epochs)));
  const last = planAt(level, Math.max(...settings.map((one) => one.epochs)));
  return { steps: plan.steps, guarantee: guaranteeOfRuns([...tried, last]) };
}
