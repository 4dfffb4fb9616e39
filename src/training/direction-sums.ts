// The sum over a batch of one random direction per example, around that of its gradient (Weggenmann & Kerschbaum 2021;
// Faustini et al. 2022): sampled with one Gaussian vector per micro-batch and parameter group, from the Gram matrix of the
// gradients.

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
import type { StepDropout } from './dropout.js';
import type { Arrays } from './optimizers.js';

/** How every example's gradient is replaced by a random direction. */
export interface Directions {
  /** Concentration κ of the von Mises–Fisher distribution; larger means less noise. */
  readonly concentration: number;
  /** Parameters by group; each group has a direction of its own. */
  readonly parameterGroups: ParameterGroups;
  /** Source of the noise; cryptographic if the result is released. */
  readonly random: RandomSource;
}

/** Σ of one random direction per example and parameter group, around its gradient's; micro-batches are sampled separately. */
export async function directionSums(
  context: BatchContext,
  parameters: Arrays,
  indices: readonly number[],
  directions: Directions,
  dropout?: StepDropout,
): Promise<BatchSums> {
  const tally = { first: true, loss: 0, nonFinite: 0, zero: 0 };
  const run = { context, parameters, directions, tally, ...(dropout && { dropout }) };
  for (const batch of context.source.microBatches(indices, dropout)) await addBatch(run, batch);
  if (tally.first) clear(context.sums);
  const { loss, nonFinite, zero } = tally;
  return { loss, gradients: context.sums, nonFinite, zero };
}

interface Run {
  readonly context: BatchContext;
  readonly parameters: Arrays;
  readonly directions: Directions;
  readonly dropout?: StepDropout;
  /** `first`: nothing has been added to the sums yet. */
  readonly tally: { first: boolean; loss: number; nonFinite: number; zero: number };
}

/** `lost`: how many further draws have no direction. `again`: examples that are not finite are already left out. */
async function addBatch(run: Run, batch: MicroBatch, lost = 0, again = false): Promise<void> {
  const { context, directions, tally, dropout } = run;
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
  for (const [place, group] of directions.parameterGroups.entries()) {
    const { concentration, random } = directions;
    const [gram, noise] = [grams[place] as Float64Array, noises[place] as Float32Array];
    drawn.push(await drawGroup(context, random, { batch, group, gram, found, concentration, lost, noise, dropout }));
  }
  await addDrawn(run, batch, found, drawn);
}

/** Computes losses and Gram matrices of a micro-batch, and meanwhile the noise of each group. */
async function measure({ context, parameters, directions, dropout }: Run, batch: MicroBatch) {
  const { source, programs } = context;
  const { parameterGroups: groups, random } = directions;
  const program = await programs.measure(batch.shape, groups, dropout);
  const feeds = pick({ ...parameters, ...feedsOf(context, batch) }, program);
  const measuring = program.run(feeds, buffersFor(context, program));
  // A small graph leaves a core for sampling the noise meanwhile; a large one would compete for its threads.
  await (source.small ? setImmediate() : measuring);
  const noises = groups.map((group) => fillNormal(random, noiseFor(context, group)));
  const { losses, ...found } = await measuring;
  const grams = groups.map((_, place) => found[`gram ${place}`] as unknown as Float64Array);
  return { losses: losses as Float32Array, found: found as Feeds, grams, noises };
}

/** Adds a micro-batch without its examples that are not finite; they have no direction, but still add noise. */
async function addWithout(
  run: Run,
  batch: MicroBatch,
  good: readonly number[],
  noises: readonly Float32Array[],
): Promise<void> {
  const count = batch.indices.length;
  run.tally.nonFinite += count - good.length;
  const rest = [...run.context.source.microBatches(good, run.dropout)];
  for (const [place, some] of rest.entries()) await addBatch(run, some, place === 0 ? count - good.length : 0, true);
  if (rest.length === 0) await addUndirected(run, count, noises);
}

/** Adds Σ factor · gradient + γ·n. */
async function addDrawn(
  { context, directions, tally, dropout }: Run,
  batch: MicroBatch,
  found: Feeds,
  drawn: readonly Drawn[],
) {
  const { source, programs, sums, once } = context;
  const weighted = await programs.weighted(batch.shape, directions.parameterGroups, dropout);
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

/** Adds `count` uniform directions. */
async function addUndirected({ context, directions, tally }: Run, count: number, noises: readonly Float32Array[]) {
  const { sums } = context;
  for (const [place, group] of directions.parameterGroups.entries()) {
    const noise = noises[place] as Float32Array;
    const { noiseScale } = await drawDirectionSum(directions.random, {
      gram: new Float64Array(count * count),
      dimension: noise.length,
      concentration: directions.concentration,
      noise,
      products: () => new Float64Array(count),
    });
    for (const [name, numbers] of piecesOf(sums, group, noise)) {
      addScaled(sums[name] as Float32Array, noiseScale, numbers, tally.first);
    }
  }
  tally.first = false;
}

interface GroupDraw {
  readonly batch: MicroBatch;
  /** Names of the group's parameters. */
  readonly group: readonly string[];
  readonly gram: Float64Array;
  readonly found: Feeds;
  readonly concentration: number;
  /** Further draws without a direction. */
  readonly lost: number;
  readonly noise: Float32Array;
  readonly dropout: StepDropout | undefined;
}

interface Drawn {
  /** Factor of each example's gradient. */
  readonly factors: Float32Array;
  /** n in one piece per parameter. */
  readonly pieces: readonly (readonly [name: string, numbers: Float32Array])[];
  /** γ. */
  readonly noiseScale: number;
}

/** The array for the noise of one group. */
function noiseFor({ sums, noise }: BatchContext, group: readonly string[]): Float32Array {
  const key = group.join(' ');
  const size = group.reduce((sum, name) => sum + (sums[name] as Float32Array).length, 0);
  const buffer = noise.get(key) ?? new Float32Array(size);
  noise.set(key, buffer);
  return buffer;
}

/** The least length by which float32 can divide. */
const leastLength = 2 ** -126;

/** The length of a gradient with scaled slopes; 0 if it has no direction in float32. */
const lengthFrom = (square: number): number => (square < leastLength ** 2 ? 0 : Math.sqrt(square));

/** Cuts n into one array per parameter. */
function piecesOf(
  sums: Arrays,
  group: readonly string[],
  noise: Float32Array,
): [name: string, numbers: Float32Array][] {
  let start = 0;
  return group.map((name) => {
    const { length } = sums[name] as Float32Array;
    start += length;
    return [name, noise.subarray(start - length, start)];
  });
}

/** Adds γ·n to a sum, or replaces it. */
function addScaled(sum: Float32Array, scale: number, noise: Float32Array, first: boolean): void {
  if (first) for (let i = 0; i < sum.length; i++) sum[i] = scale * (noise[i] as number);
  else for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + scale * (noise[i] as number);
}

/** Samples the factors and the noise scale of one group. */
async function drawGroup(
  { source, programs, sums }: BatchContext,
  random: RandomSource,
  { batch, group, gram, found, concentration, lost, noise, dropout }: GroupDraw,
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
  const pieces = piecesOf(sums, group, noise);
  const program = await programs.noiseProducts(batch.shape, group, dropout);
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
