// Results together with the comparison of mechanisms, where it was made: one for each attack whose leakage both reach.

import type { EqualLeakage, StudyResults } from '../calibration/index.js';
import { leakageCurve, mechanismsOf } from './curves.js';
import { leakageFall } from './falls.js';

export type ComparedResults = StudyResults & { readonly equalLeakage?: readonly EqualLeakage[] };

/** Leakage of an attack that finds nothing without noise is chance: equal or not, it compares nothing. */
export const comparisonsOf = (results: ComparedResults): readonly EqualLeakage[] =>
  (results.equalLeakage ?? []).filter(({ attack }) =>
    mechanismsOf(results).some((mechanism) => leakageFall(leakageCurve(results, attack, mechanism)).kind !== 'nothing'),
  );
