// Spearman's rank correlation (1904): the correlation of the ranks; equal values share the mean of their ranks.

import { ArgumentError } from '../checks/index.js';

/** Spearman's rank correlation, from −1 to 1; NaN where all values on one side are equal and so have no order. */
export function rankCorrelation(left: ArrayLike<number>, right: ArrayLike<number>): number {
  if (left.length !== right.length) {
    throw new ArgumentError(`invalid right: expected ${left.length} values, got ${right.length}`);
  }
  const [a, b] = [midRanks(left), midRanks(right)];
  const middle = (left.length + 1) / 2;
  let [both, ofA, ofB] = [0, 0, 0];
  for (let place = 0; place < a.length; place++) {
    const [x, y] = [(a[place] as number) - middle, (b[place] as number) - middle];
    both += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  // The sums are multiples of 1/4 and exact; one root of their product makes equal orders exactly 1.
  return both / Math.sqrt(ofA * ofB);
}

/** Ranks from 1. */
function midRanks(values: ArrayLike<number>): Float64Array {
  const order = Array.from(values, (_, index) => index).sort((i, j) => (values[i] as number) - (values[j] as number));
  const ranks = new Float64Array(values.length);
  for (let start = 0, end = 0; start < order.length; start = end) {
    while (end < order.length && values[order[end] as number] === values[order[start] as number]) end += 1;
    for (const index of order.slice(start, end)) ranks[index] = (start + 1 + end) / 2;
  }
  return ranks;
}
