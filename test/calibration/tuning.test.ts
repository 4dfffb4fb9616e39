// Tuned settings: which values are tried where, which one is chosen and by which data, and what tuning costs in ε.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { collectResults, runStudy, type Study, type StudyResults } from '../../src/calibration/index.js';
import { openStudyInputs } from '../../src/calibration/study/inputs.js';
import { levelsOf } from '../../src/calibration/study/levels.js';
import {
  bySettings,
  chooseSettings,
  triedSettings,
  tuningLevelOf,
  tuningSeeds,
} from '../../src/calibration/study/tuning.js';
import { expandStudy, tunedLevels } from '../../src/calibration/trials/expand.js';
import { openStore } from '../../src/calibration/trials/store.js';
import { isTuningRun, taskOf } from '../../src/calibration/trials/trial.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
const rates = [1e-4, 3e-2];

describe('the settings that are tried', () => {
  it('are all combinations of the values', () => {
    expect(triedSettings({ learningRate: 0.1, epochs: 3 })).toEqual([{ learningRate: 0.1, epochs: 3 }]);
    expect(triedSettings({ learningRate: { tune: [0.1, 0.2] }, epochs: { tune: [1, 2] } })).toEqual([
      { learningRate: 0.1, epochs: 1 },
      { learningRate: 0.2, epochs: 1 },
      { learningRate: 0.1, epochs: 2 },
      { learningRate: 0.2, epochs: 2 },
    ]);
  });

  it('are tried in the middle of equal runs of levels, and every level takes the choice of the nearest', () => {
    const gaussian = [1e-4, 1e-3, 1e-2, 1e-1, 1, 2, 4, 8].map((parameter) => ({ mechanism: 'gaussian', parameter }));
    const directional = [1e8, 3e6, 1e4].map((parameter) => ({ mechanism: 'directional', parameter }));
    const levels = [{ mechanism: 'none' }, ...gaussian, ...directional];
    const at = (most?: number) => levels.map((level) => tuningLevelOf(level, levels, most).parameter);
    expect(at()).toEqual(levels.map((level) => ('parameter' in level ? level.parameter : undefined)));
    // 0.1 is nearer to 0.01 than to 4, on a logarithmic scale.
    expect(at(2)).toEqual([undefined, 0.01, 0.01, 0.01, 0.01, 4, 4, 4, 4, 1e8, 1e8, 1e4]);
    expect(at(1)).toEqual([undefined, ...gaussian.map(() => 1), ...directional.map(() => 3e6)]);
  });

  it('are chosen by mean accuracy, then by loss', () => {
    const run = (learningRate: number, accuracy: number, loss: number) => ({
      settings: { learningRate, epochs: 1 },
      accuracy,
      loss,
    });
    const choose = (...runs: ReturnType<typeof run>[]) => chooseSettings(bySettings(runs)).learningRate;
    expect(choose(run(1, 0.9, 1), run(2, 0.7, 0), run(1, 0.6, 1), run(2, 0.9, 0))).toBe(2);
    expect(choose(run(1, 0.8, 1), run(2, 0.8, 0.5), run(3, 0.8, 0.7))).toBe(2);
    expect(choose(run(1, 0.8, 0.5), run(2, 0.8, 0.5))).toBe(1);
  });
});

describe('a study that tunes', () => {
  let study: Study;
  let results: StudyResults;
  const folder = join(root, 'out');
  const tuned = (more = '') =>
    tinyStudy(root).then(
      (tiny): Study => ({
        ...tiny,
        training: {
          ...tiny.training,
          learningRate: { tune: rates },
          tuning: { seeds: 1, levels: 1, accounted: more === 'accounted' },
        },
      }),
    );

  beforeAll(async () => {
    study = await tuned();
    await runStudy({ study, folder, jobs: 0 });
    results = await collectResults(folder);
  }, 120_000);

  it('tries every value at the chosen levels with the chosen seeds', async () => {
    const inputs = await openStudyInputs(study);
    const levels = levelsOf(inputs);
    const trials = expandStudy(inputs, levels);
    expect(tuningSeeds(study)).toEqual([1]);
    expect(tunedLevels(study, levels).map(({ mechanism, parameter }) => [mechanism, parameter])).toEqual([
      ['none', undefined],
      ['normalised', undefined],
      ['gaussian', 1],
      ['directional', 10000],
    ]);
    expect(trials.filter(isTuningRun)).toHaveLength(4 * rates.length);
    expect(new Set(trials.map(taskOf))).toEqual(new Set(['features', 'tuning', 'train', 'span', 'membership']));
    // A trial needs only what comes before it.
    for (const [place, { needs }] of trials.entries()) {
      expect(needs.every((id) => trials.slice(0, place).some((one) => one.id === id))).toBe(true);
    }
  });

  it('records all that was tried, and trains with the best', () => {
    expect(results.failures).toEqual([]);
    expect(results.tuning.map(({ level }) => level.mechanism)).toEqual([
      'none',
      'normalised',
      'gaussian',
      'directional',
    ]);
    for (const { tried } of results.tuning) {
      expect(tried.map(({ settings }) => settings.learningRate)).toEqual(rates);
      const best = Math.max(...tried.map(({ accuracy }) => accuracy.mean));
      expect(tried.filter(({ isChosen }) => isChosen)).toHaveLength(1);
      expect(tried.find(({ isChosen }) => isChosen)?.accuracy.mean).toBe(best);
    }
    for (const { level, settings } of results.levels) {
      const { tried } = results.tuning.find(
        (one) => one.level.mechanism === level.mechanism,
      ) as (typeof results.tuning)[0];
      expect(settings).toEqual(tried.find(({ isChosen }) => isChosen)?.settings);
    }
    expect(results.data).toMatchObject({ train: 43, validation: 5, test: 12 });
  });

  it('never scores a tuning run on test data, nor a final one on validation data', () => {
    const store = openStore(join(folder, 'store.db'));
    try {
      const names = new Map<string, Set<string>>();
      for (const id of store.done()) {
        const { measurements } = store.find(id) as NonNullable<ReturnType<typeof store.find>>;
        for (const { name } of measurements) names.set(name, (names.get(name) ?? new Set()).add(id));
      }
      const [tuning, final] = [names.get('validationAccuracy'), names.get('accuracy')] as [Set<string>, Set<string>];
      expect(tuning.size).toBe(4 * rates.length);
      expect(final.size).toBe(5 * 2);
      expect([...tuning].some((id) => final.has(id))).toBe(false);
    } finally {
      store.close();
    }
  });

  it('chooses on examples that are neither trained nor tested on', async () => {
    const { train, validation, test } = await openStudyInputs(study);
    const own = new Set([...train.inputIds, ...test.inputIds].map(String));
    expect(validation?.inputIds).toHaveLength(5);
    expect(validation?.inputIds.filter((ids) => own.has(String(ids)))).toEqual([]);
    const plain = await openStudyInputs(await tinyStudy(root));
    expect([plain.validation, plain.train.inputIds.length]).toEqual([undefined, 48]);
  });

  it('says that tuning is not counted, and counts it where asked', async () => {
    const at = (found: StudyResults, mechanism: string) =>
      found.levels.findLast(({ level }) => level.mechanism === mechanism)?.guarantee;
    const not = at(results, 'gaussian');
    expect(not?.statement.join(' ')).toContain('Not covered: tuning. The 2 runs on the same data that were tried');
    expect(not?.statement.join(' ')).toContain('Not covered: the 5 validation examples');

    const counting = join(root, 'counted');
    await runStudy({ study: await tuned('accounted'), folder: counting, jobs: 0, only: ['train'] });
    const counted = await collectResults(counting);
    const [normal, direction] = [at(counted, 'gaussian'), at(counted, 'directional')];
    expect(normal?.statement.join(' ')).toContain(
      'Counted: this run, with the most epochs that were tried, and the 2 runs on the same data',
    );
    expect(normal?.statement.join(' ')).not.toContain('are not counted');
    expect(normal?.epsilon).toBeGreaterThan(not?.epsilon as number);
    expect(normal?.delta).toBe(not?.delta);
    // Pure ε adds up: three runs of two epochs of disjoint batches, 2κ each.
    expect(direction?.epsilon).toBeCloseTo(3 * 2 * 2 * 10000, 3);
    expect(at(results, 'directional')?.epsilon).toBeCloseTo(2 * 2 * 10000, 3);
  }, 120_000);

  it('counts the most epochs that could have been chosen, because the choice reads the data', async () => {
    const tiny = await tuned('accounted');
    const both: Study = {
      ...tiny,
      training: { ...tiny.training, epochs: { tune: [1, 3] } },
      mechanisms: { directional: { concentration: [1e4] } },
      seeds: [1],
    };
    const other = join(root, 'epochs');
    await runStudy({ study: both, folder: other, jobs: 0, only: ['train'] });
    const { guarantee } = (await collectResults(other)).levels.at(-1) as StudyResults['levels'][0];
    // Two rates with one epoch and two with three were tried; the final run counts with three, whichever was chosen. 2κ per epoch.
    expect(guarantee?.epsilon).toBeCloseTo((2 * 1 + 2 * 3 + 3) * 2 * 1e4, 3);
    expect(guarantee?.statement.join(' ')).toContain('with the most epochs that were tried');
    expect(guarantee?.statement.join(' ')).not.toContain('as in tuning');
  }, 120_000);

  it('refuses options that do not fit a mechanism before anything runs', async () => {
    const wrong: Study = { ...study, mechanisms: { gaussian: { noise: [1], neighbours: 'replace-one' } } };
    await expect(runStudy({ study: wrong, folder: join(root, 'wrong'), jobs: 0 })).rejects.toThrow(
      'invalid mechanisms.gaussian.neighbours: Poisson batches are accounted for add-or-remove-one',
    );
    const right: Study = {
      ...study,
      mechanisms: {
        gaussian: {
          noise: [1],
          neighbours: 'replace-one',
          sampler: 'shuffled',
          accountant: 'rdp',
          clipping: 'normalise',
        },
        directional: { concentration: [1e4], parameterGroups: 'layers' },
      },
    };
    const other = join(root, 'right');
    await runStudy({ study: right, folder: other, jobs: 0, only: ['train'] });
    const { levels } = await collectResults(other);
    const [normal, direction] = levels.slice(-2).map(({ guarantee }) => guarantee);
    // Each begins at what it becomes without noise.
    expect(levels.slice(0, -2).map(({ level }) => [level.mechanism, level.startOf])).toEqual([
      ['none', []],
      ['normalised', ['gaussian']],
      ['normalised-layers', ['directional']],
    ]);
    // With little noise the release has the direction of its own sum, in which each layer has length 1.
    expect(levels.at(-1)?.utility?.cosineToSum?.mean).toBeGreaterThan(0.9);
    expect(normal).toMatchObject({ neighbours: 'replace-one', accountant: 'rdp' });
    // Pooler and classifier have a direction each: 2κ for each, in two epochs.
    expect(direction?.epsilon).toBeCloseTo(2 * 2 * 2 * 10000, 3);
  }, 120_000);
});
