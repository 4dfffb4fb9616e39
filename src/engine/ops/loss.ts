// Cross-entropy, one loss per example: means and weights are left to the caller.

import type { Value } from '../value.js';
import { logSoftmax } from './activation.js';
import { mul, neg } from './elementwise.js';
import { gatherElements } from './indexing.js';
import { squeeze, unsqueeze } from './movement.js';
import { reduceSum } from './reduction.js';

/** −log softmax(logits)[target] over the last axis; `targets` are class indices, shaped like logits without that axis. */
export const crossEntropy = (logits: Value, targets: Value): Value =>
  neg(squeeze(gatherElements(logSoftmax(logits), unsqueeze(targets, -1), -1), -1));

/** −Σ target·log softmax(logits) over the last axis, for targets that are distributions. */
export const softCrossEntropy = (logits: Value, targets: Value): Value =>
  neg(reduceSum(mul(targets, logSoftmax(logits)), [-1]));
