// Synthetic results whose membership attack has ROC curves: y = x^a, from far above guessing to guessing itself.

import type { LevelResults, StudyResults } from '../../src/calibration/index.js';
import { thinRoc } from '../../src/metrics/index.js';
import { amountOf, fall, makeResults, withLevels } from './fixtures.js';

const others = 500;

function withRoc(one: LevelResults): LevelResults {
  const { level, leakage, guarantee } = one;
  const power = 1 - 0.6 * fall(amountOf(level), -1, 1);
  const whole = Array.from({ length: others + 1 }, (_, place) => ({
    falsePositiveRate: place / others,
    truePositiveRate: (place / others) ** power,
  }));
  const bound = guarantee &&
    Number.isFinite(guarantee.epsilon) && { epsilon: guarantee.epsilon, delta: guarantee.delta };
  const roc = { points: thinRoc(whole), members: 800, others, ...(bound && { bound }) };
  return { ...one, leakage: { ...leakage, membership: { ...(leakage.membership as (typeof leakage)[string]), roc } } };
}

export function rocResults(results: StudyResults = makeResults()): StudyResults {
  return withLevels(results, results.levels.map(withRoc));
}
