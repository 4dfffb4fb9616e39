// Results that can be passed on: no texts, and nothing that may quote or name them.

import { isPath, type StudyResults } from '../../calibration/index.js';

/**
 * Results that can be passed on: without texts, and without what may quote or name them (class names, folders, error messages) or
 * lets somebody test a guess at a record (the digest of the data, and the names of trials, which are made from it).
 * Figures stay, and so do the study's name, description and settings: keep secrets out of those.
 */
export function redactResults(results: StudyResults): StudyResults {
  const { study, model, data, levels, failures } = results;
  const { digest: _, ...described } = data;
  return {
    ...results,
    study: {
      ...study,
      model: nameOf(study.model),
      data: {
        ...study.data,
        source: nameOf(study.data.source),
        ...(study.data.classes && { classes: withoutNames(study.data.classes) }),
      },
    },
    model: { ...model, name: nameOf(model.name) },
    data: { ...described, name: nameOf(data.name), classes: withoutNames(data.classes) },
    levels: levels.map((level) => ({
      ...level,
      leakage: Object.fromEntries(
        Object.entries(level.leakage).map(([attack, leakage]) => [attack, { ...leakage, comparisons: [] }]),
      ),
    })),
    failures: failures.map(({ what }, index) => ({ trial: `${index + 1}`, what, error: 'left out' })),
  };
}

const withoutNames = (classes: readonly string[]): string[] => classes.map((_, index) => `class ${index + 1}`);

/** Leaves out the folder. */
const nameOf = (source: string): string => (isPath(source) ? (source.split(/[/\\]/).at(-1) ?? source) : source);
