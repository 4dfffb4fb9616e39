// Features of the frozen part: when only the last layers are trained, the frozen part runs once over a data set, and the values
// that the trainable part reads from it are cached on disk. An epoch then costs milliseconds.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ArgumentError, FileError } from '../checks/index.js';
import { bucketBatches, lengthBuckets } from '../data/index.js';
import {
  type Cut,
  compile,
  cutGraph,
  dependsOn,
  input,
  type Program,
  type Shape,
  sizeOf,
  type Value,
} from '../engine/index.js';
import { cacheFolder } from '../platform/index.js';
import type { DropoutPlace, DropoutScope } from './dropout.js';
import { readNumbers, writeNumbers } from './feature-files.js';
import { digestFrozen } from './frozen-digest.js';
import type { LayerTrace, TraceParameter } from './layers.js';
import { type BuiltModel, type Model, type Task, taskLogits } from './model.js';

/** One array per value that the trainable part reads: [examples, …shape]. */
interface Features {
  readonly examples: number;
  readonly values: readonly { readonly shape: Shape; readonly data: Float32Array }[];
}

/** For which model and examples features are computed, and where they are cached. */
export interface FeatureOptions {
  readonly model: Model;
  /** Names of the trainable parameters. */
  readonly trainable: readonly string[];
  /** Token ids of every example. */
  readonly inputIds: readonly (readonly number[])[];
  /** Rows per micro-batch of the frozen part. Default: 32. */
  readonly batch?: number;
  /** Called with the number of examples done and of all. */
  readonly onProgress?: (done: number, all: number) => void;
  /** Stops after the current batch. */
  readonly signal?: AbortSignal;
  /** Folder of the cached features; `false` caches none. Default: `features` in the cache folder. */
  readonly folder?: string | false;
}

/** The graph of the trainable part, which reads features as inputs `feature 0`, `feature 1`, … */
interface TrainablePart {
  readonly logits: Value;
  readonly trainable: Readonly<Record<string, Value>>;
  readonly features: Readonly<Record<string, Value>>;
  /** The traces of trainable parameters in this graph; without `input` if only the bias is trainable. */
  readonly traces: readonly LayerTrace[];
  readonly dropoutPlaces: readonly DropoutPlace[];
}

const chunkSize = 4096;
const version = 2;

/** In bytes; more would not stay in memory. */
const largestFeatures = 4 * 2 ** 30;

/**
 * Whether caching features pays: a frozen linear layer lies below every trainable parameter, and the features of all examples,
 * of at most this many tokens, fit into memory. A layer beside a trainable one, as the maps that LoRA adapts, is not below it.
 */
export function shouldCacheFeatures(
  model: Model,
  trainable: readonly string[],
  examples: number,
  tokens: number,
): boolean {
  const { built, traces, cut } = cutModel(model, trainable, { batch: 1, tokens });
  const linear = built.traces.filter(({ kind }) => kind === 'linear');
  const isAboveLinear = (value: Value) => linear.some(({ output }) => dependsOn(value, output));
  return (
    bytesOf(cut, examples) <= largestFeatures &&
    cut.cached.some(isAboveLinear) &&
    traces.every((trace) => isAboveLinear('input' in trace ? trace.input : trace.output))
  );
}

/** Bytes that the features of this many examples, of at most this many tokens, take in memory. */
export const featureBytes = (model: Model, trainable: readonly string[], examples: number, tokens: number): number =>
  bytesOf(cutModel(model, trainable, { batch: 1, tokens }).cut, examples);

const bytesOf = ({ cached }: Cut, examples: number): number =>
  cached.reduce((sum, { shape }) => sum + 4 * examples * sizeOf(shape), 0);

/** Builds the trainable part for batches of this size, with dropout above the cut if it is given. */
export function buildTrainablePart(
  model: Model,
  trainable: readonly string[],
  batch: number,
  tokens: number,
  dropout?: DropoutScope,
): TrainablePart {
  const { built, traces, cut } = cutModel(model, trainable, { batch, tokens, ...(dropout && { dropout }) });
  const values = cut.cached.map(({ shape, dtype }, index) => input(`feature ${index}`, shape, dtype));
  const [logits, ...moved] = cut.rest(values) as [Value, ...Value[]];
  const features = Object.fromEntries(values.map((value, index) => [`feature ${index}`, value]));
  const places = new Map(
    traces.flatMap((trace) => traceValues(trace, built)).map(({ id }, index) => [id, moved[index]]),
  );
  const movedTo = (value: Value) => places.get(value.id) ?? value;
  const movedTraces = traces.map((trace): LayerTrace => {
    const output = movedTo(trace.output);
    if (trace.kind === 'embedding') return { ...trace, output, ids: movedTo(trace.ids) };
    return 'input' in trace ? { ...trace, output, input: movedTo(trace.input) } : { ...trace, output };
  });
  const { dropoutPlaces } = built;
  return { logits, trainable: built.trainable, features, traces: movedTraces, dropoutPlaces };
}

/** The features of all examples, read from the cache if they are there, otherwise computed and cached. */
export async function computeFeatures(options: FeatureOptions): Promise<Features> {
  const { model, trainable, inputIds, batch = 32, onProgress, folder = join(cacheFolder(), 'features') } = options;
  const empty = inputIds.findIndex(({ length }) => length === 0);
  if (empty !== -1) throw new ArgumentError(`example ${empty}: expected at least one token, got none`);
  const longest = inputIds.reduce((most, { length }) => Math.max(most, length), 1);
  const plan = planBatches(model, trainable, batch, longest);
  const values = plan.shapes.map((shape) => ({ shape, data: new Float32Array(inputIds.length * sizeOf(shape)) }));
  const programs = new Map<number, Program>();
  const frozen = await digestFrozen(model, trainable);
  try {
    for (let start = 0; start < inputIds.length; start += chunkSize) {
      const part = inputIds.slice(start, start + chunkSize);
      const key = featureKey(options, plan, frozen, part);
      const path = folder === false ? undefined : join(folder, `${key}.safetensors`);
      const into = values.map(({ shape, data }) => {
        const size = sizeOf(shape);
        return { shape, data: data.subarray(start * size, (start + part.length) * size) };
      });
      const found = path !== undefined && (await readNumbers(path, key, into));
      if (!found) {
        await runChunk(options, plan, part, into, programs, (done) => onProgress?.(start + done, inputIds.length));
        if (path !== undefined) await writeNumbers(path, key, into);
      } else if (start === 0) await verify(options, plan, part, into, programs, path as string);
      onProgress?.(start + part.length, inputIds.length);
    }
  } finally {
    for (const program of programs.values()) await program.close();
  }
  return { examples: inputIds.length, values };
}

interface Plan {
  readonly batch: number;
  readonly buckets: readonly number[];
  /** Shapes of one example's features. */
  readonly shapes: readonly Shape[];
}

function cutModel(
  model: Model,
  trainable: readonly string[],
  sizes: { readonly batch: number; readonly tokens: number; readonly dropout?: DropoutScope },
  task: Task = 'classification',
): { built: BuiltModel; traces: readonly LayerTrace[]; cut: Cut } {
  const built = model.build({ ...sizes, trainable });
  const logits = taskLogits(built, task);
  const isTrained = (parameter?: TraceParameter) => parameter !== undefined && parameter.name in built.trainable;
  const traces = built.traces.filter((trace) => isTrained(trace.weight) || ('bias' in trace && isTrained(trace.bias)));
  const carried = traces.flatMap((trace) => traceValues(trace, built));
  // Masks change with every step, as the parameters do.
  const changing = [...Object.values(built.trainable), ...built.dropoutPlaces.map(({ mask }) => mask)];
  return { built, traces, cut: cutGraph([logits, ...carried], changing) };
}

/** The values that a trainable parameter's trace needs; the trainable part computes or reads all of them anyway. */
function traceValues(trace: LayerTrace, { trainable }: BuiltModel): Value[] {
  if (!(trace.weight.name in trainable)) return [trace.output];
  if (trace.kind === 'embedding') return [trace.output, trace.ids];
  return 'input' in trace ? [trace.output, trace.input] : [trace.output];
}

/** Features whose shape does not depend on the length may come from buckets of several lengths; others need one length. */
function planBatches(model: Model, trainable: readonly string[], batch: number, longest: number): Plan {
  const shapesAt = (tokens: number) => {
    const { cached } = cutModel(model, trainable, { batch, tokens }).cut;
    for (const { shape, dtype } of cached) {
      if (shape[0] !== batch || dtype !== 'f32') {
        throw new ArgumentError('the frozen part has no values per example to cache: train on tokens instead');
      }
    }
    return cached.map(({ shape }) => shape.slice(1));
  };
  const shapes = shapesAt(longest);
  const same = longest === 1 || JSON.stringify(shapesAt(longest - 1)) === JSON.stringify(shapes);
  return { batch, shapes, buckets: same ? lengthBuckets(longest) : [longest] };
}

async function runChunk(
  { model, trainable, signal }: FeatureOptions,
  { batch, buckets, shapes }: Plan,
  inputIds: readonly (readonly number[])[],
  into: Features['values'],
  programs: Map<number, Program>,
  onProgress: (done: number) => void,
): Promise<void> {
  let done = 0;
  const { padding } = model.tokenizer.special;
  for (const { tokens, indices, ids, mask } of bucketBatches(inputIds, { batch, buckets, padding })) {
    if (signal?.aborted) throw new Error('stopped before all features were computed: nothing was trained yet');
    const program = programs.get(tokens) ?? (await compilePrefix(model, trainable, batch, tokens));
    programs.set(tokens, program);
    const result = await program.run(pick({ ids, mask }, program.inputs));
    for (const [place, shape] of shapes.entries()) {
      const size = sizeOf(shape);
      const numbers = result[`${place}`] as Float32Array;
      for (const [row, index] of indices.entries()) {
        into[place]?.data.set(numbers.subarray(row * size, (row + 1) * size), index * size);
      }
    }
    done += indices.length;
    onProgress(done);
  }
}

const pick = <T>(feeds: Readonly<Record<string, T>>, wanted: object): Record<string, T> =>
  Object.fromEntries(Object.entries(feeds).filter(([name]) => name in wanted));

function compilePrefix(model: Model, trainable: readonly string[], batch: number, tokens: number): Promise<Program> {
  const { cached } = cutModel(model, trainable, { batch, tokens }).cut;
  return compile<string>(Object.fromEntries(cached.map((value, index) => [`${index}`, value])));
}

/** A digest of everything that decides the numbers. */
function featureKey(
  { model, trainable }: FeatureOptions,
  { buckets, shapes }: Plan,
  frozen: string,
  inputIds: readonly (readonly number[])[],
): string {
  const hash = createHash('sha256');
  const { config, tokenizer, adapter } = model;
  const { base: _, ...adapted } = adapter ?? {};
  const settings = {
    version,
    frozen,
    config,
    ...(adapter && { adapted }),
    tokenizer: tokenizer.digest,
    trainable,
    buckets,
    shapes,
    rows: inputIds.length,
  };
  hash.update(JSON.stringify(settings));
  for (const ids of inputIds) hash.update(Int32Array.from([ids.length, ...ids]));
  return hash.digest('hex').slice(0, 40);
}

/** Computes a few examples again and compares: features cached by another version or damaged in memory must not be used. */
async function verify(
  options: FeatureOptions,
  plan: Plan,
  inputIds: readonly (readonly number[])[],
  cached: Features['values'],
  programs: Map<number, Program>,
  path: string,
): Promise<void> {
  const count = Math.min(inputIds.length, 8);
  const chosen = Array.from({ length: count }, (_, i) => Math.floor((i * inputIds.length) / count));
  const sample = chosen.map((index) => inputIds[index] as readonly number[]);
  const again = plan.shapes.map((shape) => ({ shape, data: new Float32Array(count * sizeOf(shape)) }));
  await runChunk(options, plan, sample, again, programs, () => {});
  for (const [place, { shape, data }] of again.entries()) {
    const size = sizeOf(shape);
    const before = cached[place]?.data as Float32Array;
    for (const [row, index] of chosen.entries()) {
      for (let i = 0; i < size; i++) {
        const [old, now] = [before[index * size + i] as number, data[row * size + i] as number];
        if (Math.abs(old - now) > 1e-3 * (1 + Math.abs(now))) {
          throw new FileError(
            `${path}: cached features differ from computed ones (${old} and ${now}): delete the file`,
          );
        }
      }
    }
  }
}
