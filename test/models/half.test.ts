// 16-bit floats against numpy and PyTorch, and there and back.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fromBF16, fromF16, toBF16, toF16, widenBF16, widenF16 } from '../../src/models/half.js';

const golden = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'half.json'), 'utf8')) as {
  f32: number[];
  f16: number[];
  bf16: number[];
};
const floats = new Float32Array(Uint32Array.from(golden.f32).buffer);
const isNaN16 = (half: number, exponent: number) => (half & exponent) === exponent && (half & 0x7fff) !== exponent;

describe('16-bit floats', () => {
  it('are rounded as numpy and PyTorch round', () => {
    expect(Array.from(floats, toF16)).toEqual(golden.f16);
    expect(Array.from(floats, toBF16)).toEqual(golden.bf16);
  });

  it('are restored exactly, all 65,536 of them', () => {
    for (let half = 0; half < 0x10000; half++) {
      if (isNaN16(half, 0x7c00)) expect(fromF16(half)).toBeNaN();
      else if (toF16(fromF16(half)) !== half) expect.fail(`F16 ${half}`);
      if (isNaN16(half, 0x7f80)) expect(fromBF16(half)).toBeNaN();
      else if (toBF16(fromBF16(half)) !== half) expect.fail(`BF16 ${half}`);
    }
    expect([toF16(Number.NaN), toBF16(Number.NaN)].map((half) => half & 0x7c00)).toEqual([0x7c00, 0x7c00]);
  });

  it('are widened in bulk to the same numbers', () => {
    const halves = Uint16Array.from({ length: 0x10000 }, (_, half) => half);
    expect(widenF16(halves)).toEqual(Float32Array.from(halves, fromF16));
    expect(widenBF16(halves)).toEqual(Float32Array.from(halves, fromBF16));
  });
});
