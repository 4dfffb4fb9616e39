// Roots of monotone conditions. A condition is false on the left and true on the right, so the answer has a side: bisection
// returns the end where it holds (or the end where it still fails), never a point between.

import { ArgumentError, check, positive } from '../checks/index.js';

export interface BisectOptions {
  /** Which end of the last interval to return: where the condition holds (default) or where it still fails. */
  readonly side?: 'holds' | 'fails';
  /** Stop when the interval is smaller than this times its larger end; by default, when no number is left between the ends. */
  readonly relative?: number;
  readonly absolute?: number;
}

/** The place in [low, high] where the condition begins to hold. It must fail at low and hold at high, which is not checked. */
export function bisect(holds: (x: number) => boolean, low: number, high: number, options: BisectOptions = {}): number {
  check({ high }, `a finite number above ${low}`, (value) => Number.isFinite(value) && value > low);
  const { side = 'holds', relative = 0, absolute = 0 } = options;
  let [left, right] = [low, high];
  while (right - left > absolute && right - left > relative * Math.max(Math.abs(left), Math.abs(right))) {
    const middle = left + (right - left) / 2;
    if (middle <= left || middle >= right) break;
    if (holds(middle)) right = middle;
    else left = middle;
  }
  return side === 'holds' ? right : left;
}

/**
 * The same as `bisect` for a condition that is the sign of a smooth function: it holds where `excess` is at most 0. A secant guesses
 * the root and the next point lies just beyond it, so that the interval closes from both sides: about six evaluations where bisection
 * takes twenty. Where the guesses do not help, it bisects.
 */
export function narrow(
  excess: (x: number) => number,
  low: number,
  high: number,
  { relative }: { readonly relative: number },
): number {
  check({ high }, `a finite number above ${low}`, (value) => Number.isFinite(value) && value > low);
  positive({ relative });
  let [left, right] = [low, high];
  let [above, below] = [excess(low), excess(high)];
  for (let round = 1, width = right - left; ; round++) {
    const tolerance = relative * Math.max(Math.abs(left), Math.abs(right));
    if (right - left <= tolerance) return right;
    // Every third round must have cut the interval to an eighth, as bisection would.
    const isSlow = round % 3 === 0 && right - left > width / 8;
    if (round % 3 === 0) width = right - left;
    const guess = left + (right - left) * (above / (above - below));
    const beyond = guess - left < right - guess ? guess + 0.4 * tolerance : guess - 0.4 * tolerance;
    const isUseful = !isSlow && beyond > left && beyond < right;
    const x = isUseful ? beyond : left + (right - left) / 2;
    if (x <= left || x >= right) return right;
    const value = excess(x);
    if (value <= 0) [right, below] = [x, value];
    else [left, above] = [x, value];
  }
}

/** An interval (low, high] of positive numbers in which the condition begins to hold, by doubling or halving from `start`. */
export function bracket(
  holds: (x: number) => boolean,
  start: number,
  limits: { readonly least: number; readonly most: number },
): { readonly low: number; readonly high: number } {
  const { least, most } = limits;
  positive({ least, start });
  check({ most }, `above ${least}`, (value) => value > least);
  let x = Math.min(Math.max(start, least), most);
  if (holds(x)) {
    while (x > least) {
      const smaller = Math.max(x / 2, least);
      if (!holds(smaller)) return { low: smaller, high: x };
      x = smaller;
    }
    return { low: least / 2, high: least };
  }
  while (x < most) {
    const larger = Math.min(x * 2, most);
    if (holds(larger)) return { low: x, high: larger };
    x = larger;
  }
  throw new ArgumentError(`no value up to ${most} is enough`);
}
