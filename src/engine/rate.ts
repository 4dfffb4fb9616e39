// Measures how fast this machine multiplies matrices: the yardstick for all other rates.

import { matMul } from './ops/linear.js';
import { type CompileOptions, compile } from './program.js';
import { input } from './value.js';

/** The product of a [rows, inner] matrix with an [inner, columns] matrix. */
export interface ProductSizes {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

/** Billions of floating-point operations per second (median) in a product of two matrices given at every run. */
export async function measureProductRate(
  sizes: ProductSizes,
  seconds = 0.5,
  options: CompileOptions = {},
): Promise<number> {
  const { rows, inner, columns } = sizes;
  const product = matMul(input('a', [rows, inner]), input('b', [inner, columns]));
  const program = await compile({ product }, options);
  try {
    const feeds = { a: new Float32Array(rows * inner).fill(0.5), b: new Float32Array(inner * columns).fill(0.25) };
    const into = { product: new Float32Array(rows * columns) };
    await program.run(feeds, into);
    const times: number[] = [];
    const end = performance.now() + seconds * 1000;
    while (times.length < 3 || performance.now() < end) {
      const start = performance.now();
      await program.run(feeds, into);
      times.push(performance.now() - start);
    }
    const median = times.sort((a, b) => a - b)[times.length >> 1] as number;
    return (2 * rows * inner * columns) / median / 1e6;
  } finally {
    await program.close();
  }
}
