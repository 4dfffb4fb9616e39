// The noise axis: noise grows to the right for every mechanism, in powers of ten; no noise has its own place at the left.

import { type AboutMechanism, type Level, noiseAmount } from '../../calibration/index.js';
import { writeNoise } from '../numbers.js';

export interface NoiseAxis {
  readonly place: (level: Level) => number;
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  readonly write: (place: number) => string;
  /** Where the break between no noise and the rest is drawn. */
  readonly split: number;
  readonly label: string;
}

/** The least distance of labels, as a share of the axis. */
const leastSpace = 0.088;

export function noiseAxis(levels: readonly Level[], mechanism: AboutMechanism): NoiseAxis {
  const { symbol, parameter, moreNoise } = mechanism;
  const amount = (level: Level) => noiseAmount([mechanism], level);
  const amounts = levels.map(amount).filter(Number.isFinite);
  const [least, most] = amounts.length > 0 ? [Math.min(...amounts), Math.max(...amounts)] : [0, 0];
  const margin = Math.max((most - least) * 0.06, 0.15);
  const clean = least - Math.max((most - least) * 0.17, 0.5);
  return {
    place: (level) => (Number.isFinite(amount(level)) ? amount(level) : clean),
    domain: [clean - margin, most + margin],
    ticks: ticksOf(amounts, clean, most - clean + 2 * margin),
    write: (place) => (place === clean ? 'none' : writeNoise(10 ** (moreNoise === 'higher' ? place : -place))),
    split: (clean + least) / 2,
    label: `${parameter} ${symbol}, more noise →`,
  };
}

/** Ticks at the levels, from the left, without those that would touch the label before; always with the last one. */
function ticksOf(amounts: readonly number[], clean: number, width: number): number[] {
  const ticks = [clean];
  const inOrder = [...new Set(amounts)].sort((a, b) => a - b);
  const last = inOrder.at(-1);
  for (const place of inOrder) {
    const room = leastSpace * width;
    const fits = place - (ticks.at(-1) as number) >= room;
    if (fits && (place === last || (last ?? place) - place >= room)) ticks.push(place);
  }
  return ticks;
}
