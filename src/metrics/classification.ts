// Scores of predicted classes.

import { ArgumentError } from '../checks/index.js';

type Labels = ArrayLike<number>;

/** How well predicted classes agree with the true ones. */
export interface ClassificationScores {
  readonly accuracy: number;
  /** Matthews' correlation for any number of classes (Gorodkin 2004): 0 for guessing, 1 for perfect predictions. */
  readonly matthews: number;
  /** The mean over classes of the harmonic mean of precision and recall. */
  readonly macroF1: number;
}

/** Scores predictions against true labels, both whole numbers from 0 to classes − 1. */
export function scoreClasses(truth: Labels, predicted: Labels, classes: number): ClassificationScores {
  if (truth.length !== predicted.length || truth.length === 0) {
    throw new ArgumentError(`expected as many predictions as labels, got ${predicted.length} and ${truth.length}`);
  }
  const [own, guessed, hit] = [count(truth, classes), count(predicted, classes), new Float64Array(classes)];
  for (let i = 0; i < truth.length; i++) {
    const label = truth[i] as number;
    if (label === predicted[i]) hit[label] = (hit[label] as number) + 1;
  }
  const all = truth.length;
  const correct = sum(hit, (x) => x);
  const dot = sum(own, (x, label) => x * (guessed[label] as number));
  const spread = Math.sqrt((all ** 2 - sum(guessed, (x) => x * x)) * (all ** 2 - sum(own, (x) => x * x)));
  // A class that neither occurs nor is predicted is left out of the mean; one that is never predicted correctly counts 0.
  const f1 = sum(hit, (x, label) => (x === 0 ? 0 : (2 * x) / ((own[label] as number) + (guessed[label] as number))));
  const present = sum(own, (x, label) => Number(x + (guessed[label] as number) > 0));
  return {
    accuracy: correct / all,
    matthews: spread === 0 ? 0 : (correct * all - dot) / spread,
    macroF1: f1 / present,
  };
}

function count(labels: Labels, classes: number): Float64Array {
  const counts = new Float64Array(classes);
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i] as number;
    if (!(Number.isInteger(label) && label >= 0 && label < classes)) {
      throw new ArgumentError(`invalid label: expected 0 to ${classes - 1}, got ${label}`);
    }
    counts[label] = (counts[label] as number) + 1;
  }
  return counts;
}

const sum = (numbers: Float64Array, of: (number: number, index: number) => number): number =>
  numbers.reduce((total, number, index) => total + of(number, index), 0);
