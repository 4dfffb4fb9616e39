// Rank correlation and verdict together, from results as studies have them.

import { describe, expect, it } from 'vitest';
import {
  behavioursOf,
  type LeakageAt,
  behaviourOf as resampledBehaviour,
} from '../../../src/calibration/analysis/behaviour.js';
import type { Leakage, Level, LevelResults } from '../../../src/calibration/analysis/results.js';
import { seededSource, type WordSource } from '../../../src/random/index.js';
import { attacks, mechanisms, staircase, third } from '../../report/fixtures.js';
import { draw } from './curves.js';

const leakage = (values: readonly number[], floor = 0.1): Leakage => ({
  main: { mean: 0, lower: 0, upper: 0, values },
  measures: {},
  floor,
  comparisons: [],
});
const behaviourOf = (source: WordSource, curve: readonly LeakageAt[]) =>
  resampledBehaviour(source, curve, [...mechanisms, third]);
type Told = NonNullable<ReturnType<typeof behaviourOf>>;
const none: Level = { mechanism: 'none' };
const gaussian = [none, ...[1e-4, 1e-3, 1e-2, 1e-1].map((noise) => ({ mechanism: 'gaussian', parameter: noise }))];
const directional = [none, ...[1e6, 1e4, 1e2].map((noise) => ({ mechanism: 'directional', parameter: noise }))];
const curveOf = (levels: readonly Level[], lists: readonly (readonly number[])[]): LeakageAt[] =>
  lists.map((values, place) => ({ level: levels[place] as Level, leakage: leakage(values) }));

describe('behaviour', () => {
  it('correlates leakage with noise', () => {
    const judged = behaviourOf(
      seededSource(1),
      curveOf(gaussian, [
        [1, 1],
        [0.8, 0.9],
        [0.4, 0.6],
        [0.3, 0.2],
      ]),
    );
    expect(judged).toEqual({ verdict: 'well behaved', correlation: { mean: -1, lower: -1, upper: -1, values: [] } });
    // Ties at the top cost correlation, not the verdict.
    const ties = behaviourOf(
      seededSource(1),
      curveOf(gaussian, [
        [1, 1],
        [1, 1],
        [1, 1],
        [0.5, 0.6],
        [0.2, 0.2],
      ]),
    );
    expect(ties?.correlation.mean).toBeCloseTo(-0.8944271909999157, 14);
    expect(ties?.verdict).toBe('well behaved');
    const still = behaviourOf(
      seededSource(1),
      curveOf(directional, [
        [0.4, 0.2],
        [0.4, 0.2],
        [0.4, 0.2],
      ]),
    );
    expect(still).toEqual({ verdict: 'flat', correlation: { mean: 0, lower: 0, upper: 0, values: [] } });
  });

  it('names the level from which on noise changes nothing', () => {
    const judged = behaviourOf(
      seededSource(1),
      curveOf(directional, [
        [0.9, 1],
        [0.4, 0.5],
        [0.1, 0.12],
        [0.12, 0.1],
      ]),
    );
    expect(judged?.bottom).toEqual({ mechanism: 'directional', parameter: 1e4 });
  });

  it('is sure of the order of a clear fall and unsure of none', () => {
    const noise = { items: 20, item: 0.1, chance: 0.1 };
    const clear = draw(seededSource('clear'), [0.9, 0.7, 0.5, 0.3], noise);
    expect(behaviourOf(seededSource(1), curveOf(gaussian, clear))?.correlation).toMatchObject({ mean: -1, upper: -1 });
    const equal = draw(seededSource('equal'), [0.5, 0.5, 0.5, 0.5], noise);
    const { lower, upper } = (behaviourOf(seededSource(1), curveOf(gaussian, equal)) as Told).correlation;
    expect(lower).toBeLessThan(0);
    expect(upper).toBeGreaterThan(0);
  });

  it('resamples levels each by itself where counts differ', () => {
    const judged = behaviourOf(
      seededSource(1),
      curveOf(gaussian, [
        [0.9, 0.8],
        [0.6, 0.5, 0.7],
        [0.2, 0.25, 0.3],
      ]),
    );
    expect(judged).toMatchObject({ verdict: 'well behaved', correlation: { mean: -1, lower: -1, upper: -1 } });
  });

  it('is not judged from two levels or one item, nor from levels out of order', () => {
    expect(
      behaviourOf(
        seededSource(1),
        curveOf(gaussian, [
          [1, 1],
          [0, 0],
        ]),
      ),
    ).toBeUndefined();
    expect(behaviourOf(seededSource(1), curveOf(gaussian, [[1], [0.5], [0]]))).toBeUndefined();
    const lists = [
      [1, 1],
      [0.5, 0.4],
      [0, 0],
    ];
    expect(() => behaviourOf(seededSource(1), curveOf([none, ...gaussian.slice(1).reverse()], lists))).toThrow(
      'invalid levels: expected rising noise',
    );
    expect(() => behaviourOf(seededSource(1), curveOf([none, ...directional.slice(1).reverse()], lists))).toThrow(
      'rising noise',
    );
  });

  it('is judged for every attack and mechanism with enough levels, the same each time', () => {
    const lists = draw(seededSource('all'), [0.95, 0.7, 0.4, 0.2], { items: 12, chance: 0.05 });
    const results = [...gaussian, ...directional.slice(1)].map((level, place): LevelResults => {
      const values = lists[place < 5 ? Math.min(place, 3) : place - 4] as readonly number[];
      return { level, leakage: { span: leakage(values), ...(place < 2 && { membership: leakage(values) }) } };
    });
    const study = { levels: results, attacks, mechanisms };
    const judged = behavioursOf(seededSource(7), study);
    expect(judged.map(({ attack, mechanism, verdict }) => [attack, mechanism, verdict])).toEqual([
      ['span', 'gaussian', 'bottoms out'],
      ['span', 'directional', 'well behaved'],
    ]);
    expect(judged[0]?.bottom).toEqual({ mechanism: 'gaussian', parameter: 1e-2 });
    expect(behavioursOf(seededSource(7), study)).toEqual(judged);
  });

  it('is judged for a mechanism that only the results describe, without changing the others', () => {
    const lists = draw(seededSource('third'), [0.95, 0.7, 0.4, 0.2], { items: 12, chance: 0.05 });
    const at = (level: Level, place: number): LevelResults => ({
      level,
      leakage: { span: leakage(lists[place] as readonly number[]) },
    });
    const two = gaussian.slice(0, 4).map(at);
    const levels = [...two, ...[10, 1, 0.1].map((width, place) => at(staircase(width), place + 1))];
    const judged = behavioursOf(seededSource(7), { levels, attacks, mechanisms: [...mechanisms, third] });
    expect(judged.map(({ mechanism, verdict }) => [mechanism, verdict])).toEqual([
      ['gaussian', 'well behaved'],
      ['staircase', 'well behaved'],
    ]);
    expect(judged[0]).toEqual(behavioursOf(seededSource(7), { levels: two, attacks, mechanisms })[0]);
    const lists3 = [...levels.slice(0, 1), ...levels.slice(4).reverse()].map(({ level }) => level);
    expect(() => behaviourOf(seededSource(1), curveOf(lists3, lists))).toThrow('rising noise');
  });
});
