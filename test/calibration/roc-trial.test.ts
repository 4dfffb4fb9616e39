// ROC curves of the membership attack on a study's own models, and when their guarantee bounds it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { collectResults, runStudy, type Study } from '../../src/calibration/index.js';
import { openStudyInputs } from '../../src/calibration/study/inputs.js';
import { groupPrivacy } from '../../src/privacy/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
const membershipOnly = async (changes: Partial<Study['training']> = {}): Promise<Study> => {
  const study = await tinyStudy(root);
  return {
    ...study,
    training: { ...study.training, ...changes },
    attacks: { membership: {} },
    mechanisms: { gaussian: { noise: [20] } },
  };
};

async function measure(study: Study, name: string) {
  const folder = join(root, name);
  expect((await runStudy({ study, folder, jobs: 0 })).failed).toBe(0);
  const { levels } = await collectResults(folder);
  const noisy = levels.find(({ level }) => level.parameter === 20);
  return {
    guarantee: noisy?.guarantee,
    roc: noisy?.leakage.membership?.roc,
    clean: levels[0]?.leakage.membership?.roc,
  };
}

it('the study that holds its others out has curves and, where there is noise, twice ε as their bound', async () => {
  const { guarantee, roc, clean } = await measure(await membershipOnly(), 'plain');
  expect(roc).toMatchObject({ members: 48, others: 12 });
  expect([roc?.points[0]?.truePositiveRate, roc?.points.at(-1)?.truePositiveRate]).toEqual([0, 1]);
  expect(roc?.bound).toEqual(groupPrivacy({ epsilon: guarantee?.epsilon ?? -1, delta: guarantee?.delta ?? 1 }, 2));
  expect(clean?.points.length).toBeGreaterThan(2);
  expect(clean).not.toHaveProperty('bound');
}, 60_000);

it('tuning on the same data is not covered, unless ε counts it', async () => {
  const tuned = { learningRate: { tune: [0.001, 0.01] }, tuning: { seeds: 1, levels: 1 } };
  const { roc } = await measure(await membershipOnly(tuned as never), 'tuned');
  expect(roc?.points.length).toBeGreaterThan(2);
  expect(roc).not.toHaveProperty('bound');
}, 60_000);

it('others that were given, or examples with groups, are not taken as drawn alike', async () => {
  const study = await membershipOnly();
  expect((await openStudyInputs(study)).drawnAlike).toBe(true);
  const folder = join(root, 'given');
  mkdirSync(folder);
  const rows = (count: number) => Array.from({ length: count }, (_, i) => `a ${'bcd'[i % 3]},${i % 2},g${i % 9}`);
  for (const part of ['train', 'test']) {
    writeFileSync(join(folder, `${part}.csv`), ['text,label,thread', ...rows(30)].join('\n'));
  }
  const isAlike = async (data: object) =>
    (await openStudyInputs({ ...study, data: { ...study.data, ...data } })).drawnAlike;
  expect(await isAlike({ source: folder })).toBe(false);
  expect(await isAlike({ source: join(folder, 'train.csv') })).toBe(true);
  expect(await isAlike({ source: join(folder, 'train.csv'), groupColumn: 'thread' })).toBe(false);
});
