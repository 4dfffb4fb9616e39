// A logarithmic axis of cosines, from 1 (no noise) down: halving the cosine is the same step everywhere.

import { typesetNumber, writeCosine } from '../numbers.js';

export interface CosineAxis {
  readonly name: string;
  readonly type: 'log';
  /** From just above 1 to below the lowest value. */
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  readonly write: (value: number) => string;
  readonly writeTick: (value: number) => string;
}

const [highest, mostTicks] = [1.12, 6];

/** Holds all values; those of 0 or less have no place on it. */
export function cosineAxis(values: readonly number[]): CosineAxis {
  const lowest = Math.min(0.5, ...values.filter((value) => value > 0)) * 0.8;
  return {
    name: 'cosine',
    type: 'log',
    domain: [highest, lowest],
    ticks: ticksDown(lowest),
    write: writeCosine,
    writeTick: (value) => typesetNumber(value, 1),
  };
}

/** 1, 0.5, 0.2, 0.1 and so on, or every power of ten, or every other one, as there is room. */
function ticksDown(lowest: number): number[] {
  const decades = Math.ceil(-Math.log10(lowest));
  const powers = Array.from({ length: decades + 1 }, (_, place) => Number(`1e-${place}`));
  const fine = powers.flatMap((power) => [power, power * 0.5, power * 0.2]).filter((tick) => tick >= lowest);
  if (fine.length <= mostTicks) return fine;
  const coarse = powers.filter((tick) => tick >= lowest);
  const step = Math.ceil(coarse.length / mostTicks);
  return coarse.filter((_, place) => place % step === 0);
}
