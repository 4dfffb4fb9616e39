// The comparisons of mechanisms that say something.

import type { EqualLeakage, StudyResults } from '../calibration/index.js';
import { leakageCurve, mechanismsOf } from './curves.js';
import { isSeen, leakageFall } from './falls.js';
import { attacks } from './words.js';

/** Leakage of an attack that finds nothing without noise is chance: equal or not, it compares nothing. */
export const comparisonsOf = (results: StudyResults): readonly EqualLeakage[] =>
  results.equalLeakage.filter(({ attack }) =>
    mechanismsOf(results).some((mechanism) =>
      isSeen(leakageFall(leakageCurve(results, attack, mechanism), attacks[attack].reconstructs)),
    ),
  );
