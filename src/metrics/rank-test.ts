// The test of Mann & Whitney (1947): do the scores of two groups have the same distribution?

import { areaUnderRoc } from './roc.js';

/** The AUC of scores, and by how many standard deviations it exceeds one half. */
export interface RankTest {
  readonly auc: number;
  /** About standard normal if both groups have the same distribution; 0 if all scores are equal. */
  readonly z: number;
}

/**
 * Compares two groups by the ranks of their scores. With m and n scores and ties of sizes t, the AUC of equal distributions has
 * variance (m + n + 1 − Σ(t³ − t) / ((m + n)(m + n − 1))) / 12mn.
 */
export function rankTest(positives: ArrayLike<number>, negatives: ArrayLike<number>): RankTest {
  const auc = areaUnderRoc(positives, negatives);
  const [m, n] = [positives.length, negatives.length];
  const all = new Float64Array(m + n);
  all.set(positives);
  all.set(negatives, m);
  const variance = (m + n + 1 - sumOverTies(all.sort()) / ((m + n) * (m + n - 1))) / (12 * m * n);
  return { auc, z: variance > 0 ? (auc - 0.5) / Math.sqrt(variance) : 0 };
}

/** Σ(t³ − t) over runs of t equal scores. */
function sumOverTies(inOrder: Float64Array): number {
  let [sum, start] = [0, 0];
  for (let end = 1; end <= inOrder.length; end++) {
    if (end < inOrder.length && inOrder[end] === inOrder[start]) continue;
    const size = end - start;
    sum += size ** 3 - size;
    start = end;
  }
  return sum;
}
