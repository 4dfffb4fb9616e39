// Membership by the loss (Yeom et al. 2018): what a model was trained on, it fits better.

import type { Interval } from '../math/index.js';
import { areaUnderRoc, bestAdvantage, bootstrapIntervals, truePositiveRateAt } from '../metrics/index.js';
import type { WordSource } from '../random/index.js';

/** What the attacker sees: the loss of every example, of which it must say whether it was in the training data. */
export interface LossView {
  readonly members: ArrayLike<number>;
  readonly others: ArrayLike<number>;
}

export interface Figure extends Interval {
  readonly value: number;
}

export interface MembershipResult {
  /** Chance that a member has the smaller loss, ties one half: .5 is guessing. */
  readonly auc: Figure;
  /** Greatest TPR − FPR of any threshold; found on these examples, so a little above 0 even by chance. */
  readonly advantage: Figure;
  readonly tprAt1: Figure;
  readonly tprAt01: Figure;
  /** Mean loss of others − mean loss of members. */
  readonly lossGap: Figure;
  readonly members: number;
  readonly others: number;
  /** The same figures when both groups are the others, split at random: what chance gives. */
  readonly floor: { readonly auc: number; readonly advantage: number; readonly tprAt1: number };
}

export function lossThresholdAttack(
  { members, others }: LossView,
  random: WordSource,
  { resamples = 400 }: { readonly resamples?: number } = {},
): MembershipResult {
  const [inside, outside] = [Float64Array.from(members), Float64Array.from(others)];
  const figures = (a: Float64Array, b: Float64Array) => {
    // Members score high: the negative loss.
    const [high, low] = [a.map((loss) => -loss), b.map((loss) => -loss)];
    return [
      areaUnderRoc(high, low),
      bestAdvantage(high, low),
      truePositiveRateAt(high, low, 0.01),
      truePositiveRateAt(high, low, 0.001),
      mean(b) - mean(a),
    ];
  };
  const values = figures(inside, outside);
  const intervals = bootstrapIntervals(
    random,
    [inside.length, outside.length],
    ([a, b]) => figures(taken(inside, a as Uint32Array), taken(outside, b as Uint32Array)),
    { resamples },
  );
  const figure = (place: number): Figure => ({ value: values[place] as number, ...(intervals[place] as Interval) });
  const halves = [0, 1].map((rest) => outside.filter((_, i) => i % 2 === rest)) as [Float64Array, Float64Array];
  const [auc = 0.5, advantage = 0, tprAt1 = 0] = halves.every(({ length }) => length > 0) ? figures(...halves) : [];
  return {
    auc: figure(0),
    advantage: figure(1),
    tprAt1: figure(2),
    tprAt01: figure(3),
    lossGap: figure(4),
    members: inside.length,
    others: outside.length,
    floor: { auc, advantage, tprAt1 },
  };
}

const taken = (numbers: Float64Array, places: Uint32Array): Float64Array =>
  Float64Array.from(places, (place) => numbers[place] as number);

const mean = (numbers: Float64Array): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
