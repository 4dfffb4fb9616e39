// The name of a trial holds all that decides its result: a key of a study that changes a result changes names, and no others.

import { beforeAll, describe, expect, it } from 'vitest';
import type { Study } from '../../src/calibration/index.js';
import { openStudyInputs, type StudyInputs } from '../../src/calibration/study/inputs.js';
import { levelsOf } from '../../src/calibration/study/levels.js';
import { expandStudy } from '../../src/calibration/trials/expand.js';
import { taskOf } from '../../src/calibration/trials/trial.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
let inputs: StudyInputs;
beforeAll(async () => {
  inputs = await openStudyInputs(await tinyStudy(root));
});

/** The kinds of trials, by level, whose names differ between the study and a changed one. */
function changedBy(change: (study: Study) => Study): string[] {
  const namesOf = (study: Study) => {
    const own = { ...inputs, study };
    return expandStudy(own, levelsOf(own)).map((trial) => {
      const { level } = trial.settings as { readonly level?: { readonly mechanism: string } };
      return [trial.id, `${taskOf(trial)}${level ? ` ${level.mechanism}` : ''}`] as const;
    });
  };
  const before = new Set(namesOf(inputs.study).map(([id]) => id));
  return [...new Set(namesOf(change(inputs.study)).flatMap(([id, kind]) => (before.has(id) ? [] : [kind])))].sort();
}

const training = (change: Partial<Study['training']>) => (study: Study) => ({
  ...study,
  training: { ...study.training, ...change },
});
const gaussian = (options: object) => (study: Study) =>
  ({ ...study, mechanisms: { ...study.mechanisms, gaussian: { noise: [0.001, 1], ...options } } }) as Study;

describe('the names of trials', () => {
  it('stay as they are if nothing changes', () => {
    expect(changedBy((study) => structuredClone(study))).toEqual([]);
  });

  it.each([
    ['the schedule', training({ schedule: 'cosine' })],
    ['the warm-up', training({ warmup: 0.1 })],
    ['the learning rate', training({ learningRate: 0.01 })],
    ['the clip norm', training({ clipNorm: 2 })],
  ])('of all training runs and attacks on models follow %s', (_, change) => {
    expect(changedBy(change)).toEqual([
      'membership',
      ...['directional', 'gaussian', 'none', 'normalised'].map((name) => `train ${name}`),
    ]);
  });

  it.each([
    ['accountant', 'rdp'],
    ['sampler', 'shuffled'],
  ])('of a mechanism’s training runs follow its %s, and shared gradients do not', (key, value) => {
    expect(changedBy(gaussian({ [key]: value }))).toEqual(['membership', 'train gaussian']);
  });

  it('of training runs and attacks on shared gradients follow the clipping, which is the same for both', () => {
    expect(changedBy(gaussian({ clipping: 'normalise' }))).toEqual(['membership', 'span gaussian', 'train gaussian']);
    const own = { ...inputs, study: gaussian({ clipping: 'normalise' })(inputs.study) };
    const shared = expandStudy(own, levelsOf(own)).flatMap(({ kind, settings }) =>
      kind === 'attack' && settings.sees === 'gradient' && settings.level.mechanism === 'gaussian'
        ? [settings.protection]
        : [],
    );
    expect(shared).toHaveLength(2);
    for (const protection of shared) expect(protection).toMatchObject({ mechanism: 'gaussian', clipping: 'normalise' });
  });

  it('of attacks on shared gradients follow what is shared, and training does not', () => {
    const scoped = changedBy((study) => ({ ...study, sharing: { ...study.sharing, scope: 'tensor' } }));
    expect(scoped).toEqual(['span directional', 'span gaussian', 'span normalised']);
  });
});
