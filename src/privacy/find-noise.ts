// The noise for a target ε by any accountant, including slow ones: a fast accountant finds where to start.

import { ArgumentError } from '../checks/index.js';
import type { AccountantName } from './accountant.js';
import { type AccountantChoice, accountantOf } from './accountants.js';
import { type Calibration, calibrateNoise, usualLimits } from './calibrate.js';
import { writeNumber } from './write-number.js';

/** How close the noise is to the least that is enough, relative to it: far below what any run could notice. */
export const noiseTolerance = 1e-5;

/** A target (ε, δ), the accountant that must confirm it, and the event of a noise level (more noise for a larger number). */
export interface NoiseSearch extends Pick<Calibration, 'eventFor' | 'target'> {
  readonly accountant: AccountantName;
  readonly options?: AccountantChoice;
}

/**
 * Finds the least noise whose ε by this accountant does not exceed the target: at most a relative 1e-5 too much, never too little.
 * Throws if the least noise that it tries, a multiplier of 0.001, is more than the target needs: that would not be the least.
 */
export function findNoise({ accountant, options = {}, eventFor, target }: NoiseSearch): number {
  const makeAccountant = () => accountantOf(accountant, options);
  const start = guess({ eventFor, target }, options);
  const search = { makeAccountant, eventFor, target, ...(start && { start }), tolerance: noiseTolerance };
  const { parameter, guarantee } = calibrateNoise(search);
  if (parameter > usualLimits.least || guarantee.epsilon === target.epsilon) return parameter;
  const most = writeNumber(guarantee.epsilon, 4, 'down');
  throw new ArgumentError(
    `invalid target epsilon: expected at most ${most}, which the least noise multiplier tried, ${parameter}, has with the ${accountant} accountant, got ${target.epsilon}: lower epsilon, or give the noise itself`,
  );
}

/** Rényi bounds take milliseconds and ask for slightly too much noise, so the search starts near its goal. */
function guess(search: Pick<Calibration, 'eventFor' | 'target'>, options: AccountantChoice): number | undefined {
  try {
    return calibrateNoise({ ...search, makeAccountant: () => accountantOf('rdp', options) }).parameter;
  } catch (error) {
    // They have a lower limit that a small target may lie below; the chosen accountant may have none.
    if (error instanceof ArgumentError) return undefined;
    throw error;
  }
}
