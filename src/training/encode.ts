// From a data set to what a classifier trains on.

import { ArgumentError } from '../checks/index.js';
import { type DataSet, type Example, type PartName, partNames } from '../data/index.js';
import type { Model } from '../models/index.js';
import type { LabelledRows } from './classifier.js';

export interface EncodedDataSet {
  readonly train: LabelledRows;
  readonly validation?: LabelledRows;
  readonly test?: LabelledRows;
}

/** Token ids and labels of every part; a part without labels is left out. Texts are cut to 128 tokens unless said otherwise. */
export function encodeDataSet(
  { name, parts, classes }: DataSet,
  { tokenizer, config }: Model,
  options: { readonly maxTokens?: number } = {},
): EncodedDataSet {
  const maxTokens = Math.min(options.maxTokens ?? 128, config.positions);
  if (classes.length < 2) {
    throw new ArgumentError(`${name}: expected at least two classes to tell apart, got ${classes.length}`);
  }
  const encoded: Partial<Record<PartName, LabelledRows>> = {};
  for (const part of partNames) {
    const examples = parts[part];
    if (examples === undefined || !examples.every(isLabelled)) continue;
    encoded[part] = {
      rows: examples.map(({ text }) => tokenizer.encode(text, { maxTokens })),
      labels: examples.map(({ label }) => label),
    };
  }
  const { train, ...others } = encoded;
  if (train === undefined)
    throw new ArgumentError(
      `${name}: expected labelled examples to train on, got none: name the column of labels (labelColumn)`,
    );
  return { train, ...others };
}

const isLabelled = (example: Example): example is Example & { readonly label: number } => example.label !== undefined;
