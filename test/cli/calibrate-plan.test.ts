// `epsilens calibrate --plan`: a study of the training that a run or a file describes.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCalibration } from '../../src/api/index.js';
import { studyToYaml } from '../../src/calibration/index.js';
import { tinyStudy } from '../calibration/tiny-study.js';
import { makeRoot } from '../models/tiny-models.js';
import { inProcess } from './in-process.js';

const root = makeRoot();
const [file, out, run] = ['tiny.yaml', 'out', 'run'].map((name) => join(root, name)) as [string, string, string];
const write = (name: string, text: string): string => {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
};
const sizes = 'examples: 480\nbatchSize: 16\nepochs: 2\n';
const good = () => write('plan.yaml', `${sizes}mechanism: gaussian\nnoise: 20\n`);

beforeAll(async () => {
  const { directional: _, ...mechanisms } = (await tinyStudy(root)).mechanisms;
  const study = { ...(await tinyStudy(root)), mechanisms, attacks: { membership: {} }, seeds: [1] };
  writeFileSync(file, studyToYaml(study));
  const [model, data] = [join(root, 'model'), join(root, 'texts.csv')];
  const trained = ['--model', model, '--data', data, '--epochs', '1', '--batch-size', '8', '--out', run];
  const { status, stderr } = await inProcess(
    'train',
    ...trained,
    '--mechanism',
    'directional',
    '--concentration',
    '9',
    '--quiet',
  );
  expect([status, stderr]).toEqual([0, '']);
  // Without processes, which need the built package: the commands below find all trials done.
  await runCalibration(file, { plan: good(), folder: out, jobs: 0 });
}, 60_000);

describe('epsilens calibrate --plan', () => {
  it('prints both sizes and both ε', async () => {
    const { status, stdout, stderr } = await inProcess('calibrate', file, '--plan', good(), '--out', out, '--quiet');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('0 run now');
    expect(stdout).toMatch(/^noise +planned ε +own ε /m);
    const text = stdout.replace(/\s+/g, ' ');
    expect(text).toContain(
      'The training that this study stands for has 480 examples in batches of 16, 2 epochs or 60 steps.',
    );
    expect(text).toContain(
      'were trained on 48 examples, with the same noise and batch size and as many steps, so their own ε is larger',
    );
  });

  it('has them as JSON', async () => {
    const { stdout } = await inProcess('calibrate', file, '--plan', good(), '--out', out, '--json', '--redact');
    const { plan, levels, study } = JSON.parse(stdout);
    expect(study.plan).toEqual({ examples: 480, batchSize: 16, epochs: 2, mechanism: 'gaussian', noise: 20 });
    expect(plan).toMatchObject({
      planned: { examples: 480, steps: 60 },
      attacked: { examples: 48, steps: 60 },
      offered: 48,
    });
    expect(levels.at(-1).level).toEqual({ mechanism: 'gaussian', parameter: 20 });
    expect(levels.at(-1).planned.epsilon).toBeLessThan(levels.at(-1).guarantee.epsilon);
    expect((await inProcess('show', out)).stdout).toContain('planned ε');
  });

  it('is in the help', async () => {
    const { stdout } = await inProcess('calibrate', '--help');
    expect(stdout).toContain('--plan <plan>');
    expect(stdout).toContain('--data reviews.csv --plan run');
  });

  it.each([
    ['a missing file', () => join(root, 'none'), 1, 'none: no such file or folder: expected the folder of a run'],
    ['a folder of something else', () => root, 1, 'expected the folder of a run (with ledger.jsonl)'],
    ['an unknown key', () => write('a.yaml', `${sizes}delt: 1\n`), 2, 'line 4: unknown key delt: did you mean delta?'],
    [
      'fewer examples than a batch',
      () => write('b.yaml', sizes.replace('480', '4')),
      2,
      'invalid batchSize: expected at most the 4 examples of the plan, got 16',
    ],
    [
      'batches larger than the data',
      () => write('c.yaml', sizes.replace('16', '100')),
      2,
      'expected batches of at most the 48 rows that this study trains on, got 100: give more rows with --data',
    ],
    [
      'a mechanism that the study does not have',
      () => run,
      2,
      'invalid plan.mechanism: expected a mechanism of the study (gaussian)',
    ],
  ] as const)('says in one sentence what is wrong with %s', async (_, plan, code, sentence) => {
    const wrong = join(root, 'wrong');
    const { status, stdout, stderr } = await inProcess('calibrate', file, '--plan', plan(), '--out', wrong);
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect([status, stdout, existsSync(wrong)]).toEqual([code, '', false]);
  });

  it('refuses the plan of a run on other data, naming both', async () => {
    const other = write('other.csv', 'text,label\na,yes\nb,no\n');
    const study = write('both.yaml', 'name: both\nmechanisms: {directional: {concentration: [5]}}\n');
    const { status, stderr } = await inProcess(
      'calibrate',
      study,
      '--data',
      other,
      '--plan',
      run,
      '--out',
      join(root, 'x'),
    );
    expect(status).toBe(2);
    expect(stderr).toContain(
      `its run was trained on 60 training rows of ${join(root, 'texts.csv')}, but ${other} has 2 training rows: give the data of the run with --data, or the sizes of the training as a YAML file with --plan`,
    );
  });
});
