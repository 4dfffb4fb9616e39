// A logarithmic axis of cosines, from 1 (no noise) down: halving the cosine is the same step everywhere.

import { typesetNumber, writeCosine } from '../numbers.js';
import { ticksDown } from './log-ticks.js';

export interface CosineAxis {
  readonly name: string;
  readonly type: 'log';
  /** From just above 1 to below the lowest value. */
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  readonly write: (value: number) => string;
  readonly writeTick: (value: number) => string;
}

const highest = 1.12;

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
