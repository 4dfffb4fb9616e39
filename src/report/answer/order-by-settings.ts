// Whether the order of two mechanisms depends on the settings of training, in words.

import {
  type AboutMechanism,
  type EqualLeakage,
  leastDifference,
  type Pair,
  type StudyResults,
  tuningSeeds,
} from '../../calibration/index.js';
import { writePoints } from '../numbers.js';
import { attackOf, differenceName, list, plural } from '../words.js';
import { settingsName, tunedKeys, tunedName } from './tuning.js';

/** One sentence if, by some attack, the other mechanism is ahead with other settings. */
export function orderSentences(
  results: StudyResults,
  mechanisms: Pair<AboutMechanism>,
  compared: readonly EqualLeakage[],
): string[] {
  const changing = compared.filter(({ bySettings }) => bySettings?.changes);
  if (changing.length === 0) return [];
  const figures = changing.map(({ attack, bySettings }) => {
    const points = (bySettings?.differences ?? []).map(
      ({ settings, difference, interval }) =>
        `${writePoints(difference)} points at ${settingsName(results, settings)}${interval ? ` (${writePoints(interval.lower)} to ${writePoints(interval.upper)})` : ''}`,
    );
    return `by ${attackOf(results, attack).label}, ${list(points)}`;
  });
  const seeds = plural(tuningSeeds(results.study).length, 'seed');
  const hasIntervals = changing.every(({ bySettings }) => bySettings?.differences.every(({ interval }) => interval));
  const intervals = hasIntervals ? '95\u00a0% intervals in brackets' : 'no interval';
  return [
    `With the same ${tunedName(results)} for both, the order of ${list(mechanisms.map(({ label }) => label))} depends on ${tunedKeys(results).length > 1 ? 'them' : 'it'} (${differenceName(mechanisms)}, validation data, ${seeds}, ${intervals}): ${figures.join('; ')}.`,
  ];
}

/** Holds only if each of the settings was compared and puts the mechanism ahead that is ahead on test data. */
export function sameOrderClause(results: StudyResults, won: readonly EqualLeakage[]): string {
  const tried = results.tuning[0]?.tried.length ?? 0;
  const isSame = won.every(({ overall, bySettings }) => {
    const differences = bySettings?.differences ?? [];
    const side = Math.sign(overall.difference);
    return differences.length === tried && differences.every((one) => side * one.difference >= leastDifference);
  });
  return tried > 1 && isSame ? `; on validation data the order is the same at every ${tunedName(results)} tried` : '';
}
