// Synthetic results of an attack with a likelihood: certain tokens, failed searches, a genie and a note, at every level.

import type { Leakage, Level, LevelResults, StudyResults } from '../../src/calibration/index.js';
import { type ReliabilityBin, reliabilityBins } from '../../src/metrics/index.js';
import { amountOf, estimate, fall, makeResults, withLevels } from './fixtures.js';

type Genie = NonNullable<Leakage['genie']>;

/** A genie's figures with an interval of the given ends. */
export const genie = (accuracy: number, lower: number, upper: number, of = 80): Genie => ({
  right: accuracy * of,
  of,
  accuracy,
  lower,
  upper,
  chance: 1 / 16,
  texts: of / 4,
});

/** Twelve tokens in three bins; half of those given 0.5 are right, three of four given 0.95, all given 1. */
export const bins: readonly ReliabilityBin[] = reliabilityBins(
  [
    [0.5, 2, 4],
    [0.95, 3, 4],
    [1, 4, 4],
  ].flatMap(([confidence, right, count]) =>
    Array.from({ length: count as number }, (_, k) => ({
      confidence: confidence as number,
      right: k < (right as number),
    })),
  ),
);

export const note = 'The span says nothing about texts that are too long.';

/** At chance from σ = 0.1 and κ = 10⁴ on. */
const usualGenie = (level: Level): Genie => {
  const gain = fall(amountOf(level), -2);
  return gain < 0.01 ? genie(1 / 16, 0.02, 0.14) : genie(1 / 16 + gain * (15 / 16), 0.1, 1);
};

/** The usual results, in which the span attack has a likelihood. */
export function likelyResults(genieAt: (level: Level) => Genie | undefined = usualGenie): StudyResults {
  const results = makeResults();
  const likely = (level: Level, leakage: Leakage): Leakage => {
    const found = genieAt(level);
    return {
      ...leakage,
      measures: { ...leakage.measures, certainTokens: estimate(0.9 * fall(amountOf(level), -3.6), 0.02, 20) },
      priorFloor: 0.01,
      reliability: bins,
      search: { failed: amountOf(level) < -3.5 ? 0 : 3, texts: 20 },
      ...(found && { genie: found }),
      notes: [note],
    };
  };
  const levels = results.levels.map(
    ({ leakage, ...rest }): LevelResults => ({
      ...rest,
      leakage: { ...leakage, span: likely(rest.level, leakage.span as Leakage) },
    }),
  );
  return withLevels(results, levels);
}
