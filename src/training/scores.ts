// Scores of a classifier, from its logits.

import { type ClassificationScores, scoreClasses } from '../metrics/index.js';

/** Accuracy, Matthews correlation and macro F1, with the loss. */
export interface Scores extends ClassificationScores {
  /** Mean cross-entropy. */
  readonly loss: number;
}

/** The cross-entropy of every example; `logits` are [examples, classes]. */
export function lossesOf(logits: Float32Array, labels: readonly number[], classes: number): Float64Array {
  return Float64Array.from(labels, (label, example) => {
    const row = logits.subarray(example * classes, (example + 1) * classes);
    const largest = row.reduce((most, logit) => Math.max(most, logit), Number.NEGATIVE_INFINITY);
    const sum = row.reduce((total, logit) => total + Math.exp(logit - largest), 0);
    return largest + Math.log(sum) - (row[label] as number);
  });
}

/** The class with the largest logit for every example; `logits` are [examples, classes]. */
export const classesOf = (logits: Float32Array, classes: number): number[] =>
  Array.from({ length: logits.length / classes }, (_, example) => {
    const row = logits.subarray(example * classes, (example + 1) * classes);
    return row.reduce((best, logit, index) => (logit > (row[best] as number) ? index : best), 0);
  });

/** Scores the class with the largest logit, and the mean cross-entropy; `logits` are [examples, classes]. */
export function scoreLogits(logits: Float32Array, labels: readonly number[], classes: number): Scores {
  const losses = lossesOf(logits, labels, classes);
  const loss = losses.reduce((sum, one) => sum + one, 0) / labels.length;
  return { loss, ...scoreClasses(labels, classesOf(logits, classes), classes) };
}
