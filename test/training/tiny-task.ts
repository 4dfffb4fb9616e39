// Tiny classifiers and their data, and gradients as plain vectors, for the tests of private training.

import { join } from 'node:path';
import { loadModel, type Model, selectParameters } from '../../src/models/index.js';
import type { Arrays, Classifier, ClassifierOptions, LabelledExamples } from '../../src/training/index.js';
import { openClassifier } from '../../src/training/index.js';
import { type TinyName, type TinyOptions, writeTiny } from '../models/tiny-models.js';

export const loadTiny = async (root: string, name: TinyName, options: TinyOptions = {}): Promise<Model> =>
  loadModel(await writeTiny(join(root, name), name, options), { numLabels: 2, newHead: true });

/** Sentences of a, b, c of many lengths; those of class 1 begin with a. */
export function sentences(model: Model, count: number): LabelledExamples {
  const texts = Array.from({ length: count }, (_, i) =>
    Array.from(
      { length: 1 + ((i * 5) % 9) },
      (_, j) => (i % 2 === 0 ? 'a' : 'b') + ((i + j) % 3 === 0 ? ' c' : ''),
    ).join(' '),
  );
  return {
    inputIds: texts.map((text) => model.tokenizer.encode(text, { maxTokens: 12 })),
    labels: texts.map((_, i) => (i + 1) % 2),
  };
}

export interface Task {
  readonly classifier: Classifier;
  readonly trained: readonly string[];
  readonly parameters: Record<string, Float32Array>;
  readonly data: LabelledExamples;
}

export async function openTask(
  model: Model,
  selector: string,
  rest: Partial<ClassifierOptions> & { readonly count?: number } = {},
): Promise<Task> {
  const { count = 20, ...options } = rest;
  const data = rest.data ?? sentences(model, count);
  const trained = selectParameters(model, selector);
  const parameters = await readParameters(model, trained);
  return {
    classifier: await openClassifier({ model, trainable: trained, data, ...options }),
    trained,
    parameters,
    data,
  };
}

export async function readParameters(model: Model, trained: readonly string[]): Promise<Record<string, Float32Array>> {
  const parameters: Record<string, Float32Array> = {};
  for (const name of trained) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
  return parameters;
}

/** All numbers in one array, in the order of the names; a copy, because classifiers reuse their arrays. */
export const flat = (arrays: Arrays, names: readonly string[] = Object.keys(arrays)): Float64Array =>
  Float64Array.from(names.flatMap((name) => [...(arrays[name] as Float32Array)]));

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

export const lengthOf = (a: ArrayLike<number>): number => Math.sqrt(dot(a, a));

/** ‖a − b‖ over ‖b‖. */
export const relativeDistance = (a: Float64Array, b: Float64Array): number =>
  lengthOf(a.map((x, i) => x - (b[i] as number))) / lengthOf(b);

/** The plain gradient of each of these examples, one at a time. */
export async function gradientsAlone(
  { classifier, parameters }: Task,
  indices: readonly number[],
): Promise<Float64Array[]> {
  const all: Float64Array[] = [];
  for (const index of indices) all.push(flat((await classifier.sums(parameters, [index])).gradients));
  return all;
}

/** Σ factor(‖g‖)·g. */
export function weightedTotal(vectors: readonly Float64Array[], factor: (length: number) => number): Float64Array {
  const sum = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) {
    const scale = factor(lengthOf(vector));
    for (const [i, x] of vector.entries()) sum[i] = (sum[i] as number) + scale * x;
  }
  return sum;
}
