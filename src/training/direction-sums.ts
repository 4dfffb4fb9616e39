// The sum over a batch of one random direction for each example, around that of its gradient (Weggenmann & Kerschbaum 2021;
// Faustini et al. 2022): drawn with one Gaussian vector for each micro-batch and part, from the Gram matrix of the gradients.

import { setImmediate } from 'node:timers/promises';
import type { Feeds } from '../engine/index.js';
import type { ParameterGroups } from '../mechanisms/index.js';
import { drawDirectionSum } from '../mechanisms/index.js';
import { fillNormal, type RandomSource } from '../random/index.js';
import {
  accumulate,
  type BatchContext,
  type BatchSums,
  brokenParameters,
  buffersFor,
  clear,
  feedsOf,
  pick,
  total,
} from './batch-context.js';
import type { MicroBatch } from './batch-source.js';
import type { Arrays } from './optimizers.js';
import { smallestLength } from './per-example/index.js';

export interface Directions {
  /** κ. */
  readonly concentration: number;
  readonly parameterGroups: ParameterGroups;
  readonly random: RandomSource;
}

/** Σ of one random direction for each example and parameter group, around its gradient's; every micro-batch is drawn by itself. */
export async function directionSums(
  context: BatchContext,
  parameters: Arrays,
  indices: readonly number[],
  directions: Directions,
): Promise<BatchSums> {
  const tally = { first: true, loss: 0, nonFinite: 0, zero: 0 };
  const run = { context, parameters, directions, tally };
  for (const batch of context.source.microBatches(indices)) await addBatch(run, batch);
  if (tally.first) clear(context.sums);
  const { loss, nonFinite, zero } = tally;
  return { loss, gradients: context.sums, nonFinite, zero };
}

interface Run {
  readonly context: BatchContext;
  readonly parameters: Arrays;
  readonly directions: Directions;
  /** `first`: nothing was added to the sums yet. */
  readonly tally: { first: boolean; loss: number; nonFinite: number; zero: number };
}

/** `lost`: so many further draws have no direction. `again`: examples that are not finite were taken out already. */
async function addBatch(run: Run, batch: MicroBatch, lost = 0, again = false): Promise<void> {
  const { context, directions, tally } = run;
  const measured = await measure(run, batch);
  const { losses, found, grams, noises } = measured;
  const rows = batch.weights.length;
  const squares = (row: number) => grams.map((gram) => gram[row * rows + row] as number);
  const good = batch.indices.filter((_, row) => squares(row).every(Number.isFinite));
  if (good.length < batch.indices.length) {
    if (again) throw new Error(brokenParameters);
    return addWithout(run, batch, good, noises);
  }
  tally.loss += total(losses, batch.indices.length);
  tally.zero += batch.indices.filter((_, row) => squares(row).some((square) => lengthFrom(square) === 0)).length;
  const drawn: Drawn[] = [];
  for (const [place, part] of directions.parameterGroups.entries()) {
    const { concentration, random } = directions;
    const [gram, noise] = [grams[place] as Float64Array, noises[place] as Float32Array];
    drawn.push(await drawPart(context, random, { batch, part, gram, found, concentration, lost, noise }));
  }
  await addDrawn(run, batch, found, drawn);
}

/** Losses and Gram matrices of a micro-batch, and the noise for each group, drawn meanwhile. */
async function measure({ context, parameters, directions }: Run, batch: MicroBatch) {
  const { source, programs } = context;
  const { parameterGroups: parts, random } = directions;
  const program = await programs.measure(batch.shape, parts);
  const feeds = pick({ ...parameters, ...feedsOf(context, batch) }, program);
  const measuring = program.run(feeds, buffersFor(context, program));
  // A small graph leaves a core on which the noise is drawn meanwhile; a large one would wait for its threads.
  await (source.small ? setImmediate() : measuring);
  const noises = parts.map((part) => fillNormal(random, noiseFor(context, part)));
  const { losses, ...found } = await measuring;
  const grams = parts.map((_, place) => found[`gram ${place}`] as unknown as Float64Array);
  return { losses: losses as Float32Array, found: found as Feeds, grams, noises };
}

/** Without a direction of their own, examples that are not finite still add noise. */
async function addWithout(
  run: Run,
  batch: MicroBatch,
  good: readonly number[],
  noises: readonly Float32Array[],
): Promise<void> {
  const count = batch.indices.length;
  run.tally.nonFinite += count - good.length;
  const rest = [...run.context.source.microBatches(good)];
  for (const [place, part] of rest.entries()) await addBatch(run, part, place === 0 ? count - good.length : 0, true);
  if (rest.length === 0) await addUndirected(run, count, noises);
}

/** Σ factor · gradient + γ·n. */
async function addDrawn({ context, directions, tally }: Run, batch: MicroBatch, found: Feeds, drawn: readonly Drawn[]) {
  const { source, programs, sums, once } = context;
  const weighted = await programs.weighted(batch.shape, directions.parameterGroups);
  const factors = Object.fromEntries(drawn.map(({ factors }, place) => [`factors ${place}`, factors]));
  const weighing = weighted.run(pick({ ...found, ...factors }, weighted), once);
  await (source.small ? setImmediate() : weighing);
  for (const { pieces, noiseScale } of drawn) {
    for (const [name, numbers] of pieces) addScaled(sums[name] as Float32Array, noiseScale, numbers, tally.first);
  }
  tally.first = false;
  await weighing;
  accumulate(sums, once, false);
}

/** As many uniform directions. */
async function addUndirected({ context, directions, tally }: Run, count: number, noises: readonly Float32Array[]) {
  const { sums } = context;
  for (const [place, part] of directions.parameterGroups.entries()) {
    const noise = noises[place] as Float32Array;
    const { noiseScale } = await drawDirectionSum(directions.random, {
      gram: new Float64Array(count * count),
      dimension: noise.length,
      concentration: directions.concentration,
      noise,
      products: () => new Float64Array(count),
    });
    for (const [name, numbers] of piecesOf(sums, part, noise)) {
      addScaled(sums[name] as Float32Array, noiseScale, numbers, tally.first);
    }
  }
  tally.first = false;
}

interface Part {
  readonly batch: MicroBatch;
  readonly part: readonly string[];
  readonly gram: Float64Array;
  readonly found: Feeds;
  readonly concentration: number;
  /** Further draws without a direction. */
  readonly lost: number;
  readonly noise: Float32Array;
}

interface Drawn {
  /** By which every gradient is multiplied. */
  readonly factors: Float32Array;
  /** n in pieces, and γ. */
  readonly pieces: readonly (readonly [name: string, numbers: Float32Array])[];
  readonly noiseScale: number;
}

/** The array for the noise of one part. */
function noiseFor({ sums, noise }: BatchContext, part: readonly string[]): Float32Array {
  const key = part.join(' ');
  const size = part.reduce((sum, name) => sum + (sums[name] as Float32Array).length, 0);
  const buffer = noise.get(key) ?? new Float32Array(size);
  noise.set(key, buffer);
  return buffer;
}

/** Dividing by a shorter length would leave float32. */
const lengthFrom = (square: number): number => (square < smallestLength ** 2 ? 0 : Math.sqrt(square));

/** n cut into an array for each parameter. */
function piecesOf(sums: Arrays, part: readonly string[], noise: Float32Array): [name: string, numbers: Float32Array][] {
  let start = 0;
  return part.map((name) => {
    const { length } = sums[name] as Float32Array;
    start += length;
    return [name, noise.subarray(start - length, start)];
  });
}

/** γ·n, added to a sum or in its place. */
function addScaled(sum: Float32Array, scale: number, noise: Float32Array, first: boolean): void {
  if (first) for (let i = 0; i < sum.length; i++) sum[i] = scale * (noise[i] as number);
  else for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + scale * (noise[i] as number);
}

/** What one part needs besides its gradients. */
async function drawPart(
  { source, programs, sums }: BatchContext,
  random: RandomSource,
  { batch, part, gram, found, concentration, lost, noise }: Part,
): Promise<Drawn> {
  const rows = batch.weights.length;
  const count = batch.indices.length;
  const lengths = Float64Array.from({ length: count }, (_, row) => lengthFrom(gram[row * rows + row] as number));
  const size = count + lost;
  const unit = new Float64Array(size * size);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      const product = (lengths[i] as number) * (lengths[j] as number);
      unit[i * size + j] = product > 0 ? (i === j ? 1 : (gram[i * rows + j] as number) / product) : 0;
    }
  }
  const pieces = piecesOf(sums, part, noise);
  const program = await programs.products(batch.shape, part);
  const given = Object.fromEntries(pieces.map(([name, numbers]) => [`noise ${name}`, numbers]));
  const running = program.run(pick({ ...found, ...given }, program));
  await (source.small ? setImmediate() : running);
  const { coefficients, noiseScale } = await drawDirectionSum(random, {
    gram: unit,
    dimension: noise.length,
    concentration,
    noise,
    products: async () => {
      const { products } = await running;
      return Float64Array.from({ length: size }, (_, row) =>
        row < count && (lengths[row] as number) > 0 ? Number(products?.[row]) / (lengths[row] as number) : 0,
      );
    },
  });
  const factors = Float32Array.from({ length: rows }, (_, row) =>
    row < count && (lengths[row] as number) > 0 ? (coefficients[row] as number) / (lengths[row] as number) : 0,
  );
  return { factors, pieces, noiseScale };
}
