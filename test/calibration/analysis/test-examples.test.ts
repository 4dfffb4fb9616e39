// The choice of the test examples as a source of chance: packed answers, and how often it makes a winner of two equal mechanisms.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noClearWinner, type TestedAt } from '../../../src/calibration/analysis/compare-curves.js';
import { compareAtEqualLeakage } from '../../../src/calibration/analysis/equal-leakage.js';
import type { AboutAttack, Estimate, Level, LevelResults } from '../../../src/calibration/analysis/results.js';
import { packAnswers, shareOfCorrect } from '../../../src/calibration/trials/work/correct-answers.js';
import { seededSource, uniform } from '../../../src/random/index.js';
import { attacks } from '../../report/fixtures.js';

const [span] = attacks as [AboutAttack];
const pair = ['gaussian', 'directional'] as const;
const leakages: readonly (readonly [Level, number])[] = [
  [{ mechanism: 'none' }, 1],
  [{ mechanism: 'gaussian', parameter: 0.01 }, 0.5],
  [{ mechanism: 'gaussian', parameter: 1 }, 0],
  [{ mechanism: 'directional', parameter: 1e6 }, 0.5],
  [{ mechanism: 'directional', parameter: 1e4 }, 0],
];
const estimate = (values: readonly number[]): Estimate => ({ mean: 0, lower: 0, upper: 0, values });

/** Two mechanisms that are right on 90 % of all examples, each on its own ones, whatever the noise and the seed. */
function drawStudy(seed: number, examples: number) {
  const source = seededSource(`examples ${seed}`);
  const answers = Object.fromEntries(
    pair.map((name) => [name, Float64Array.from({ length: examples }, () => (uniform(source) < 0.9 ? 1 : 0))]),
  );
  const testedAt: TestedAt = ({ mechanism }) => answers[mechanism] ?? answers.gaussian;
  const results = leakages.map(([level, leakage]): LevelResults => {
    const shares = testedAt(level) as Float64Array;
    const accuracy = estimate([0, 1, 2].map(() => shares.reduce((sum, one) => sum + one, 0) / examples));
    return {
      level,
      utility: { accuracy, matthews: accuracy, macroF1: accuracy, gap: accuracy },
      leakage: { span: { main: estimate([leakage, leakage]), measures: {}, floor: 0, comparisons: [] } },
    };
  });
  return { results, testedAt };
}

describe('answers on test examples', () => {
  it('are packed and shared without loss', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.boolean(), { minLength: 19, maxLength: 19 }), { minLength: 1 }), (models) => {
        const shares = shareOfCorrect(models.map(packAnswers), 19);
        for (const [place, share] of shares.entries()) {
          const right = models.filter((answers) => answers[place]).length;
          expect(share).toBeCloseTo(right / models.length, 12);
        }
      }),
    );
    expect(packAnswers([])).toBe('');
  });
});

describe('the choice of the test examples', () => {
  it('makes a winner of two equal mechanisms in about one of twenty studies, and in most of them where it is not counted', () => {
    const winners = { counted: 0, not: 0 };
    const studies = 150;
    for (let seed = 0; seed < studies; seed++) {
      const { results, testedAt } = drawStudy(seed, 300);
      const winnerOf = (at?: TestedAt) =>
        compareAtEqualLeakage(seededSource(1), results, span, pair, 'accuracy', at)?.overall.winner;
      if (winnerOf(testedAt) !== noClearWinner) winners.counted++;
      if (winnerOf() !== noClearWinner) winners.not++;
    }
    // With a rate of 5 % more than 18 of 150 have a probability below 3e-4.
    expect(winners.counted).toBeLessThanOrEqual(18);
    expect(winners.not).toBeGreaterThan(studies / 2);
  });

  it('hides no large difference', () => {
    const { results, testedAt } = drawStudy(1, 300);
    const worse = results.map((one) =>
      one.level.mechanism === 'directional'
        ? {
            ...one,
            utility: { ...(one.utility as NonNullable<typeof one.utility>), accuracy: estimate([0.6, 0.6, 0.6]) },
          }
        : one,
    );
    const low = Float64Array.from({ length: 300 }, (_, place) => (place % 5 < 3 ? 1 : 0));
    const at: TestedAt = (level) => (level.mechanism === 'directional' ? low : testedAt(level));
    expect(compareAtEqualLeakage(seededSource(1), worse, span, pair, 'accuracy', at)?.overall.winner).toBe('gaussian');
  });
});
