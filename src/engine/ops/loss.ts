// Cross-entropy, one loss per example: means and weights are left to the caller. Slopes are exact however sure a model is.

import type { Value } from '../value.js';
import { logSoftmax } from './activation.js';
import { exp, mul, neg, sub } from './elementwise.js';
import { gatherElements, scatterAdd } from './indexing.js';
import { fill, squeeze, unsqueeze } from './movement.js';
import { reduceMax, reduceSum } from './reduction.js';

/** −log softmax(logits)[target] over the last axis; `targets` are class indices, shaped like logits without that axis. */
export const crossEntropy = (logits: Value, targets: Value): Value =>
  neg(squeeze(gatherElements(logSoftmax(logits), unsqueeze(targets, -1), -1), -1));

/** −Σ target·log softmax(logits) over the last axis, for targets that are distributions. */
export const softCrossEntropy = (logits: Value, targets: Value): Value =>
  neg(reduceSum(mul(targets, logSoftmax(logits)), [-1]));

/**
 * The gradient of `crossEntropy` with respect to the logits, times one positive factor per example (the first axis), which is
 * 1/max p over all that is not a target. For gradients of which only the direction counts: the true ones underflow once a model is
 * sure, while these have a largest number of 1 or more at any margin. With p = e^y: d_j = e^(y_j − max y), and −Σ d_j at the target.
 */
export function scaledSlopes(logits: Value, targets: Value): Value {
  const indices = unsqueeze(targets, -1);
  const others = scatterAdd(
    logSoftmax(logits),
    indices,
    fill({ dtype: logits.dtype, shape: indices.shape }, -1e30),
    -1,
  );
  const axes = logits.shape.map((_, axis) => axis).slice(1);
  const slopes = exp(sub(others, reduceMax(others, axes, true)));
  return scatterAdd(slopes, indices, neg(reduceSum(slopes, [-1], true)), -1);
}
