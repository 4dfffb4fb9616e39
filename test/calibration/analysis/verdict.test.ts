// Verdicts on curves whose answer is known: exact ones, and many noisy draws with the share that must be right.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/calibration/analysis/verdict.js';
import { seededSource } from '../../../src/random/index.js';
import { draw, type Noise } from './curves.js';

const sentences: Noise = { items: 20, item: 0.1, chance: 0.1 };
const seeds: Noise = { items: 3, item: 0.005, chance: 0.005 };

/** The same at every item. */
const exact = (means: readonly number[], floor = 0.1) => judge(means.map((mean) => ({ values: [mean, mean], floor })));

/** How many of 200 draws are judged so; with the place of the bottom where it matters. */
function count(truth: readonly number[], noise: Noise, floor: number, answer: string, bottom?: number): number {
  const source = seededSource(`${answer} ${truth}`);
  let right = 0;
  for (let round = 0; round < 200; round++) {
    const levels = draw(source.stream(round), truth, noise).map((values) => ({ values, floor }));
    const judged = judge(levels);
    right += Number(judged.verdict === answer && (bottom === undefined || judged.bottom === bottom));
  }
  return right;
}

describe('a verdict without chance', () => {
  it('tells the four apart', () => {
    expect(exact([0.9, 0.7, 0.5, 0.3])).toEqual({ verdict: 'well behaved' });
    expect(exact([0.9, 0.5, 0.2, 0.2])).toEqual({ verdict: 'bottoms out', bottom: 2 });
    expect(exact([0.9, 0.1, 0.1, 0.1])).toEqual({ verdict: 'bottoms out', bottom: 1 });
    expect(exact([0.4, 0.4, 0.4])).toEqual({ verdict: 'flat' });
    expect(exact([0.4, 0.8, 0.3, 0.6])).toEqual({ verdict: 'erratic' });
    expect(exact([0.2, 0.4, 0.6])).toEqual({ verdict: 'erratic' });
  });

  it('takes a plateau at the top for neither bottom nor disorder', () => {
    expect(exact([1, 1, 1, 0.6, 0.2])).toEqual({ verdict: 'well behaved' });
    expect(exact([1, 1, 0.3])).toEqual({ verdict: 'well behaved' });
    expect(exact([1, 1, 1, 0.1, 0.1])).toEqual({ verdict: 'bottoms out', bottom: 3 });
  });

  it('ends at the floor, below which order means nothing', () => {
    // Up to .14 is .1 and a twentieth of the range.
    expect(exact([0.9, 0.13, 0.1, 0.14])).toEqual({ verdict: 'bottoms out', bottom: 1 });
    expect(exact([0.5, 0.45, 0.48, 0.5], 0.5)).toEqual({ verdict: 'flat' });
    // One level at the floor is where the curve ends, not a bottom.
    expect(exact([0.6, 0.55, 0.5], 0.5)).toEqual({ verdict: 'well behaved' });
  });

  it('leaves out changes that nobody would act on', () => {
    expect(exact([0.536, 0.533, 0.53], 0.5)).toEqual({ verdict: 'flat' });
    expect(exact([0.95, 0.97, 0.5, 0.2])).toEqual({ verdict: 'well behaved' });
    expect(exact([0.95, 0.5, 0.22, 0.2])).toEqual({ verdict: 'bottoms out', bottom: 2 });
  });

  it('finds any fall in large steps well behaved, and any such fall with a rise in it erratic', () => {
    const steps = fc.array(fc.double({ min: 0.06, max: 0.2, noNaN: true }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(steps, fc.nat(), (drops, seed) => {
        const means = [1];
        for (const drop of drops) means.push((means.at(-1) as number) - drop);
        expect(exact(means, -1)).toEqual({ verdict: 'well behaved' });
        const place = 1 + (seed % drops.length);
        expect(exact(means.with(place, 1.3), -1)).toEqual({ verdict: 'erratic' });
      }),
    );
  });
});

describe('a verdict under chance', () => {
  // 200 draws each. Answers are wrong in at most 5 % by construction (95 % intervals, all pairs together) and in about 3 %; 190
  // right ones are asked for.
  it.each([
    ['sentences', [0.95, 0.8, 0.65, 0.45, 0.25], sentences, 0.1],
    ['sentences, verbatim at first', [1, 1, 1, 0.6, 0.3], sentences, 0.1],
    ['three levels', [0.9, 0.6, 0.3], sentences, 0.1],
    ['seeds', [0.66, 0.63, 0.6, 0.57, 0.54], seeds, 0.5],
  ] as const)('finds falling curves well behaved: %s', (_, truth, noise, floor) => {
    expect(count(truth, noise, floor, 'well behaved')).toBeGreaterThanOrEqual(190);
  });

  it.each([
    ['sentences', [0.5, 0.5, 0.5, 0.5, 0.5], sentences, 0.1],
    ['at the floor', [0.1, 0.1, 0.1, 0.1], sentences, 0.1],
    ['nine levels', Array<number>(9).fill(0.5), sentences, 0.1],
    ['seeds', [0.53, 0.53, 0.53, 0.53, 0.53], seeds, 0.5],
    ['noisy seeds', [0.53, 0.53, 0.53, 0.53, 0.53], { items: 3, chance: 0.02 }, 0.5],
  ] as const)('finds flat curves flat: %s', (_, truth, noise, floor) => {
    expect(count(truth, noise, floor, 'flat')).toBeGreaterThanOrEqual(190);
  });

  it.each([
    ['sentences', [0.95, 0.6, 0.2, 0.2, 0.2], sentences, 0.1, 2],
    ['seeds', [0.6, 0.5, 0.5, 0.5], seeds, 0.5, 1],
  ] as const)('finds where curves bottom out: %s', (_, truth, noise, floor, bottom) => {
    expect(count(truth, noise, floor, 'bottoms out')).toBeGreaterThanOrEqual(190);
    // Each level of the bottom may stand out by chance in 2.5 %.
    expect(count(truth, noise, floor, 'bottoms out', bottom)).toBeGreaterThanOrEqual(180);
  });

  it.each([
    ['sentences', [0.5, 0.8, 0.3, 0.7, 0.4], sentences, 0.1],
    ['seeds', [0.56, 0.52, 0.6, 0.54], seeds, 0.5],
  ] as const)('finds disorder: %s', (_, truth, noise, floor) => {
    expect(count(truth, noise, floor, 'erratic')).toBeGreaterThanOrEqual(190);
  });

  it('does not call a large fall a bottom because there are few items', () => {
    const levels = [
      [1, 1],
      [0.5, 0.7],
      [0.3, 0.32],
    ].map((values) => ({ values, floor: 0 }));
    expect(judge(levels)).toEqual({ verdict: 'well behaved' });
  });

  it('needs no pairs', () => {
    const source = seededSource('uneven');
    const levels = [0.9, 0.6, 0.3].map((mean, level) => ({
      values: draw(source, [mean], { items: 12 + level, chance: 0.1 })[0] as readonly number[],
      floor: 0.1,
    }));
    expect(judge(levels)).toEqual({ verdict: 'well behaved' });
  });
});
