// Encodes a data set for a classifier.

import { ArgumentError, advice, option, say } from '../checks/index.js';
import { type DataSet, type Example, type SplitName, splitNames } from '../data/index.js';
import type { Model } from '../models/index.js';
import type { LabelledExamples } from './classifier.js';

/** The labelled splits of a data set as input ids. */
export interface EncodedDataSet {
  readonly train: LabelledExamples;
  readonly validation?: LabelledExamples;
  readonly test?: LabelledExamples;
}

/** Which option helps where there are no labels, and what it may be. */
function chooseLabels({ columns = [] }: Pick<DataSet, 'columns'>) {
  const choice = option('labelColumn', 'loadDataSet');
  // Plain text has no columns, and a table without a header no names.
  if (columns.length === 0) return advice(say`: give a table with labels, and set ${choice} to their column`);
  return advice(
    say`: set ${choice} to one of ${columns
      .slice(0, 20)
      .map((name) => JSON.stringify(name))
      .join()}`,
  );
}

/** Throws unless the data has labels of at least two classes. */
export function expectClasses(dataSet: DataSet): void {
  const { name, classes } = dataSet;
  if (classes.length >= 2) return;
  throw new ArgumentError(
    say`${name}: expected at least two classes, got ${classes.length}${classes.length === 0 ? chooseLabels(dataSet) : ''}`,
  );
}

/**
 * Encodes every split with the model's tokenizer. Texts are truncated to `maxTokens` (default: 128, at most the model's
 * positions); a split in which a label is missing is left out. Throws unless train has labels of at least two classes.
 */
export function encodeDataSet(
  dataSet: DataSet,
  { tokenizer, config }: Model,
  options: {
    readonly maxTokens?: number;
    /** Called for every text with its number of tokens before it is truncated. */
    readonly onLength?: (split: SplitName, tokens: number) => void;
  } = {},
): EncodedDataSet {
  const { name, splits } = dataSet;
  const maxTokens = Math.min(options.maxTokens ?? 128, config.positions);
  expectClasses(dataSet);
  const { onLength } = options;
  const onLengthOf = (split: SplitName) => (tokens: number) => onLength?.(split, tokens);
  const encoded: Partial<Record<SplitName, LabelledExamples>> = {};
  for (const split of splitNames) {
    const examples = splits[split];
    if (examples === undefined || !examples.every(isLabelled)) continue;
    encoded[split] = {
      inputIds: examples.map(({ text }) => tokenizer.encode(text, { maxTokens, onLength: onLengthOf(split) })),
      labels: examples.map(({ label }) => label),
    };
  }
  const { train, ...others } = encoded;
  if (train === undefined)
    throw new ArgumentError(say`${name}: expected labelled examples to train on, got none${chooseLabels(dataSet)}`);
  return { train, ...others };
}

const isLabelled = (example: Example): example is Example & { readonly label: number } => example.label !== undefined;
