// Learning-rate schedules as data: a warm-up, then one of several ways down, or none.

import { ArgumentError, check, option, positiveInteger, say } from '../checks/index.js';
import type { Schedule } from './optimizers.js';

/** The rate when `left` of `all` steps after the warm-up are left. */
type Fall = (peak: number, left: number, all: number) => number;

const falls = {
  linear: (peak, left, all) => (peak * left) / all,
  cosine: (peak, left, all) => (peak * (1 - Math.cos((Math.PI * left) / all))) / 2,
  constant: (peak) => peak,
} as const satisfies Readonly<Record<string, Fall>>;

/** The name of a learning-rate schedule. */
export type ScheduleName = keyof typeof falls;

/** The names of all learning-rate schedules. */
export const scheduleNames = Object.freeze(Object.keys(falls)) as readonly ScheduleName[];

/** The share of the steps over which the rate rises, unless another is given. */
export const usualWarmup = 0.05;

/**
 * A learning-rate schedule: the rate rises linearly to `peak` over the first steps, a share `warmup` of all (default: a twentieth),
 * then falls to 0 at `steps`, linearly or as half a cosine, or stays constant.
 */
export function scheduleOf(
  kind: ScheduleName,
  peak: number,
  { steps, warmup = usualWarmup }: { readonly steps: number; readonly warmup?: number },
): Schedule {
  if (!Object.hasOwn(falls, kind)) {
    const names = `${scheduleNames.slice(0, -1).join(', ')} or ${scheduleNames.at(-1)}`;
    throw new ArgumentError(say`invalid ${option('schedule')}: expected ${names}, got ${kind}`);
  }
  positiveInteger({ steps });
  check({ warmup }, 'a share from 0 to 1', (share) => share >= 0 && share <= 1);
  // Rounded up; a share such as .05 is not exact in binary, and .05 × 140 steps must be 7, not 8.
  return rampThenFall(peak, { steps, rising: Math.ceil(warmup * steps - 1e-9), fall: falls[kind] });
}

/** Rises linearly to `peak` over `warmup` steps (default: a twentieth of `steps`), then falls linearly to 0 at `steps`. */
export function linearSchedule(
  peak: number,
  { steps, warmup = Math.ceil(steps / 20) }: { readonly steps: number; readonly warmup?: number },
): Schedule {
  return rampThenFall(peak, { steps, rising: warmup, fall: falls.linear });
}

const rampThenFall =
  (peak: number, { steps, rising, fall }: { readonly steps: number; readonly rising: number; readonly fall: Fall }) =>
  (step: number): number =>
    step < rising ? (peak * (step + 1)) / rising : fall(peak, Math.max(0, steps - step), Math.max(1, steps - rising));
