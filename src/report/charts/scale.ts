// Ranges of the vertical axes, the same for all mechanisms so that charts can be compared by eye.

import { type AboutAttack, type Curve, pointsOf } from '../../calibration/index.js';
import { writePercent, writeScore } from '../numbers.js';

export interface Measure {
  readonly name: string;
  /** What the floor is called. */
  readonly floorName: string;
  readonly domain: readonly [number, number];
  readonly write: (value: number) => string;
  readonly writeTick: (value: number) => string;
}

export const utilityMeasure = (curves: readonly Curve[]): Measure => ({
  name: 'accuracy',
  floorName: 'most frequent class',
  domain: around(curves),
  write: (value) => writePercent(value),
  writeTick: (value) => `${Number((value * 100).toPrecision(3))} %`,
});

/** A closer range than `utilityMeasure`: it leaves out the most frequent class where all values are far above it. */
export function closeUtilityMeasure(curves: readonly Curve[]): Measure {
  const values = curves.flatMap(pointsOf).map(({ value }) => value);
  const [low, high] = [Math.min(...values.map(({ lower }) => lower)), Math.max(...values.map(({ upper }) => upper))];
  const far = curves.every(({ floor }) => low - floor > high - low);
  const near = far ? curves.map((curve) => ({ ...curve, floor: low })) : curves;
  return { ...utilityMeasure(curves), domain: around(near) };
}

export const leakageMeasure = ({ name, range }: AboutAttack['measure'], curves: readonly Curve[]): Measure => ({
  name,
  floorName: 'floor',
  domain: around(curves, range),
  write: writeScore,
  writeTick: (value) => `${Number(value.toPrecision(3))}`,
});

/** A range around all values and floors, and at least a given range, with a margin. */
function around(curves: readonly Curve[], least?: readonly [number, number]): [number, number] {
  const values = [
    ...curves.flatMap(pointsOf).flatMap(({ value: { mean, lower, upper } }) => [mean, lower, upper]),
    ...curves.map(({ floor }) => floor),
    ...(least ?? []),
  ].filter(Number.isFinite);
  if (values.length === 0) return [0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const air = Math.max((high - low) * 0.06, 0.01);
  return [low - air, high + air];
}
