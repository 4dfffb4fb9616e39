// The least noise for a target. It knows no mechanism: only how to make an accountant, and an event from a parameter.

import { ArgumentError, check, positive } from '../checks/index.js';
import { narrow } from '../math/index.js';
import type { Accountant, Guarantee } from './accountant.js';
import { belowOne } from './checks.js';
import type { PrivacyEvent } from './events.js';
import { writeNumber } from './write-number.js';

/** What `calibrateNoise` searches for, and how. */
export interface Calibration {
  /** Makes an empty accountant, such as `pldAccountant`. */
  readonly makeAccountant: () => Accountant;
  /** The event of a parameter; a larger parameter must mean more noise. */
  readonly eventFor: (parameter: number) => PrivacyEvent;
  /** ε above 0, and δ at least 0 and below 1. */
  readonly target: { readonly epsilon: number; readonly delta: number };
  /** How close the result is to the least parameter, relative to it. Default: 1e-6. */
  readonly tolerance?: number;
  /** The range of the parameter. Default: 1e-3 to 1e6. */
  readonly limits?: { readonly least: number; readonly most: number };
  /** Where the search begins. Default: 1. A parameter known to be about right saves evaluations far away, which may be slow. */
  readonly start?: number;
}

/** The range of noise that is searched unless another one is given: beyond it an ε means nothing, or nothing is learnt. */
export const usualLimits = { least: 1e-3, most: 1e6 } as const;

/** The parameter found, and its guarantee. */
export interface Calibrated {
  readonly parameter: number;
  /** The parameter's own guarantee, which never exceeds the target. */
  readonly guarantee: Guarantee;
}

/** Finds the least parameter, up to the tolerance, that meets the target. Throws if none within the limits does. */
export function calibrateNoise(calibration: Calibration): Calibrated {
  const { makeAccountant, eventFor, target, tolerance = 1e-6, start = 1 } = calibration;
  const { limits = usualLimits } = calibration;
  const { epsilon, delta } = target;
  positive({ epsilon, tolerance, start, least: limits.least });
  check(
    { most: limits.most },
    `a finite number above ${limits.least}`,
    (most) => most > limits.least && most < Infinity,
  );
  belowOne({ delta });
  // Accounting may be slow, and the ends of the interval are asked for again.
  const known = new Map<number, Guarantee>();
  const guaranteeOf = (parameter: number): Guarantee => {
    const guarantee = known.get(parameter) ?? makeAccountant().compose(eventFor(parameter)).epsilon(delta);
    known.set(parameter, guarantee);
    return guarantee;
  };
  const enough = (parameter: number) => guaranteeOf(parameter).epsilon <= epsilon;
  /** Nearly a straight line, and at most 0 exactly where there is enough noise: the logarithm alone may round to 0. */
  const excess = (parameter: number) => {
    const logarithm = Math.log(guaranteeOf(parameter).epsilon / epsilon);
    return enough(parameter) ? Math.min(logarithm, 0) : Math.max(logarithm, Number.MIN_VALUE);
  };
  const ends = bracketFrom(enough, start, limits);
  if (ends === undefined) {
    const least = writeNumber(guaranteeOf(limits.most).epsilon, 4, 'up');
    throw new ArgumentError(
      `invalid target epsilon: no parameter up to ${limits.most} is enough for ${epsilon} with the ${makeAccountant().name} accountant, which then gives ${least} at delta ${delta}: raise epsilon or delta${makeAccountant().name === 'pld' ? '' : ', or use the pld accountant'}`,
    );
  }
  const { low, high } = ends;
  const parameter = low === high ? high : narrow(excess, low, high, { relative: tolerance });
  return { parameter, guarantee: guaranteeOf(parameter) };
}

/** A start that is about right, such as the noise by another accountant, is within a few tenths. */
const firstFactor = 1.2;

/**
 * An interval, its ends at most a factor of two apart, in which the condition begins to hold: a single point where it holds within
 * all of the limits, undefined if it holds nowhere. Steps away from the start grow, so a start far off costs little.
 */
function bracketFrom(
  enough: (parameter: number) => boolean,
  start: number,
  limits: NonNullable<Calibration['limits']>,
) {
  const within = (parameter: number) => Math.min(Math.max(parameter, limits.least), limits.most);
  let at = within(start);
  const tooLittle = !enough(at);
  for (let factor = firstFactor; ; factor *= factor) {
    const next = within(tooLittle ? at * factor : at / factor);
    if (next === at) return tooLittle ? undefined : { low: at, high: at };
    if (enough(next) === tooLittle) return tooLittle ? halve(enough, at, next) : halve(enough, next, at);
    at = next;
  }
}

function halve(enough: (parameter: number) => boolean, from: number, to: number) {
  let [low, high] = [from, to];
  while (high > 2 * low) {
    const middle = Math.sqrt(low) * Math.sqrt(high);
    if (enough(middle)) high = middle;
    else low = middle;
  }
  return { low, high };
}
