// The control of a study: a model without noise but with dropout, as a level of its own that no curve begins at.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { utilityCurve } from '../../src/calibration/analysis/curves.js';
import { collectResults, runStudy, type Study, type StudyResults, studyFromYaml } from '../../src/calibration/index.js';
import { levelsOf } from '../../src/calibration/study/levels.js';
import { expandStudy } from '../../src/calibration/trials/expand.js';
import { answerOf } from '../../src/report/answer/answer.js';
import { describeResults, renderReport } from '../../src/report/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { estimate } from '../report/fixtures.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
const control = { mechanism: 'none', startOf: [], label: 'no noise, dropout 0.5', dropout: 0.5 } as const;
const name = 'no noise, dropout 0.5';

/** The ids of a study's trials. */
const idsOf = (study: Study) => {
  const inputs = { study, weights: 'w', data: 'd', train: { inputIds: Array(48) }, shared: { numbers: 9 } };
  const levels = levelsOf(inputs as unknown as Parameters<typeof levelsOf>[0]);
  return expandStudy(inputs, levels).map(({ id }) => id);
};

describe('a study with a control', () => {
  let study: Study;
  let results: StudyResults;
  beforeAll(async () => {
    study = await tinyStudy(root, 'control: {dropout: 0.5}');
    await runStudy({ study, folder: join(root, 'out'), jobs: 0 });
    results = await collectResults(join(root, 'out'));
  }, 120_000);

  it('trains it beside the others, with the attacks on its models', () => {
    expect(results.failures).toEqual([]);
    expect(results.levels.map(({ level }) => level)).toContainEqual(control);
    const at = results.levels.find(({ level }) => level.dropout !== undefined);
    const clean = results.levels[0];
    expect(at?.utility?.accuracy.values).toHaveLength(2);
    expect(at?.leakage.membership?.main.values).not.toEqual(clean?.leakage.membership?.main.values);
    expect(Object.keys(at?.leakage ?? {})).toEqual(['membership']);
    expect(clean?.level.dropout).toBeUndefined();
  });

  it('is the clean point of no curve', () => {
    for (const mechanism of ['gaussian', 'directional']) {
      expect(utilityCurve(results, mechanism).clean?.level.dropout).toBeUndefined();
    }
  });

  it('stands in report, terminal and answer', () => {
    expect(describeResults(results)).toContain(name);
    expect(renderReport(results).html).toContain(name);
    expect(answerOf(results).lead[0]).toContain(`The control (${name}) has an accuracy of`);
  });

  it('is judged against the level that did best', () => {
    const accuracyAt = (clean: number, own: number, best: number) =>
      answerOf({
        ...results,
        levels: results.levels.map((one) => {
          const mean = one.level.dropout !== undefined ? own : one.level.mechanism === 'gaussian' ? best : clean;
          return { ...one, utility: { ...(one.utility as NonNullable<typeof one.utility>), accuracy: estimate(mean) } };
        }),
      }).lead[0] ?? '';
    expect(accuracyAt(0.8, 0.85, 0.83)).toContain(
      'the control does at least as well, so regularisation alone explains that',
    );
    expect(accuracyAt(0.8, 0.81, 0.83)).toContain('more than the control, so this dropout does not explain all of it');
    expect(accuracyAt(0.8, 0.85, 0.7)).not.toContain('explain');
  });
});

describe('dropout in a study', () => {
  it('leaves the trials of studies without it as they were, also at 0', async () => {
    const plain = await tinyStudy(root);
    const off = { ...plain, training: { ...plain.training, dropout: 0 } };
    const on = { ...plain, training: { ...plain.training, dropout: 0.1 } };
    const controlled = { ...plain, control: { dropout: 0.1 } };
    expect(idsOf(off)).toEqual(idsOf(plain));
    const shared = idsOf(on).filter((id) => idsOf(plain).includes(id));
    expect(shared.length).toBeLessThan(idsOf(plain).length);
    expect(idsOf(controlled)).toEqual(expect.arrayContaining(idsOf(plain)));
    expect(idsOf(controlled).length).toBeGreaterThan(idsOf(plain).length);
  });

  it('is read from its keys, and refused with a sentence', () => {
    const read = (text: string) => studyFromYaml(`name: one\n${text}`, 'one');
    expect(read('training: {dropout: config}').training.dropout).toBe('config');
    expect(read('control: {dropout: 0.2}').control).toEqual({ dropout: 0.2 });
    expect(() => read('training: {dropout: 1}')).toThrow(
      'invalid training.dropout: expected config or a number >= 0 and below 1, got 1',
    );
    expect(() => read('control: {dropout: 0}')).toThrow(
      'invalid control.dropout: expected config or a number > 0 and below 1, got 0',
    );
  });
});
