// The splits of a run as classifiers: one to train on, all to score.

import { ArgumentError } from '../checks/index.js';
import { type Classifier, type LabelledExamples, openClassifier } from './classifier.js';
import { expectMemory } from './memory.js';
import type { Arrays } from './optimizers.js';
import { type Scores, scoreLogits } from './scores.js';
import type { TrainOptions, TrainResult } from './train-options.js';

/** The open splits of a run. */
export interface Splits {
  readonly train: Classifier;
  readonly scoreValidation: (parameters: Arrays) => Promise<Scores | undefined>;
  /** Scores the training data, and of the others all or only the one named. */
  readonly score: (
    parameters: Arrays,
    only?: 'validation' | 'test',
  ) => Promise<Pick<TrainResult, 'train' | 'validation' | 'test'>>;
  /** Logits of a split: [examples, labels]. */
  readonly logits: (split: SplitName, parameters: Arrays) => Promise<Float32Array>;
  readonly close: () => Promise<void>;
}

type SplitName = keyof TrainOptions['data'];

/** The options of a run that decide its splits. */
export type SplitOptions = Pick<
  TrainOptions,
  'model' | 'trainable' | 'data' | 'microBatchSize' | 'onProgress' | 'signal'
> & {
  /** Examples per step of training, if known: saves time on tokens where they are few. */
  readonly batchSize?: number;
  /** Whether features of the frozen part of the split train may be cached. Default: where that pays. */
  readonly cacheFeatures?: boolean;
};

/** Opens a classifier per split. */
export async function openSplits(options: SplitOptions): Promise<Splits> {
  const { data, model } = options;
  expectMemory(model, options.trainable);
  const opened = new Map<SplitName, Classifier>();
  const close = async () => {
    for (const one of opened.values()) await one.close();
  };
  try {
    for (const name of ['train', 'validation', 'test'] as const) {
      const examples = data[name];
      if (examples !== undefined) opened.set(name, await openSplit(options, name, examples));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const logits = (name: SplitName, parameters: Arrays): Promise<Float32Array> => {
    const classifier = opened.get(name);
    if (classifier === undefined) throw new ArgumentError(`expected data with a split ${name}, got none`);
    return classifier.logits(parameters);
  };
  const score = async (name: SplitName, parameters: Arrays): Promise<Scores | undefined> => {
    const examples = data[name];
    return examples && scoreLogits(await logits(name, parameters), examples.labels, model.config.numLabels);
  };
  return {
    train: opened.get('train') as Classifier,
    scoreValidation: (parameters) => score('validation', parameters),
    score: async (parameters, only) => {
      const train = (await score('train', parameters)) as Scores;
      const validation = only === 'test' ? undefined : await score('validation', parameters);
      const test = only === 'validation' ? undefined : await score('test', parameters);
      return { train, ...(validation && { validation }), ...(test && { test }) };
    },
    logits,
    close,
  };
}

function openSplit(options: SplitOptions, part: SplitName, data: LabelledExamples): Promise<Classifier> {
  const { model, trainable, signal, microBatchSize, batchSize, cacheFeatures, onProgress } = options;
  const features = {
    onProgress: (done: number, all: number) => onProgress?.({ stage: 'features', part, done, all }),
    ...(signal && { signal }),
  };
  return openClassifier({
    model,
    trainable,
    data,
    features,
    ...(microBatchSize && { microBatchSize }),
    // Other splits are only scored, as a whole.
    ...(part === 'train' && batchSize && { batchSize }),
    ...(part === 'train' && cacheFeatures !== undefined && { cacheFeatures }),
  });
}

/** The examples with these numbers, in this order. */
export function pickExamples({ inputIds, labels }: LabelledExamples, numbers: readonly number[]): LabelledExamples {
  const wrong = numbers.find((number) => !(Number.isInteger(number) && number >= 0 && number < inputIds.length));
  if (wrong !== undefined) {
    throw new ArgumentError(`invalid examples: expected numbers from 0 to ${inputIds.length - 1}, got ${wrong}`);
  }
  return {
    inputIds: numbers.map((number) => inputIds[number] as readonly number[]),
    labels: numbers.map((number) => labels[number] as number),
  };
}

/** The same splits for a run that trains on some examples of the split train only, and scores those. */
export function trainOnSome(
  splits: Splits,
  data: LabelledExamples,
  examples: readonly number[],
  numLabels: number,
): Splits {
  const { train } = splits;
  const inAll = (indices: readonly number[]) => indices.map((index) => examples[index] as number);
  const logits = async (parameters: Arrays): Promise<Float32Array> => {
    const all = await train.logits(parameters);
    const some = new Float32Array(examples.length * numLabels);
    for (const [row, number] of examples.entries())
      some.set(all.subarray(number * numLabels, (number + 1) * numLabels), row * numLabels);
    return some;
  };
  return {
    ...splits,
    train: {
      ...train,
      examples: examples.length,
      sums: (parameters, indices, ...rest) => train.sums(parameters, inAll(indices), ...rest),
      clippedSums: (parameters, indices, ...rest) => train.clippedSums(parameters, inAll(indices), ...rest),
      directionSums: (parameters, indices, ...rest) => train.directionSums(parameters, inAll(indices), ...rest),
      gradientProducts: (parameters, indices, wanted) => train.gradientProducts(parameters, inAll(indices), wanted),
      logits,
    },
    score: async (parameters, only) => ({
      ...(await splits.score(parameters, only)),
      train: scoreLogits(await logits(parameters), data.labels, numLabels),
    }),
  };
}
