// The training runs that ε of a level counts: its own, and with accounted tuning those that were tried to choose its settings.

import type { Plan, PlanSizeOptions } from '../../mechanisms/index.js';
import type { Guarantee } from '../../privacy/index.js';
import { guaranteeOfRuns } from '../../training/index.js';
import type { Level } from '../analysis/results.js';
import { optionsFor, planOfStudy } from './levels.js';
import type { Study } from './study.js';
import { isTuned, triedSettings, tuningLevelOf, tuningSeeds } from './tuning.js';

/** What decides which runs count, and their plans. */
export interface CountedRuns {
  readonly study: Study;
  /** All levels: settings are tried at some of them. */
  readonly levels: readonly Level[];
  /** How many layers the trainable parameters belong to; needed where a mechanism treats layers separately. */
  readonly layers?: number | undefined;
  /** Sizes of a run with so many epochs. */
  readonly sizesFor: (epochs: number) => Pick<PlanSizeOptions, 'examples' | 'epochs' | 'batchSize'>;
}

/** The plan of one run at a level. */
export function countedPlan({ study, layers, sizesFor }: CountedRuns, level: Level, epochs: number): Plan {
  const { clipNorm, delta } = study.training;
  const sizes = sizesFor(epochs);
  const key = JSON.stringify([level, sizes, layers, clipNorm, delta, optionsFor(study, level.mechanism)]);
  const plan = known.get(key) ?? planOfStudy(study, level, sizes, () => namesOf(layers));
  known.set(key, plan);
  return plan;
}

/** Plans that were made: accounting may take half a second, and several parts of a report need the same. */
const known = new Map<string, Plan>();

/** Accounting needs to know how many layers there are, not what their parameters are called. */
const namesOf = (layers: number | undefined): string[][] | undefined =>
  layers === undefined ? undefined : Array.from({ length: layers }, (_, layer) => [`layer ${layer}`]);

/** The guarantee of all runs that count at a level; undefined without noise. `epochs` are those of the run itself, if its tuning does not count. */
export function countedGuarantee(runs: CountedRuns, level: Level, epochs: number): Guarantee | undefined {
  const { tuning } = runs.study.training;
  if (!tuning?.accounted) return countedPlan(runs, level, epochs).guarantee;
  const tried = triedPlans(runs, level);
  // The choice of epochs reads the data, so composition has to count the most that could have been chosen.
  const most = Math.max(...triedSettings(runs.study.training).map((one) => one.epochs));
  return guaranteeOfRuns([...tried, countedPlan(runs, level, most)]);
}

/** The plans of the runs that were tried to choose the settings of a level; none if nothing is tuned. */
export function triedPlans(runs: CountedRuns, level: Level): Plan[] {
  const { study, levels } = runs;
  const { tuning, learningRate, epochs: count } = study.training;
  if (!isTuned(learningRate) && !isTuned(count)) return [];
  const tuned = tuningLevelOf(level, levels, tuning?.levels);
  return triedSettings(study.training).flatMap(({ epochs }) =>
    tuningSeeds(study).map(() => countedPlan(runs, tuned, epochs)),
  );
}
