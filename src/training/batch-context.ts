// Shared by all sums over a batch: they run over its micro-batches and add up.

import { emptyLike, type Feeds, type Program, type TypedArray } from '../engine/index.js';
import type { BatchSource, MicroBatch } from './batch-source.js';
import type { Arrays } from './optimizers.js';
import type { Programs } from './programs.js';

/** A classifier's graphs and the arrays that its sums reuse. */
export interface BatchContext {
  readonly source: BatchSource;
  readonly programs: Programs;
  readonly labels: readonly number[];
  /** The sums, overwritten by every call. */
  readonly sums: Arrays;
  /** Results of one micro-batch. */
  readonly once: Arrays;
  /** Sums over several micro-batches, in float64; allocated when first needed. */
  readonly wide: Map<string, Float64Array>;
  /** Arrays for noise by the names of their parameters; reused. */
  readonly noise: Map<string, Float32Array>;
  /** Arrays for all results of a program; reused. */
  readonly results: Map<Program, Record<string, TypedArray>>;
}

/** Sums over the examples of a batch. The next call overwrites the arrays: copy what you keep. */
export interface BatchSums {
  /** Σ loss over the examples whose gradient is finite. */
  readonly loss: number;
  /** Σ gradient by parameter name. */
  readonly gradients: Arrays;
  /** The same in float64, if several micro-batches were added. */
  readonly exact?: Readonly<Record<string, Float64Array>>;
  /** Examples whose gradient was not finite: they contribute nothing. */
  readonly nonFinite: number;
  /** Examples whose gradient is zero, so that it has no direction. */
  readonly zero: number;
}

/** The error when even a batch without bad examples has gradients that are not finite. */
export const brokenParameters =
  "training stopped: the parameters are no longer finite numbers: lower the learning rate, or check the model's weights";

/** The inputs of a graph that computes losses, except for the parameters. */
export function feedsOf({ labels }: BatchContext, { indices, weights, feeds }: MicroBatch): Feeds {
  const targets = BigInt64Array.from(weights, (_, row) => BigInt(labels[indices[row] ?? -1] ?? 0));
  return { ...feeds, targets, weights };
}

/** Arrays for a program's results: allocating large ones every time costs more than filling them. */
export function buffersFor({ results }: BatchContext, program: Program): Record<string, TypedArray> {
  const known = results.get(program);
  if (known !== undefined) return known;
  const made = Object.fromEntries(Object.entries(program.outputs).map(([name, type]) => [name, emptyLike(type)]));
  results.set(program, made);
  return made;
}

/** The feeds that are inputs of the program. */
export const pick = (feeds: Feeds, { inputs }: Program): Feeds =>
  Object.fromEntries(Object.entries(feeds).filter(([name]) => name in inputs));

/** Sum of the first `count` numbers, in float64. */
export function total(numbers: Float32Array, count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += numbers[i] as number;
  return sum;
}

/** Sets all numbers to 0. */
export function clear(arrays: Arrays): void {
  for (const array of Object.values(arrays)) array.fill(0);
}

/** Adds the results of a micro-batch; those of the first one replace the sums. */
export function accumulate(sums: Arrays, more: Arrays, first: boolean): void {
  for (const [name, sum] of Object.entries(sums)) {
    const part = more[name] as Float32Array;
    if (first) sum.set(part);
    else for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (part[i] as number);
  }
}

/**
 * Adds micro-batches in float64. In float32, one example could decide how all later additions are rounded, and so move the
 * sum by more than its bound. A single micro-batch stays as it is.
 */
export function exactSum({ sums, once, wide }: BatchContext): {
  readonly add: () => void;
  readonly finish: () => Pick<BatchSums, 'gradients' | 'exact'>;
} {
  let batches = 0;
  return {
    add: () => {
      batches++;
      for (const [name, sum] of Object.entries(sums)) {
        const part = once[name] as Float32Array;
        if (batches === 1) {
          sum.set(part);
          continue;
        }
        const total = wide.get(name) ?? new Float64Array(sum.length);
        wide.set(name, total);
        if (batches === 2) total.set(sum);
        for (let i = 0; i < total.length; i++) total[i] = (total[i] as number) + (part[i] as number);
      }
    },
    finish: () => {
      if (batches === 0) clear(sums);
      if (batches < 2) return { gradients: sums };
      for (const [name, sum] of Object.entries(sums)) sum.set(wide.get(name) as Float64Array);
      return { gradients: sums, exact: Object.fromEntries(wide) };
    },
  };
}
