// The span of a block's inputs, from the gradients of its projections: G = Xᵀ D, so the inputs X lie in the space of its leading
// singular vectors. Under known noise each vector is weighted by the share of it that is signal (the spiked model: Benaych-Georges &
// Nadakuditi 2012, in the form of Gavish & Donoho 2017).

import { ArgumentError } from '../../checks/index.js';
import { cast, compile, input, matMul, type Program } from '../../engine/index.js';
import { leadingEigen } from '../../math/index.js';
import { normOf } from '../../mechanisms/index.js';
import { isAdapterParameter, type LinearLayout } from '../../models/index.js';
import { fillNormal, seededSource } from '../../random/index.js';
import type { GradientView } from '../view.js';
import { readMaps } from './first-block.js';

/** The space of a block's inputs, as far as a gradient shows it. */
export interface Subspace {
  /** Basis vectors one after another, each as long as the model is wide. */
  readonly basis: Float64Array;
  /** The expected share of signal in each vector, from 0 to 1. */
  readonly weights: Float64Array;
  /** Singular values in falling order. */
  readonly values: Float64Array;
  /** Number of singular values that stand out. */
  readonly rank: number;
}

/** Gradients of these maps as rows as wide as their input, one tensor after another. */
function stackRows(
  { model, gradients, noise }: GradientView,
  maps: readonly LinearLayout[],
): { rows: Float32Array; deviation: 0 | 1 } {
  const { hidden } = model.config;
  const stored = new Map(maps.map(({ weight, transposed }) => [weight, transposed]));
  const all = [...stored].map(([name, transposed]) => {
    const gradient = gradients[name];
    if (gradient === undefined) {
      throw new ArgumentError(`the attack reads the gradient of ${name}, which was not shared`);
    }
    if (gradient.length === 0 || gradient.length % hidden !== 0) {
      throw new ArgumentError(`gradient of ${name}: expected a multiple of ${hidden} numbers, got ${gradient.length}`);
    }
    const bad = gradient.findIndex((number) => !Number.isFinite(number));
    if (bad !== -1)
      throw new ArgumentError(`gradient of ${name}: expected finite numbers, got ${gradient[bad]} at ${bad}`);
    return { name, rows: transposed ? gradient : swapped(gradient, hidden), deviation: noise[name] ?? 0 };
  });
  const tensors = all.filter(({ name, rows }) => !isAdapterParameter(name) || rows.some((number) => number !== 0));
  if (tensors.length === 0) {
    throw new ArgumentError(
      'the gradients of the adapters’ first maps are zero, as they are until the second maps were trained: the span cannot be read, the likelihood attack can',
    );
  }
  // Known noise is scaled to the same size everywhere; otherwise every tensor is scaled to the same length.
  const known = tensors.every(({ deviation }) => deviation > 0);
  const scales = tensors.map(({ rows, deviation }) => (known ? deviation : normOf(rows)));
  if (scales.some((scale) => scale === 0)) throw new ArgumentError('a gradient is zero: there is nothing to attack');
  const joined = new Float32Array(tensors.reduce((sum, { rows }) => sum + rows.length, 0));
  let start = 0;
  for (const [place, { rows }] of tensors.entries()) {
    for (let i = 0; i < rows.length; i++) joined[start + i] = (rows[i] as number) / (scales[place] as number);
    start += rows.length;
  }
  return { rows: joined, deviation: known ? 1 : 0 };
}

const programs = new Map<string, Promise<Program<'gram'>>>();

/** What the gradients of a layer's projections say about its inputs. */
export interface InputGram {
  /** GᵀG of the stacked gradients: [hidden, hidden]. */
  readonly gram: Float64Array;
  /** Rows of G. */
  readonly count: number;
  /** The noise on each number of G: 1 if it is known, because G is then scaled by it; 0 without noise, where each tensor has length 1. */
  readonly deviation: 0 | 1;
}

/** The Gram matrix of the stacked gradients of this layer's projections. */
export const inputGram = (view: GradientView, layer = 0): Promise<InputGram> => gramOf(view, mapsIn(view, layer));

const mapsIn = ({ model, gradients }: GradientView, layer: number) => readMaps(model, layer, Object.keys(gradients));

/** Whether there is anything to read: the gradient of an adapter's first map is zero until its second was trained. */
export const showsInputs = (view: GradientView): boolean =>
  mapsIn(view, 0).some(({ weight }) => view.gradients[weight]?.some((number) => number !== 0));

/** The same for maps that read one and the same input. */
export async function gramOf(view: GradientView, maps: readonly LinearLayout[]): Promise<InputGram> {
  const { hidden } = view.model.config;
  const { rows, deviation } = stackRows(view, maps);
  const count = rows.length / hidden;
  const key = `${count} ${hidden}`;
  const program = programs.get(key) ?? compileGram(count, hidden);
  programs.set(key, program);
  const { gram } = await (await program).run({ rows });
  return { gram: gram as unknown as Float64Array, count, deviation };
}

/** Finds the span of the inputs of this layer. `most` is the largest rank to look for; where the number of tokens is `known`, it is the rank. */
export async function findSubspace(view: GradientView, most: number, known: boolean, layer = 0): Promise<Subspace> {
  const { hidden } = view.model.config;
  const { gram, count, deviation } = await inputGram(view, layer);
  const width = Math.min(hidden, most + 10);
  const { values, vectors } = leadingEigen(gram, {
    size: hidden,
    count: Math.min(hidden, most),
    start: fillNormal(seededSource('subspace'), new Float64Array(width * hidden)),
  });
  const singular = values.map((value) => Math.sqrt(Math.max(0, value)));
  const weights = singular.map((value) => signalShare(value, deviation, count, hidden, singular[0] as number));
  if (deviation === 0 && !known) weights.fill(0, largestGap(singular));
  return { basis: vectors, weights, values: singular, rank: weights.filter((weight) => weight > 0).length };
}

/**
 * The vectors with signal, weighted so that the sum over them of w·(u·x)² estimates how much of x lies in the true span. A vector of
 * which the share c is signal shows only c of what x has along the true one, so it counts 1/c, and less where it is mostly noise.
 * Where none stands out, the first is better than nothing.
 */
export function usable({ basis, weights: shares, values }: Subspace): Pick<Subspace, 'basis' | 'weights'> {
  const count = shares.findLastIndex((share) => share > 0) + 1;
  const size = basis.length / values.length;
  if (count === 0) return { basis: basis.subarray(0, size), weights: Float64Array.of(1) };
  const weights = shares.subarray(0, count).map((c) => c / (c * c + ((1 - c) * count) / size));
  return { basis: basis.subarray(0, size * count), weights };
}

/** How many values come before the largest drop. Without noise, what follows is rounding. */
function largestGap(values: Float64Array): number {
  let [count, largest] = [values.length, 0];
  for (let i = 1; i < values.length; i++) {
    const fall = (values[i - 1] as number) / Math.max(values[i] as number, 1e-12 * (values[0] as number));
    if (fall > largest) [count, largest] = [i, fall];
  }
  // A smaller drop may be part of the text.
  return largest > 10 ? count : values.length;
}

function compileGram(count: number, hidden: number): Promise<Program<'gram'>> {
  const rows = input('rows', [count, hidden]);
  // In float64, because squaring in float32 would hide singular values below 3e-4 of the largest.
  const wide = cast(rows, 'f64');
  return compile({ gram: matMul(wide, wide, { transposeA: true }) });
}

/** Without noise, singular values below this share of the largest are rounding. */
const rounding = 1e-6;

/** Expected cos² between a singular vector and the true one, for a rows × columns matrix with noise of this standard deviation. */
export function signalShare(value: number, deviation: number, rows: number, columns: number, largest: number): number {
  if (deviation === 0) return value > rounding * largest ? 1 : 0;
  const beta = Math.min(rows, columns) / Math.max(rows, columns);
  const y = value / (deviation * Math.sqrt(Math.max(rows, columns)));
  const root = y * y - beta - 1;
  if (y <= 1 + Math.sqrt(beta) || root * root <= 4 * beta) return 0;
  const x2 = (root + Math.sqrt(root * root - 4 * beta)) / 2;
  const small = 1 - (beta * (1 + x2)) / (x2 * (x2 + beta));
  const large = 1 - (beta + x2) / (x2 * (x2 + 1));
  return Math.max(0, columns <= rows ? small : large);
}

/** Transposes [inputs, outputs] to [outputs, inputs]. */
function swapped(matrix: Float32Array, inputs: number): Float32Array {
  const outputs = matrix.length / inputs;
  const result = new Float32Array(matrix.length);
  for (let i = 0; i < inputs; i++)
    for (let j = 0; j < outputs; j++) result[j * inputs + i] = matrix[i * outputs + j] as number;
  return result;
}
