// The signal of all membership attacks: the log-odds of an example's own label, φ = log p/(1 − p) = y_t − logsumexp of the other logits. The
// loss is log(1 + e^−φ), so each follows from the other; but a loss near 0 is rounded, and its log-odds are not (Carlini et al. 2022).

import { ArgumentError } from '../../checks/index.js';
import { logSumExp } from '../../math/index.js';

/** −log p from the log-odds of p. */
export const lossOfMargin = (margin: number): number =>
  margin > 0 ? Math.log1p(Math.exp(-margin)) : -margin + Math.log1p(Math.exp(margin));

/** The log-odds of p from −log p. A loss of 0 is a probability that was rounded to 1: it gets those of the next smaller float64. */
export function marginOfLoss(loss: number): number {
  if (!(loss >= 0)) throw new ArgumentError(`invalid loss: expected a number from 0 on, got ${loss}`);
  return loss > 36 ? -loss : -Math.log(Math.expm1(Math.max(loss, Number.EPSILON / 2)));
}

/** The log-odds of each example's label; `logits` are [examples, classes]. */
export function marginsOf(logits: ArrayLike<number>, labels: readonly number[], classes: number): Float64Array {
  return Float64Array.from(labels, (label, example) => {
    const row = Array.from({ length: classes }, (_, k) => logits[example * classes + k] as number);
    return (row[label] as number) - logSumExp(row.filter((_, k) => k !== label));
  });
}
