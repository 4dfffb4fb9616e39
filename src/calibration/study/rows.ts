// Which rows of the data a study uses: at most its limit per split. Under a plan, features of the frozen part that are kept make training
// so cheap that it uses as many rows as the plan has.

import { type DataSet, type Example, pick } from '../../data/index.js';
import { type Model, shouldCacheFeatures } from '../../models/index.js';
import { permutation, seededSource } from '../../random/index.js';
import type { Study } from './study.js';

/** The rows of a study. */
interface ChosenRows {
  readonly dataSet: DataSet;
  /** The same with the limit on every split. */
  readonly sample: DataSet;
  /** Whether features are kept, under a plan. */
  readonly cached: boolean;
}

/** Chooses the rows of a study. It never trains on more rows than its plan has. */
export function chooseRows(
  { plan, data }: Pick<Study, 'plan' | 'data'>,
  whole: DataSet,
  model: Model,
  trainable: readonly string[],
): ChosenRows {
  const { limit = Number.POSITIVE_INFINITY, maxTokens } = data;
  const { train, ...held } = whole.splits;
  if (plan === undefined || train === undefined) {
    const sample = limited(whole, limit);
    return { dataSet: sample, sample, cached: false };
  }
  const most = Math.min(plan.examples, train.length);
  const cached = shouldCacheFeatures(model, trainable, most, Math.min(maxTokens, model.config.positions));
  const trained = cached ? most : Math.min(most, limit);
  const { splits } = limited({ ...whole, splits: held }, limit);
  const dataSet = { ...whole, splits: { train: drawn('train', train, trained), ...splits } };
  return { dataSet, sample: trained > limit ? limited(dataSet, limit) : dataSet, cached };
}

function limited(dataSet: DataSet, limit: number): DataSet {
  if (limit === Number.POSITIVE_INFINITY) return dataSet;
  const parts = Object.entries(dataSet.splits).map(([part, examples]) => [part, drawn(part, examples, limit)]);
  return { ...dataSet, splits: Object.fromEntries(parts) };
}

/** At most so many examples of a split, drawn once, in their order. */
function drawn(part: string, examples: readonly Example[], most: number): readonly Example[] {
  const order = permutation(seededSource('limit').stream(part), examples.length);
  return pick(examples, order.slice(0, most).sort());
}
