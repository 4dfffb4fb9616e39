// A classifier over a fixed set of examples: gradients summed over any lot of them, and logits. Where part of the model is
// frozen it works on the features of that part, otherwise on tokens; the callers cannot tell.

import { compile, crossEntropy, gradients, input, mul, type Program, reduceSum } from '../engine/index.js';
import { ArgumentError } from '../math/index.js';
import { type Model, worthKeeping } from '../models/index.js';
import { type BatchSource, type FeatureSettings, featureBatches, longestRow, tokenBatches } from './batch-source.js';
import type { Arrays } from './optimizers.js';

export interface LabelledRows {
  /** Token ids of every example. */
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

export interface ClassifierOptions extends FeatureSettings {
  readonly model: Model;
  /** Names of the trained parameters. */
  readonly trained: readonly string[];
  readonly data: LabelledRows;
}

export interface Classifier {
  readonly examples: number;
  /** Whether it works on kept features. */
  readonly cached: boolean;
  /** Σ loss and Σ gradient over these examples. The arrays are used again by the next call. */
  readonly sums: (parameters: Arrays, indices: readonly number[]) => Promise<{ loss: number; gradients: Arrays }>;
  /** [examples, labels] */
  readonly logits: (parameters: Arrays) => Promise<Float32Array>;
  readonly close: () => Promise<void>;
}

export async function openClassifier(options: ClassifierOptions): Promise<Classifier> {
  const { model, trained, data } = options;
  const { labels } = model.config;
  expectData(data, labels);
  const cached = worthKeeping(model, trained, data.rows.length, longestRow(data.rows));
  const source = cached ? await featureBatches(options) : tokenBatches(options);
  const programs = new Programs(source);
  const sums = Object.fromEntries(
    trained.map((name) => [name, new Float32Array(sizeOfParameter(model, name))] as const),
  );
  const once = Object.fromEntries(Object.entries(sums).map(([name, { length }]) => [name, new Float32Array(length)]));

  return {
    examples: data.rows.length,
    cached,
    sums: async (parameters, indices) => {
      let loss = 0;
      for (const array of Object.values(sums)) array.fill(0);
      for (const { shape, indices: members, weights, feeds } of source.batches(indices)) {
        const program = await programs.training(shape);
        const targets = BigInt64Array.from(weights, (_, row) => BigInt(data.labels[members[row] ?? -1] ?? 0));
        const result = await program.run({ ...parameters, ...feeds, targets, weights }, once);
        loss += Number(result.loss?.[0]);
        for (const [name, sum] of Object.entries(sums)) addTo(sum, once[name] as Float32Array);
      }
      return { loss, gradients: sums };
    },
    logits: async (parameters) => {
      const all = new Float32Array(data.rows.length * labels);
      for (const { shape, indices, feeds } of source.batches(data.rows.map((_, index) => index))) {
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

function expectData({ rows, labels }: LabelledRows, classes: number): void {
  if (rows.length === 0) throw new ArgumentError('expected at least one example, got none');
  if (rows.length !== labels.length) {
    throw new ArgumentError(`expected a label for each of ${rows.length} examples, got ${labels.length}`);
  }
  const wrong = labels.findIndex((label) => !(Number.isInteger(label) && label >= 0 && label < classes));
  if (wrong !== -1) {
    throw new ArgumentError(`example ${wrong}: expected a label from 0 to ${classes - 1}, got ${labels[wrong]}`);
  }
}

const sizeOfParameter = (model: Model, name: string): number =>
  (model.parameters.get(name)?.shape ?? []).reduce((product, size) => product * size, 1);

function addTo(sum: Float32Array, more: Float32Array): void {
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (more[i] as number);
}

/** One program for each shape of batch, made when first needed. */
class Programs {
  readonly #source: BatchSource;
  readonly #made = new Map<string, Promise<Program>>();

  constructor(source: BatchSource) {
    this.#source = source;
  }

  training(shape: number): Promise<Program> {
    return this.#make(`training ${shape}`, () => {
      const { logits, trained } = this.#source.graph(shape);
      const batch = logits.shape[0] as number;
      const losses = crossEntropy(logits, input('targets', [batch], 'i64'));
      const loss = reduceSum(mul(losses, input('weights', [batch])));
      const names = Object.keys(trained);
      const slopes = gradients(loss, Object.values(trained));
      return compile<string>({ loss, ...Object.fromEntries(slopes.map((slope, i) => [names[i] as string, slope])) });
    });
  }

  prediction(shape: number): Promise<Program> {
    return this.#make(`prediction ${shape}`, () => compile<string>({ logits: this.#source.graph(shape).logits }));
  }

  async close(): Promise<void> {
    for (const program of this.#made.values()) await (await program).close();
    this.#made.clear();
  }

  #make(key: string, build: () => Promise<Program>): Promise<Program> {
    const program = this.#made.get(key) ?? build();
    this.#made.set(key, program);
    return program;
  }
}
