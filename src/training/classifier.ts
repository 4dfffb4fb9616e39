// A classifier over a fixed set of examples: gradients summed over any batch of them, and logits. If part of the model is
// frozen, it works on cached features of that part, otherwise on tokens; callers need not know which.

import { ArgumentError } from '../checks/index.js';
import type { Clipping } from '../mechanisms/index.js';
import { type Model, shouldCacheFeatures } from '../models/index.js';
import type { BatchContext, BatchSums } from './batch-context.js';
import { type FeatureSettings, featureBatches, longestText, tokenBatches } from './batch-source.js';
import { clippedSums, plainSums } from './batch-sums.js';
import { type Directions, directionSums } from './direction-sums.js';
import type { StepDropout } from './dropout.js';
import { type GroupProducts, gradientProducts, type WantedProducts } from './gradient-products.js';
import type { Arrays } from './optimizers.js';
import { Programs } from './programs.js';

/** Encoded examples with their labels. */
export interface LabelledExamples {
  /** Input ids of every example, special tokens included. */
  readonly inputIds: readonly (readonly number[])[];
  /** Class of every example, from 0. */
  readonly labels: readonly number[];
}

/** Which model a classifier uses, on which examples. */
export interface ClassifierOptions extends FeatureSettings {
  readonly model: Model;
  /** Names of the trainable parameters (see `selectParameters`). */
  readonly trainable: readonly string[];
  readonly data: LabelledExamples;
  /** Whether features of the frozen part may be cached. Default: where that pays. Dropout in the frozen part needs it off. */
  readonly cacheFeatures?: boolean;
}

/**
 * Computes gradients and logits of a model on a fixed set of examples. `parameters` are the current numbers of the trainable
 * parameters, `indices` name examples. Sums are those of the model in evaluation mode unless they are given the dropout of a step. It
 * holds native memory: close it when done.
 */
export interface Classifier {
  /** Number of examples. */
  readonly examples: number;
  /** Names of the trainable parameters. */
  readonly parameterNames: readonly string[];
  /** Whether it works on cached features of the frozen part. */
  readonly cached: boolean;
  /** Σ gradient over these examples. The next call of any kind overwrites the arrays. */
  readonly sums: (parameters: Arrays, indices: readonly number[], dropout?: StepDropout) => Promise<BatchSums>;
  /** The same with every example's gradient clipped or normalised. */
  readonly clippedSums: (
    parameters: Arrays,
    indices: readonly number[],
    clipping: Clipping,
    dropout?: StepDropout,
  ) => Promise<BatchSums>;
  /** Σ of one random direction per example and parameter group, around that of its gradient (von Mises–Fisher). */
  readonly directionSums: (
    parameters: Arrays,
    indices: readonly number[],
    directions: Directions,
    dropout?: StepDropout,
  ) => Promise<BatchSums>;
  /** Lengths of the examples' own gradients, and their products with each other and with given arrays. */
  readonly gradientProducts: (
    parameters: Arrays,
    indices: readonly number[],
    wanted: WantedProducts,
  ) => Promise<readonly GroupProducts[]>;
  /** Logits of all examples: [examples, labels]. */
  readonly logits: (parameters: Arrays) => Promise<Float32Array>;
  readonly close: () => Promise<void>;
}

/** Opens a classifier. If the trainable layers are on top, the features of the frozen part are computed and cached first. */
export async function openClassifier(options: ClassifierOptions): Promise<Classifier> {
  const { model, trainable, data } = options;
  const { numLabels: labels } = model.config;
  expectData(data, labels);
  const { cacheFeatures = true } = options;
  const cached =
    cacheFeatures && shouldCacheFeatures(model, trainable, data.inputIds.length, longestText(data.inputIds));
  const source = cached ? await featureBatches(options) : tokenBatches(options);
  const programs = new Programs(source);
  const zeros = () =>
    Object.fromEntries(trainable.map((name) => [name, new Float32Array(sizeOfParameter(model, name))] as const));
  let [sums, once]: Arrays[] = [];
  const context: BatchContext = {
    source,
    programs,
    labels: data.labels,
    // Made when first needed: splits that are only scored need none.
    get sums() {
      sums ??= zeros();
      return sums;
    },
    get once() {
      once ??= zeros();
      return once;
    },
    wide: new Map(),
    noise: new Map(),
    results: new Map(),
  };

  return {
    examples: data.inputIds.length,
    parameterNames: trainable,
    cached,
    sums: (...rest) => plainSums(context, ...rest),
    clippedSums: (...rest) => clippedSums(context, ...rest),
    directionSums: (...rest) => directionSums(context, ...rest),
    gradientProducts: (parameters, indices, wanted) => gradientProducts(context, parameters, indices, wanted),
    logits: async (parameters) => {
      const all = new Float32Array(data.inputIds.length * labels);
      for (const { shape, indices, feeds } of source.microBatches(data.inputIds.map((_, index) => index))) {
        const program = await programs.prediction(shape);
        const { logits } = (await program.run({ ...parameters, ...feeds })) as { logits: Float32Array };
        for (const [row, index] of indices.entries()) {
          all.set(logits.subarray(row * labels, (row + 1) * labels), index * labels);
        }
      }
      return all;
    },
    close: () => programs.close(),
  };
}

function expectData({ inputIds, labels }: LabelledExamples, classes: number): void {
  if (inputIds.length === 0) throw new ArgumentError('expected at least one example, got none');
  if (inputIds.length !== labels.length) {
    throw new ArgumentError(`expected one label for each of ${inputIds.length} examples, got ${labels.length}`);
  }
  const wrong = labels.findIndex((label) => !(Number.isInteger(label) && label >= 0 && label < classes));
  if (wrong !== -1) {
    throw new ArgumentError(`example ${wrong}: expected a label from 0 to ${classes - 1}, got ${labels[wrong]}`);
  }
}

const sizeOfParameter = (model: Model, name: string): number =>
  (model.parameters.get(name)?.shape ?? []).reduce((product, size) => product * size, 1);
