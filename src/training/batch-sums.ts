// Sums of gradients over a batch of any size: plain, and with every example's gradient clipped.

import type { Clipping } from '../mechanisms/index.js';
import {
  accumulate,
  type BatchContext,
  type BatchSums,
  brokenParameters,
  clear,
  exactSum,
  feedsOf,
  total,
} from './batch-context.js';
import type { MicroBatch } from './batch-source.js';
import type { StepDropout } from './dropout.js';
import type { Arrays } from './optimizers.js';

/** Σ gradient, without clipping. */
export async function plainSums(
  context: BatchContext,
  parameters: Arrays,
  indices: readonly number[],
  dropout?: StepDropout,
): Promise<BatchSums> {
  const { source, programs, sums, once } = context;
  let first = true;
  let loss = 0;
  for (const batch of source.microBatches(indices, dropout)) {
    const program = await programs.training(batch.shape, dropout);
    const result = await program.run({ ...parameters, ...feedsOf(context, batch) }, once);
    loss += Number(result.loss?.[0]);
    accumulate(sums, once, first);
    first = false;
  }
  if (first) clear(sums);
  return { loss, gradients: sums, nonFinite: 0, zero: 0 };
}

/** Σ gradient with every example's gradient clipped or normalised. Examples whose gradient is not finite contribute nothing. */
export async function clippedSums(
  context: BatchContext,
  parameters: Arrays,
  indices: readonly number[],
  clipping: Clipping,
  dropout?: StepDropout,
): Promise<BatchSums> {
  const { source, programs, once } = context;
  const sum = exactSum(context);
  let [loss, nonFinite, zero] = [0, 0, 0];
  const add = async (batch: MicroBatch, again: boolean): Promise<void> => {
    const program = await programs.clipped(batch.shape, clipping, dropout);
    const { losses, norms } = await program.run({ ...parameters, ...feedsOf(context, batch) }, once);
    const good = batch.indices.filter((_, row) => Number.isFinite(Number(norms?.[row])));
    // One bad number makes the whole sum useless, so the micro-batch runs again without those examples.
    if (good.length < batch.indices.length) {
      if (again) throw new Error(brokenParameters);
      nonFinite += batch.indices.length - good.length;
      for (const rest of source.microBatches(good, dropout)) await add(rest, true);
      return;
    }
    loss += total(losses as Float32Array, batch.indices.length);
    zero += (norms as Float32Array).subarray(0, batch.indices.length).filter((norm) => norm === 0).length;
    sum.add();
  };
  for (const batch of source.microBatches(indices, dropout)) await add(batch, false);
  return { loss, ...sum.finish(), nonFinite, zero };
}
