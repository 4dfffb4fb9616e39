// From the trials of a study to the rows and texts of the records that they single out.

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { collectResults, runStudy, type Study, type StudyResults } from '../../src/calibration/index.js';
import { openStudyInputs } from '../../src/calibration/study/inputs.js';
import { recordsBeside } from '../../src/calibration/trials/folder.js';
import type { CandidateRanks } from '../../src/calibration/trials/work/ranks.js';
import { areaUnderRoc } from '../../src/metrics/index.js';
import { redactResults } from '../../src/report/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
const folder = join(root, 'out');
let study: Study;
let results: StudyResults;
beforeAll(async () => {
  const plain = await tinyStudy(root);
  study = {
    ...plain,
    data: { ...plain.data, limit: 40 },
    attacks: { membership: {}, mia: { references: 1, recipe: 'usual', epochs: 1 } as never },
    mechanisms: { gaussian: { noise: [20] } },
  };
  expect((await runStudy({ study, folder, jobs: 0 })).failed).toBe(0);
  results = await collectResults(folder);
}, 120_000);

const recordsAt = (attack: string) => results.levels.flatMap(({ leakage }) => leakage[attack]?.records ?? []);

describe('records of a study', () => {
  it('have the rows of the file, although the study split and limited it', () => {
    const lines = readFileSync(join(root, 'texts.csv'), 'utf8').trim().split('\n').slice(1);
    for (const attack of ['membership', 'mia']) {
      expect(recordsAt(attack)).toHaveLength(2);
      for (const { most, members } of recordsAt(attack)) {
        // With two runs of their own members, mia may list more records than one run has.
        expect(most.length).toBeGreaterThanOrEqual(Math.min(20, members));
        for (const { split, row, text } of most) {
          expect(split).toBe('train');
          expect(lines[row - 1]?.split(',')[0]).toBe(text);
        }
        expect(new Set(most.map(({ row }) => row)).size).toBe(most.length);
      }
    }
  });

  it('were trained on, in every run of the study’s own models', async () => {
    const { dataSet, rowOf, train } = await openStudyInputs(study);
    const trained = new Set((dataSet.splits.train ?? []).map((one) => rowOf(one)?.row));
    expect(trained.size).toBe(40);
    for (const { most, runs, members, others, named, repeated } of recordsAt('membership')) {
      expect([runs, members, others]).toEqual([2, train.labels.length, 12]);
      expect(named.values).toEqual([0, 0]);
      expect(repeated).toHaveLength(2);
      for (const one of most) {
        expect(trained.has(one.row)).toBe(true);
        expect(one.runs).toBe(2);
        expect(one.rate).toBeGreaterThanOrEqual(1 / 13);
      }
    }
    for (const { repeated } of recordsAt('mia')) expect(repeated).toBeUndefined();
  });

  it('come from ranks whose AUC is the one that each run recorded', async () => {
    const artefacts = join(folder, 'artefacts');
    const files = readdirSync(artefacts).map((name) => join(artefacts, name, 'ranks.json'));
    const areas = files.filter(existsSync).map((path) => {
      const { members, others } = JSON.parse(readFileSync(path, 'utf8')) as CandidateRanks;
      const negated = (ranks: readonly number[]) => ranks.map((rank) => -rank);
      return areaUnderRoc(negated(members), negated(others));
    });
    const recorded = results.levels.flatMap(({ leakage }) => Object.values(leakage).flatMap(({ main }) => main.values));
    expect(areas).toHaveLength(8);
    expect(areas.sort()).toEqual(recorded.sort());
  });

  it('leave redacted results with counts only', () => {
    const redacted = JSON.stringify(redactResults(results));
    expect(JSON.stringify(results)).toContain('"row":');
    expect(redacted).not.toContain('"row":');
    for (const { most } of recordsAt('membership'))
      for (const { text } of most) expect(redacted).not.toContain(`"${text}"`);
    for (const { leakage } of redactResults(results).levels) {
      expect(leakage.membership?.records).toMatchObject({ members: 40, others: 12, most: [] });
    }
  });

  it('are listed in one file for their owner, without which results have counts only', async () => {
    const path = recordsBeside(join(folder, 'artefacts', 'any'), (await openStudyInputs(study)).data);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    rmSync(path);
    const { levels } = await collectResults(folder);
    expect(levels[0]?.leakage.membership?.records).toMatchObject({ members: 40, most: [] });
  });
});
