// What a study concludes from its genie: a rule on intervals, and the level from which on it holds.

import { describe, expect, it } from 'vitest';
import { genieVerdict, type Level, pooledReliability } from '../../../src/calibration/index.js';
import { calibrationError } from '../../../src/metrics/index.js';
import { amountOf, gaussian, makeResults } from '../../report/fixtures.js';
import { bins, genie, likelyResults } from '../../report/likely.js';

const conclusionsOf = (genieAt?: Parameters<typeof likelyResults>[0]) =>
  likelyResults(genieAt).conclusions.mechanisms.map((one) => one.genie);

describe('the verdict on a genie', () => {
  it.each([
    ['includes guessing and little more', genie(0.06, 0.02, 0.14), 'at chance'],
    ['includes guessing and much more', genie(0.06, 0, 0.3, 12), 'too few to tell'],
    ['lies above guessing, however little', genie(0.09, 0.063, 0.12, 2000), 'above chance'],
    // A tenth of the way from 1/16 to 1.
    ['ends at the limit', genie(0.1, 0.05, 1 / 16 + 0.1 * (15 / 16) - 1e-9), 'at chance'],
    ['ends above the limit', genie(0.1, 0.05, 1 / 16 + 0.1 * (15 / 16) + 1e-3), 'too few to tell'],
  ])('whose interval %s', (_, found, verdict) => {
    expect(genieVerdict(found)).toBe(verdict);
  });
});

describe('conclusions', () => {
  it('name the level from which on the genie is at chance, and the verdict at every level', () => {
    const [normal, direction] = conclusionsOf();
    expect(normal).toEqual([
      {
        attack: 'span',
        levels: [1e-5, 1e-4, 1e-3, 0.1, 1, 10].map((noise) => ({
          level: gaussian(noise),
          verdict: noise < 0.1 ? 'above chance' : 'at chance',
        })),
        atChanceFrom: gaussian(0.1),
      },
    ]);
    expect(direction?.[0]?.atChanceFrom).toEqual({ mechanism: 'directional', parameter: 1e4 });
  });

  it('need every level with more noise to be at chance too', () => {
    const last = (level: Level) => (level.parameter === 10 ? genie(0.3, 0.2, 0.4) : genie(0.06, 0.02, 0.14));
    expect(conclusionsOf(last)[0]?.[0]).not.toHaveProperty('atChanceFrom');
    const middle = (level: Level) => (level.parameter === 0.1 ? genie(0.06, 0, 0.4) : genie(0.06, 0.02, 0.14));
    expect(conclusionsOf(middle)[0]?.[0]?.atChanceFrom).toEqual(gaussian(1));
  });

  it('leave out levels where no genie was asked, and say nothing if it was asked nowhere', () => {
    const some = conclusionsOf((level) => (amountOf(level) > -0.5 ? genie(0.06, 0.02, 0.14) : undefined));
    expect(some[0]?.[0]?.levels.map(({ level }) => level.parameter)).toEqual([1, 10]);
    expect(conclusionsOf(() => undefined)).toEqual([undefined, undefined]);
    for (const one of makeResults().conclusions.mechanisms) expect(one).not.toHaveProperty('genie');
  });
});

it('tokens of all levels of a mechanism are pooled by confidence', () => {
  const pooled = pooledReliability(likelyResults(), 'span', 'gaussian');
  // Six levels with noise, and the one without.
  expect(pooled?.map(({ answers }) => answers)).toEqual(bins.map(({ answers }) => 7 * answers));
  expect(calibrationError(pooled ?? [])).toBeCloseTo(calibrationError(bins) as number, 12);
  expect(pooledReliability(likelyResults(), 'decepticons', 'gaussian')).toBeUndefined();
});
