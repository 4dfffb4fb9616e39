// ROC curves in few points, for charts and files. Thresholds are left out, and so are points that a drawing does not need.

import { logGrid } from '../math/index.js';
import { type RocRates, readRoc } from './roc.js';

/** Curves of up to this many corners are kept whole. */
const mostCorners = 200;
/** Of longer curves, so many false positive rates per power of ten are kept: as dense at low rates as a logarithmic axis shows them. */
const perDecade = 40;

/**
 * The corners of a ROC curve or, if these are more than 200, those at 40 false positive rates per power of ten. Points that are kept stay
 * as they are, both ends among them; at 10 %, 1 % and so on `readRoc` gives what it gives on the whole curve, and never more elsewhere.
 */
export function thinRoc(curve: readonly RocRates[]): RocRates[] {
  const corners = curve
    .filter((point, place) => !isBetween(curve[place - 1], point, curve[place + 1]))
    .map(({ falsePositiveRate, truePositiveRate }) => ({ falsePositiveRate, truePositiveRate }));
  if (corners.length <= mostCorners) return corners;
  const kept = new Set(corners.slice(0, 1));
  let place = 0;
  for (const rate of ratesOf([corners])) {
    while ((corners[place + 1]?.falsePositiveRate ?? Number.POSITIVE_INFINITY) <= rate) place += 1;
    kept.add(corners[place] as RocRates);
  }
  return [...kept];
}

/** Whether a point lies on a horizontal or vertical line between its neighbours. */
const isBetween = (before: RocRates | undefined, point: RocRates, after: RocRates | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  (['falsePositiveRate', 'truePositiveRate'] as const).some(
    (rate) => before[rate] === point[rate] && after[rate] === point[rate],
  );

/**
 * The mean of several thinned curves: of their true positive rates at equal false positive rates, 40 per power of ten, each read without
 * interpolation.
 */
export function meanRoc(curves: readonly (readonly RocRates[])[]): RocRates[] {
  if (curves.length === 1) return [...(curves[0] as readonly RocRates[])];
  const points = ratesOf(curves).map((falsePositiveRate) => ({
    falsePositiveRate,
    truePositiveRate: curves.reduce((sum, curve) => sum + readRoc(curve, falsePositiveRate), 0) / curves.length,
  }));
  return thinRoc([{ falsePositiveRate: 0, truePositiveRate: 0 }, ...points]);
}

/** 0, the first rate of each curve above it, and the grid from the lowest of them, in order. */
function ratesOf(curves: readonly (readonly RocRates[])[]): number[] {
  const firsts = curves.map((curve) => curve.find((point) => point.falsePositiveRate > 0)?.falsePositiveRate ?? 1);
  return [...new Set([0, ...firsts, ...logGrid(Math.min(...firsts), perDecade)])].sort((a, b) => a - b);
}
