// The sum over a lot of one random direction for each example, around that of its gradient (Weggenmann & Kerschbaum 2021;
// Faustini et al. 2022): drawn with one Gaussian vector for each physical batch and part, from the Gram matrix of the gradients.

import type { Feeds } from '../engine/index.js';
import { drawDirectionSum } from '../mechanisms/index.js';
import type { RandomSource } from '../random/index.js';
import type { PhysicalBatch } from './batch-source.js';
import { accumulate, brokenParameters, clear, feedsOf, type LotContext, type LotSums, pick, total } from './lot.js';
import type { Arrays } from './optimizers.js';
import type { Parts } from './programs.js';

export interface Directions {
  /** κ. */
  readonly concentration: number;
  readonly parts: Parts;
  readonly random: RandomSource;
}

/** Σ of one random direction for each example and part, around its gradient's; every physical batch is a group of its own. */
export async function directionSums(
  context: LotContext,
  parameters: Arrays,
  indices: readonly number[],
  directions: Directions,
): Promise<LotSums> {
  const { source, programs, sums } = context;
  const { parts } = directions;
  clear(sums);
  let [loss, nonFinite, zero] = [0, 0, 0];
  const add = async (batch: PhysicalBatch, lost: number, again: boolean): Promise<void> => {
    const rows = batch.weights.length;
    const count = batch.indices.length;
    const measure = await programs.measure(batch.shape, parts);
    const { losses, ...found } = await measure.run(pick({ ...parameters, ...feedsOf(context, batch) }, measure));
    const grams = parts.map((_, place) => found[`gram ${place}`] as unknown as Float64Array);
    const squares = (row: number) => grams.map((gram) => gram[row * rows + row] as number);
    const good = batch.indices.filter((_, row) => squares(row).every(Number.isFinite));
    if (good.length < count) {
      if (again) throw new Error(brokenParameters);
      nonFinite += count - good.length;
      const rest = [...source.batches(good)];
      // Without a direction of their own, the others still add noise.
      if (rest.length === 0) throw new Error('training cannot go on: no gradient of a batch is finite');
      for (const [place, part] of rest.entries()) await add(part, place === 0 ? count - good.length : 0, true);
      return;
    }
    loss += total(losses as Float32Array, count);
    zero += batch.indices.filter((_, row) => squares(row).some((square) => square <= 0)).length;
    const factors: Record<string, Float32Array> = {};
    for (const [place, part] of parts.entries()) {
      factors[`factors ${place}`] = await drawPart(context, directions.random, {
        batch,
        part,
        gram: grams[place] as Float64Array,
        found,
        concentration: directions.concentration,
        lost,
      });
    }
    const weighted = await programs.weighted(batch.shape, parts);
    await weighted.run(pick({ ...found, ...factors }, weighted), context.once);
    accumulate(sums, context.once);
  };
  for (const batch of source.batches(indices)) await add(batch, 0, false);
  return { loss, gradients: sums, nonFinite, zero };
}

interface Part {
  readonly batch: PhysicalBatch;
  readonly part: readonly string[];
  readonly gram: Float64Array;
  readonly found: Feeds;
  readonly concentration: number;
  /** Further draws without a direction. */
  readonly lost: number;
}

/** Adds γ·n of one part to the sums, and gives the factors of its gradients. */
async function drawPart(
  { programs, sums }: LotContext,
  random: RandomSource,
  { batch, part, gram, found, concentration, lost }: Part,
): Promise<Float32Array> {
  const rows = batch.weights.length;
  const count = batch.indices.length;
  const lengths = Float64Array.from({ length: count }, (_, row) =>
    Math.sqrt(Math.max(0, gram[row * rows + row] as number)),
  );
  const size = count + lost;
  const unit = new Float64Array(size * size);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      const product = (lengths[i] as number) * (lengths[j] as number);
      unit[i * size + j] = product > 0 ? (i === j ? 1 : (gram[i * rows + j] as number) / product) : 0;
    }
  }
  const dimension = part.reduce((sum, name) => sum + (sums[name] as Float32Array).length, 0);
  const cut = (noise: Float32Array): [name: string, numbers: Float32Array][] => {
    let start = 0;
    return part.map((name) => {
      const { length } = sums[name] as Float32Array;
      start += length;
      return [name, noise.subarray(start - length, start)];
    });
  };
  const { coefficients, noise, noiseScale } = await drawDirectionSum(random, {
    gram: unit,
    dimension,
    concentration,
    products: async (normal) => {
      const program = await programs.products(batch.shape, part);
      const given = Object.fromEntries(cut(normal).map(([name, numbers]) => [`noise ${name}`, numbers]));
      const { products } = await program.run(pick({ ...found, ...given }, program));
      return Float64Array.from({ length: size }, (_, row) =>
        row < count && (lengths[row] as number) > 0 ? Number(products?.[row]) / (lengths[row] as number) : 0,
      );
    },
  });
  for (const [name, numbers] of cut(noise)) {
    const sum = sums[name] as Float32Array;
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + noiseScale * (numbers[i] as number);
  }
  return Float32Array.from({ length: rows }, (_, row) =>
    row < count && (lengths[row] as number) > 0 ? (coefficients[row] as number) / (lengths[row] as number) : 0,
  );
}
