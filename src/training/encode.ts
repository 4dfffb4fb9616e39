// Encodes a data set for a classifier.

import { ArgumentError } from '../checks/index.js';
import { type DataSet, type Example, type SplitName, splitNames } from '../data/index.js';
import type { Model } from '../models/index.js';
import type { LabelledExamples } from './classifier.js';

/** The labelled splits of a data set as input ids. */
export interface EncodedDataSet {
  readonly train: LabelledExamples;
  readonly validation?: LabelledExamples;
  readonly test?: LabelledExamples;
}

/**
 * Encodes every split with the model's tokenizer. Texts are truncated to `maxTokens` (default: 128, at most the model's
 * positions); a split without labels is left out. Throws unless train has labels of at least two classes.
 */
export function encodeDataSet(
  { name, splits, classes }: DataSet,
  { tokenizer, config }: Model,
  options: { readonly maxTokens?: number } = {},
): EncodedDataSet {
  const maxTokens = Math.min(options.maxTokens ?? 128, config.positions);
  if (classes.length < 2) {
    const advice = classes.length === 0 ? ': set labelColumn (--label-column) to the column of the labels' : '';
    throw new ArgumentError(`${name}: expected at least two classes, got ${classes.length}${advice}`);
  }
  const encoded: Partial<Record<SplitName, LabelledExamples>> = {};
  for (const split of splitNames) {
    const examples = splits[split];
    if (examples === undefined || !examples.every(isLabelled)) continue;
    encoded[split] = {
      inputIds: examples.map(({ text }) => tokenizer.encode(text, { maxTokens })),
      labels: examples.map(({ label }) => label),
    };
  }
  const { train, ...others } = encoded;
  if (train === undefined)
    throw new ArgumentError(
      `${name}: expected labelled examples to train on, got none: set labelColumn (--label-column) to the column of labels`,
    );
  return { train, ...others };
}

const isLabelled = (example: Example): example is Example & { readonly label: number } => example.label !== undefined;
