// Results that can be passed on: no texts, and nothing that may quote or name them.

import { type Leakage, numberedClasses, publicStudy, type StudyResults, sourceName } from '../../calibration/index.js';

/**
 * Results that can be passed on: without texts, and without what may quote or name them (row numbers, class names, folders, error messages) or
 * lets somebody test a guess at a record (the digest of the data, and the names of trials, which are made from it).
 * Figures stay, and so do the study's name, description and settings: keep secrets out of those.
 */
export function redactResults(results: StudyResults): StudyResults {
  const { study, model, data, levels, failures } = results;
  const { digest: _, ...described } = data;
  return {
    ...results,
    study: publicStudy(study),
    model: { ...model, name: sourceName(model.name) },
    data: { ...described, name: sourceName(data.name), classes: numberedClasses(data.classes) },
    levels: levels.map((level) => ({
      ...level,
      leakage: Object.fromEntries(
        Object.entries(level.leakage).map(([attack, leakage]) => [
          attack,
          withoutRecords({ ...leakage, comparisons: [] }),
        ]),
      ),
    })),
    failures: failures.map(({ what }, index) => ({ trial: `${index + 1}`, what, error: 'left out' })),
  };
}

/** How many records would be named stays, which ones does not: a row number tells who, to anybody who has the data. */
const withoutRecords = (leakage: Leakage): Leakage =>
  leakage.records ? { ...leakage, records: { ...leakage.records, most: [] } } : leakage;
