// Reads the two tables of a shared gradient: one product of all words with all places, on the engine. In float64, because without
// noise the likelihood divides differences of these products by the square of a rounding error.

import { ArgumentError } from '../../checks/index.js';
import { cast, compile, input, matMul, type Program, reduceSum, square } from '../../engine/index.js';
import { multiplyRows } from '../../math/index.js';
import { normOf } from '../../mechanisms/index.js';
import type { AttackedModel } from '../model.js';
import type { GradientView } from '../view.js';
import type { TableProducts } from './tables.js';

/** Rounding of float32 gradients, relative to the length of the tensor: the noise of a gradient that has none. */
export const rounding = 1e-7;

/** The tables of an embedding whose gradients repeat each other. */
export const tableNames = ({ layout: { embeddings } }: Pick<AttackedModel, 'layout'>): readonly string[] => [
  embeddings.words.weight,
  embeddings.positions.weight,
];

/** Numbers of places are rounded up to a multiple of this, so that few programs are compiled. */
const step = 8;

const programs = new Map<string, Promise<Program<'crossed' | 'squares'>>>();

/** The products of the rows of the first `places` positions with every word of the tokenizer. */
export async function tableProducts(view: GradientView, places: number): Promise<TableProducts> {
  const { hidden, vocabulary } = view.model.config;
  const [wordName, placeName] = tableNames(view.model) as [string, string];
  const count = Math.min(vocabulary, view.model.tokenizer.size);
  const words = rowsOf(view, wordName, count);
  const { first } = view.model.layout.embeddings.positions;
  const rows = rowsOf(view, placeName, places, first);
  const padded = new Float32Array(Math.ceil(places / step) * step * hidden);
  padded.set(rows);
  const key = `${count} ${padded.length} ${hidden}`;
  const program = programs.get(key) ?? compileProducts(count, padded.length / hidden, hidden);
  programs.set(key, program);
  const result = await (await program).run({ words, places: padded });
  const crossed = result.crossed as unknown as Float64Array;
  const wide = Float64Array.from(rows);
  return {
    hidden,
    crossed: Array.from({ length: places }, (_, p) => crossed.subarray(p * count, (p + 1) * count)),
    squares: result.squares as unknown as Float64Array,
    gram: multiplyRows(wide, wide, hidden),
    deviations: { words: deviationOf(view, wordName, words), places: deviationOf(view, placeName, rows) },
  };
}

/** The deviation of noise and rounding together. */
function deviationOf({ noise }: GradientView, name: string, rows: Float32Array): number {
  const deviation = Math.hypot(noise[name] ?? 0, rounding * normOf(rows));
  if (deviation > 0) return deviation;
  throw new ArgumentError(`the gradient of ${name} is zero: there is nothing to attack`);
}

function rowsOf({ model, gradients }: GradientView, name: string, count: number, first = 0): Float32Array {
  const gradient = gradients[name];
  if (gradient === undefined) throw new ArgumentError(`the gradient of ${name} was not shared`);
  const { hidden } = model.config;
  const size = (model.parameters.get(name)?.shape ?? []).reduce((product, one) => product * one, 1);
  if (gradient.length !== size) {
    throw new ArgumentError(`gradient of ${name}: expected ${size} numbers, got ${gradient.length}`);
  }
  const rows = gradient.subarray(first * hidden, (first + count) * hidden);
  const bad = rows.findIndex((number) => !Number.isFinite(number));
  if (bad !== -1) throw new ArgumentError(`gradient of ${name}: expected finite numbers, got ${rows[bad]} at ${bad}`);
  return rows;
}

function compileProducts(vocabulary: number, places: number, hidden: number) {
  const words = cast(input('words', [vocabulary, hidden]), 'f64');
  const rows = cast(input('places', [places, hidden]), 'f64');
  return compile({
    crossed: matMul(rows, words, { transposeB: true }), // [places, vocabulary]
    squares: reduceSum(square(words), [1]),
  });
}
