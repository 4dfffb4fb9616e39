// Laplace and normal noise in whole steps of a grid, drawn exactly (Canonne, Kamath, Steinke 2020). Input and noise lie on the
// same grid, so no digit of the sum reveals what was added.

import { check, positive } from '../checks/index.js';
import { discreteGaussian, discreteLaplace, type RandomSource } from '../random/index.js';
import type { Norm } from './clipping.js';
import { gridFor, roundToGrid } from './grid.js';
import { checkVector } from './mechanism.js';

/** Noise is wider than its formula by this share, as room for what rounding adds to the sensitivity. */
export const roundingRoom = 2 ** -20;

/** The clause about rounding in statements. */
export const counted = 'rounded to a grid, which is counted: the noise is 1 + 2^-20 times that of the formula';

/**
 * Rounding moves two inputs apart by at most one grid step per coordinate: count · grid in ℓ₁, √count · grid in ℓ₂. That may take
 * half of the room; the other half is for earlier rounding in float64 (norms, calibration).
 */
export function checkRoom(count: number, room: { grid: number; sensitivity: number; norm: Norm }): void {
  const steps = ((roundingRoom / 2) * room.sensitivity) / room.grid;
  const most = Math.floor(room.norm === 'l1' ? steps : steps * steps);
  check({ 'length of the input': count }, `at most ${most}, or rounding exceeds its room`, (value) => value <= most);
}

const laws = {
  laplace: { draw: discreteLaplace, norm: 'l1' },
  normal: { draw: discreteGaussian, norm: 'l2' },
} as const;

export interface GridNoise {
  /** The scale or standard deviation of the noise that is drawn. */
  readonly width: number;
  readonly add: (source: RandomSource, input: Float64Array) => Float64Array;
}

/** `width` is the scale (Laplace) or the standard deviation (normal) of the formula for this sensitivity (ℓ₁ or ℓ₂). */
export function gridNoise(law: 'laplace' | 'normal', width: number, sensitivity: number): GridNoise {
  positive({ width, sensitivity });
  const { draw, norm } = laws[law];
  const grid = gridFor(width);
  const steps = Math.ceil((width * (1 + roundingRoom)) / grid);
  const exactWidth = { numerator: BigInt(steps), denominator: 1n };
  return {
    width: steps * grid,
    add: (source, input) => {
      checkVector(input);
      checkRoom(input.length, { grid, sensitivity, norm });
      // The result is the exact sum rounded to a double, so it depends on input and noise only through their sum.
      return input.map((number) => roundToGrid(number, grid) + Number(draw(source, exactWidth)) * grid);
    },
  };
}
