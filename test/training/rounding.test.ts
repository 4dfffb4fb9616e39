// Clipping in float32: gradients in which almost everything cancels, and long sums.

import { describe, expect, it } from 'vitest';
import { compile, input } from '../../src/engine/index.js';
import { roundingMargin } from '../../src/mechanisms/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import type { BatchContext } from '../../src/training/batch-context.js';
import { exactSum } from '../../src/training/batch-context.js';
import { clippedSum, type ParameterTerms } from '../../src/training/per-example/index.js';

describe('a weight whose gradient is a small remainder of large terms', () => {
  // As for attention keys: the outputs' gradients add up to zero, so what the inputs share cancels.
  it.each([1, 100, 1000, 3000, 1e4, 1e5])(
    'is still bounded when the shared part is %d times the rest',
    async (shared) => {
      const [tokens, width] = [64, 256]; // so wide that the gradient is not made
      const source = seededSource(`shared ${shared}`);
      const common = fillNormal(source.stream('common'), new Float32Array(width));
      const left = fillNormal(source.stream('left'), new Float32Array(tokens * width)).map(
        (x, i) => x + shared * (common[i % width] as number),
      );
      const right = fillNormal(source.stream('right'), new Float32Array(tokens * width));
      for (let j = 0; j < width; j++) {
        let mean = 0;
        for (let s = 0; s < tokens; s++) mean += (right[s * width + j] as number) / tokens;
        for (let s = 0; s < tokens; s++) right[s * width + j] = (right[s * width + j] as number) - mean;
      }
      const forms: ParameterTerms = {
        name: 'weight',
        parameter: input('weight', [width, width]),
        terms: [{ kind: 'outer', left: input('left', [1, tokens, width]), right: input('right', [1, tokens, width]) }],
      };
      const { sums } = clippedSum([forms], input('weights', [1]), { kind: 'clip', norm: 1 });
      const program = await compile<string>(sums);
      const { weight } = await program.run({ left, right, weights: Float32Array.of(1) });
      await program.close();
      expect(Math.hypot(...(weight as Float32Array))).toBeLessThanOrEqual(1 + roundingMargin);
    },
  );
});

describe('a sum over many micro-batches', () => {
  const sumOf = (numbers: readonly number[]): number => {
    const [sums, once] = [{ x: new Float32Array(1) }, { x: new Float32Array(1) }];
    const sum = exactSum({ sums, once, wide: new Map() } as unknown as BatchContext);
    for (const number of numbers) {
      once.x[0] = number;
      sum.add();
    }
    const { gradients, exact } = sum.finish();
    return exact?.x?.[0] ?? (gradients.x?.[0] as number);
  };

  it('changes by no more than one example when that example leaves', () => {
    // Up to a power of two, then numbers that float32 would round up with the first example and down without it.
    const others = [1, 1023, ...Array.from({ length: 8192 }, () => 2 ** -14 + 2 ** -16)];
    expect(Math.abs(sumOf([1, ...others]) - sumOf([0, ...others]))).toBeLessThanOrEqual(1 + 1e-9);
    expect(sumOf(others)).toBeCloseTo(1024 + 8192 * (2 ** -14 + 2 ** -16), 9);
  });

  it('is unchanged for one micro-batch, and zero for none', () => {
    expect(sumOf([0.25])).toBe(0.25);
    expect(sumOf([])).toBe(0);
  });
});
