// Does leakage fall as noise grows? Four answers, from the values at each level, no noise first, then rising noise.
//
// Two levels differ when their means do beyond chance (Student, 95 % for all pairs together by Bonferroni) and by .01 or more,
// unless both are at the floor. With `little` = 5 % of the curve's range and .01 at least:
// at the floor: not above it beyond chance (95 %), or by `little` at most;
// flat: no two levels differ, or all means lie within .05;
// erratic: some level lies above an earlier one beyond chance (as before) and by more than `little`, the floor excepted; or
//   levels differ, but none lies above the last;
// bottoms out: neither, and from some level before the last on none lies above the last, or all are at the floor. Above the last
//   is what exceeds it by more than `little`, and either beyond chance (95 %) or by a quarter of the range;
// well behaved: none of these.

import { compareLevels, isBeyondChance, type Measured } from './level-comparison.js';
import type { Verdict } from './results.js';
import { unseenShare } from './shares.js';

export interface LevelValues {
  /** One value per item. */
  readonly values: readonly number[];
  /** The value when there is nothing to find. */
  readonly floor: number;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** Place of the level from which on more noise makes no difference. */
  readonly bottom?: number;
}

/** Measures go from 0 to 1, and nobody chooses noise for less than a hundredth. */
const leastChange = 0.01;
/** A curve that moves by less cannot say how much noise is enough. */
const leastRange = 0.05;

/** With few items a large fall may be within chance; calling it a bottom would claim more than was measured. */
const largeShare = 0.25;

/** Needs at least three levels and two items. */
export function judge(levels: readonly LevelValues[]): Judgement {
  const { means, difference, mean } = compareLevels(levels.map(({ values }) => values));
  const range = Math.max(...means) - Math.min(...means);
  const little = Math.max(leastChange, unseenShare * range);
  const last = levels.length - 1;
  const confidence = 1 - 0.05 / ((levels.length * last) / 2);

  const atFloor = levels.map(({ floor }, level) => {
    const measured = mean(level);
    const excess: Measured = { ...measured, mean: measured.mean - floor };
    return excess.mean <= little || !isBeyondChance(excess);
  });
  const pairs = levels.flatMap((_, later) =>
    levels.slice(0, later).flatMap((_, earlier) => {
      const change = difference(later, earlier);
      return (atFloor[earlier] && atFloor[later]) || !isBeyondChance(change, confidence) ? [] : [{ later, change }];
    }),
  );
  const isAboveLast = (level: number) => {
    const drop = difference(level, last);
    if ((atFloor[level] && atFloor[last]) || drop.mean <= little) return false;
    return isBeyondChance(drop) || drop.mean >= largeShare * range;
  };

  if (range < leastRange || !pairs.some(({ change }) => Math.abs(change.mean) >= leastChange))
    return { verdict: 'flat' };
  if (pairs.some(({ later, change }) => change.mean > little && !atFloor[later])) return { verdict: 'erratic' };
  let bottom = last;
  while (bottom > 0 && !isAboveLast(bottom - 1)) bottom -= 1;
  if (bottom === 0) return { verdict: 'erratic' };
  return bottom < last ? { verdict: 'bottoms out', bottom } : { verdict: 'well behaved' };
}
