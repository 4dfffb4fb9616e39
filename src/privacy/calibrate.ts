// The least noise that keeps a promise. Knows no mechanism: only how to make an accountant and an event from a parameter.

import { ArgumentError, bisect, bracket, check, positive } from '../math/index.js';
import type { Accountant, Guarantee } from './accountant.js';
import { belowOne } from './checks.js';
import type { PrivacyEvent } from './events.js';

export interface Calibration {
  readonly makeAccountant: () => Accountant;
  /** More noise for a larger parameter. */
  readonly eventFor: (parameter: number) => PrivacyEvent;
  readonly target: { readonly epsilon: number; readonly delta: number };
  /** How near to the least parameter, relative to it. */
  readonly tolerance?: number;
  readonly limits?: { readonly least: number; readonly most: number };
  /** Where the search begins: a parameter known to be about right saves evaluations far away, which may be slow. */
  readonly start?: number;
}

export interface Calibrated {
  readonly parameter: number;
  readonly guarantee: Guarantee;
}

/** The guarantee returned is the parameter's own and never exceeds the target. */
export function calibrateNoise(calibration: Calibration): Calibrated {
  const { makeAccountant, eventFor, target, tolerance = 1e-6, start = 1 } = calibration;
  const { limits = { least: 1e-3, most: 1e6 } } = calibration;
  const { epsilon, delta } = target;
  positive({ epsilon, tolerance, start, least: limits.least });
  check(
    { most: limits.most },
    `a finite number above ${limits.least}`,
    (most) => most > limits.least && most < Infinity,
  );
  belowOne({ delta });
  const guaranteeOf = (parameter: number) => makeAccountant().compose(eventFor(parameter)).epsilon(delta);
  const enough = (parameter: number) => guaranteeOf(parameter).epsilon <= epsilon;
  const ends = () => {
    try {
      return bracket(enough, start, limits);
    } catch (error) {
      if (enough(limits.most)) throw error;
      throw new ArgumentError(
        `invalid target epsilon: no parameter up to ${limits.most} is enough for ${epsilon} with the ${makeAccountant().name} accountant`,
      );
    }
  };
  const { low, high } = ends();
  const parameter = high === limits.least ? high : bisect(enough, low, high, { relative: tolerance });
  return { parameter, guarantee: guaranteeOf(parameter) };
}
