// From a data set to what a classifier trains on.

import { ArgumentError } from '../checks/index.js';
import { type DataSet, type Example, type SplitName, splitNames } from '../data/index.js';
import type { Model } from '../models/index.js';
import type { LabelledExamples } from './classifier.js';

export interface EncodedDataSet {
  readonly train: LabelledExamples;
  readonly validation?: LabelledExamples;
  readonly test?: LabelledExamples;
}

/** Token ids and labels of every part; a part without labels is left out. Texts are cut to 128 tokens unless said otherwise. */
export function encodeDataSet(
  { name, splits: parts, classes }: DataSet,
  { tokenizer, config }: Model,
  options: { readonly maxTokens?: number } = {},
): EncodedDataSet {
  const maxTokens = Math.min(options.maxTokens ?? 128, config.positions);
  if (classes.length < 2) {
    throw new ArgumentError(`${name}: expected at least two classes to tell apart, got ${classes.length}`);
  }
  const encoded: Partial<Record<SplitName, LabelledExamples>> = {};
  for (const part of splitNames) {
    const examples = parts[part];
    if (examples === undefined || !examples.every(isLabelled)) continue;
    encoded[part] = {
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
