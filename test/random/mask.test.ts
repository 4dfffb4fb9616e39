// Dropout masks against their law. All tests have fixed seeds; each statistic raises a false alarm with probability below 1e-6.

import { describe, expect, it } from 'vitest';
import { maskLaw, seededSource } from '../../src/random/index.js';

const drawBits = (rate: number, rows: number, length: number, seed: number | string = 'mask'): Float32Array => {
  const own = seededSource(seed);
  const into = new Float32Array(rows * length);
  maskLaw(rate).fill({ words: own, extra: own.stream('more') }, into, { start: 0, rows, length, stride: length });
  return into;
};

/** |z| beyond this has probability 1e-7. */
const critical = 5.33;
const zeros = (mask: Float32Array) => mask.reduce((sum, value) => sum + Number(value === 0), 0);

describe.each([0.001, 0.1, 0.3, 0.5, 0.9])('masks of rate %d', (rate) => {
  const law = maskLaw(rate);
  const count = 2 ** 19;
  const mask = drawBits(rate, 1, count);

  it('hold 0 and 1 / (1 − rate), the rate within 2⁻²⁴ of the one asked for', () => {
    expect(Math.abs(law.rate - rate)).toBeLessThan(2 ** -24);
    expect(law.scale).toBe(1 / (1 - law.rate));
    expect(new Set(mask)).toEqual(new Set([0, Math.fround(law.scale)]));
  });

  it('drop each of the eight places of a pattern equally often', () => {
    for (let place = 0; place < 8; place++) {
      const own = mask.filter((_, i) => i % 8 === place);
      const z = (zeros(own) - own.length * rate) / Math.sqrt(own.length * rate * (1 - rate));
      expect(Math.abs(z), `place ${place}`).toBeLessThan(critical);
    }
  });

  it('have independent elements: pairs at distances from 1 to 20 are both dropped with probability rate²', () => {
    const both = rate * rate;
    for (let distance = 1; distance <= 20; distance++) {
      // Pairs that do not overlap, so that their count is binomial.
      let [pairs, hits] = [0, 0];
      for (let i = 0; i + distance < count; i += i % (2 * distance) === distance - 1 ? distance + 1 : 1) {
        pairs++;
        if (mask[i] === 0 && mask[i + distance] === 0) hits++;
      }
      const z = (hits - pairs * both) / Math.sqrt(pairs * both * (1 - both));
      // The count of a rare event has a longer tail than the normal law.
      if (pairs * both > 50) expect(Math.abs(z), `distance ${distance}`).toBeLessThan(critical + 0.7);
    }
  });

  it('give all 256 patterns with their probabilities', () => {
    const counts = new Float64Array(256);
    for (let i = 0; i < count; i += 8) {
      let pattern = 0;
      for (let bit = 0; bit < 8; bit++) if (mask[i + bit] !== 0) pattern |= 1 << bit;
      counts[pattern] = (counts[pattern] as number) + 1;
    }
    let [chi, degrees] = [0, -1];
    let [rareSeen, rareExpected] = [0, 0];
    for (const [pattern, seen] of counts.entries()) {
      const ones = [...pattern.toString(2)].filter((digit) => digit === '1').length;
      const expected = (count / 8) * (1 - rate) ** ones * rate ** (8 - ones);
      if (expected < 10) {
        rareSeen += seen;
        rareExpected += expected;
      } else {
        chi += (seen - expected) ** 2 / expected;
        degrees++;
      }
    }
    if (rareExpected > 0) chi += (rareSeen - rareExpected) ** 2 / Math.max(rareExpected, 1);
    degrees += Number(rareExpected > 0);
    // χ² lies within its mean + 6 standard deviations + 30 with probability above 1 − 1e-7.
    expect(chi).toBeLessThan(degrees + 6 * Math.sqrt(2 * degrees) + 30);
  });
});

it('decides by exactly the words that it draws: thresholds at each of their bits', () => {
  // With these words, the 16 bits are counted through: the share of zeros is then the rate up to the undecided columns.
  const law = maskLaw(0.1);
  let next = 0;
  const words = {
    next: () => 0,
    fill: (all: Uint32Array) => {
      const halves = new Uint16Array(all.buffer, all.byteOffset, 2 * all.length);
      for (let i = 0; i < halves.length; i++) halves[i] = next++;
    },
  };
  let asked = 0;
  const extra = { next: () => asked++ % 2 ** 16, fill: () => {} };
  const into = new Float32Array(8 * 2 ** 16);
  law.fill({ words, extra }, into, { start: 0, rows: 1, length: into.length, stride: into.length });
  expect(asked).toBeLessThanOrEqual(256);
  expect(Math.abs(zeros(into) / into.length - 0.1)).toBeLessThan(2 ** -8);
});

it('fills only the rows asked for, and is the same for any stride', () => {
  const own = () => seededSource(3);
  const law = maskLaw(0.4);
  const [narrow, wide] = [new Float32Array(5 * 11), new Float32Array(5 * 24).fill(7)];
  const fill = (into: Float32Array, start: number, stride: number) =>
    law.fill({ words: own(), extra: own().stream('more') }, into, { start, rows: 4, length: 11, stride });
  fill(narrow, 0, 11);
  fill(wide, 24, 24);
  for (let row = 0; row < 4; row++) {
    expect([...wide.subarray(24 + 24 * row, 24 + 24 * row + 11)]).toEqual([
      ...narrow.subarray(11 * row, 11 * row + 11),
    ]);
  }
  expect([...wide.subarray(0, 24)]).toEqual(Array(24).fill(7));
  expect(wide[24 + 23]).toBe(7);
});

it('drops nothing at rate 0 and refuses rates outside [0, 1)', () => {
  expect(new Set(drawBits(0, 1, 4096))).toEqual(new Set([1]));
  for (const rate of [-0.1, 1, 2, Number.NaN])
    expect(() => maskLaw(rate)).toThrow('invalid rate: expected a number from 0 to 1');
});
