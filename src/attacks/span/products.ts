// Products of the word table with columns, computed on the engine.

import { compile, input, matMul, type Program, reduceSum, square } from '../../engine/index.js';

export interface WordProducts {
  /** Words times each column: one array per column. */
  readonly plain: (columns: readonly Float64Array[]) => Promise<Float32Array[]>;
  /**
   * The words' products with the columns, [vocabulary, columns], times each of `others` (whose length is the number of columns), and
   * the sums of the squares of the products.
   */
  readonly twice: (
    columns: readonly Float64Array[],
    others: readonly Float64Array[],
  ) => Promise<{ crossed: Float32Array[]; squares: Float32Array }>;
  readonly close: () => Promise<void>;
}

/** Numbers of columns are rounded up to a multiple of this, so that few programs are compiled. */
const step = 8;

export function wordProducts(words: Float32Array, hidden: number): WordProducts {
  const vocabulary = words.length / hidden;
  const programs = new Map<string, Promise<Program<'crossed' | 'squares'>>>();
  const run = async (width: number, count: number, columns: Float32Array, others: Float32Array) => {
    const key = `${width} ${count}`;
    const program = programs.get(key) ?? compileProducts(vocabulary, hidden, width, count);
    programs.set(key, program);
    return (await program).run({ words, columns, others });
  };
  const twice: WordProducts['twice'] = async (columns, others) => {
    const [width, count] = [roundUp(columns.length), roundUp(others.length)];
    const result = await run(width, count, stack(columns, hidden, width), stack(others, width, count));
    const crossed = result.crossed as Float32Array;
    return {
      crossed: others.map((_, k) => crossed.subarray(k * vocabulary, (k + 1) * vocabulary)),
      squares: result.squares as Float32Array,
    };
  };
  return {
    twice,
    plain: async (columns) => {
      const ones = columns.map((_, k) => Float64Array.from(columns, (_, j) => (j === k ? 1 : 0)));
      return (await twice(columns, ones)).crossed;
    },
    close: async () => {
      for (const program of programs.values()) await (await program).close();
    },
  };
}

const roundUp = (count: number): number => Math.max(step, Math.ceil(count / step) * step);

/** Vectors one after another, [count, size]; the rest is zero. */
function stack(vectors: readonly Float64Array[], size: number, count: number): Float32Array {
  const all = new Float32Array(count * size);
  for (const [k, vector] of vectors.entries()) all.set(vector, k * size);
  return all;
}

function compileProducts(vocabulary: number, hidden: number, width: number, count: number) {
  const products = matMul(input('words', [vocabulary, hidden]), input('columns', [width, hidden]), {
    transposeB: true,
  }); // [vocabulary, width]
  return compile({
    crossed: matMul(input('others', [count, width]), products, { transposeB: true }), // [count, vocabulary]
    squares: reduceSum(square(products), [1]),
  });
}
