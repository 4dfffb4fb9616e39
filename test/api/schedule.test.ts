// The learning-rate schedule of fineTune: it changes what is trained, and a run does not change it half-way.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type FineTuneOptions, fineTune } from '../../src/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const model = await writeTiny(join(root, 'model'), 'bert', { without: /^classifier/ });
const data = join(root, 'texts.csv');
const rows = Array.from({ length: 40 }, (_, i) => `${i % 2 ? 'a b' : 'c d'} ${'e '.repeat(i % 5)},${i % 2}`);
writeFileSync(data, `text,label\n${rows.join('\n')}\n`);
const settings: FineTuneOptions = { model, data, trainable: 'head', epochs: 2, batchSize: 8, holdOut: 0 };

const weightsOf = async (options: FineTuneOptions) => [
  ...((await (await fineTune({ ...settings, ...options })).model.parameters.get('classifier.weight')?.read()) ?? []),
];

/** Stops a run after its first step. */
async function begin(options: FineTuneOptions): Promise<void> {
  const stop = new AbortController();
  const onProgress: FineTuneOptions['onProgress'] = ({ stage }) => stage === 'training' && stop.abort();
  const run = fineTune({ ...settings, ...options, checkpointEvery: 1, signal: stop.signal, onProgress });
  await expect(run).rejects.toThrow();
}

it('decides what is trained', async () => {
  const usual = await weightsOf({});
  expect(await weightsOf({ schedule: 'linear', warmup: 0.05 })).toEqual(usual);
  for (const other of [{ schedule: 'cosine' }, { schedule: 'constant' }, { warmup: 0.5 }] as const) {
    expect(await weightsOf(other)).not.toEqual(usual);
  }
});

it('is recorded, and another one is refused when the run resumes', async () => {
  const folder = join(root, 'cosine');
  const options = { folder, schedule: 'cosine', warmup: 0.2 } as const;
  await begin(options);
  expect(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))).toMatchObject({ schedule: 'cosine', warmup: 0.2 });
  await expect(fineTune({ ...settings, ...options, schedule: 'constant', resume: true })).rejects.toThrow(
    'run.json: the run was started with schedule = "cosine", this one has "constant"',
  );
  await expect(fineTune({ ...settings, folder, schedule: 'cosine', resume: true })).rejects.toThrow(
    'the run was started with warmup = 0.2, this one has its default',
  );
  expect(await weightsOf({ ...options, resume: true })).toEqual(await weightsOf({ schedule: 'cosine', warmup: 0.2 }));
});

it('is absent from a run with the usual one, as in versions that had no other', async () => {
  const folder = join(root, 'usual');
  await begin({ folder });
  const saved = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
  expect(Object.keys(saved)).not.toEqual(expect.arrayContaining(['schedule']));
  expect(Object.keys(saved)).not.toEqual(expect.arrayContaining(['warmup']));
  expect(await weightsOf({ folder, resume: true })).toEqual(await weightsOf({}));
});

it('is checked before anything is written', async () => {
  const folder = join(root, 'never');
  for (const [wrong, message] of [
    [{ schedule: 'stairs' }, 'invalid schedule: expected linear, cosine or constant, got stairs'],
    [{ warmup: 2 }, 'invalid warmup: expected a share from 0 to 1, got 2'],
    [{ warmup: '0.1' }, 'invalid warmup: expected a number, got "0.1"'],
  ] as const) {
    await expect(fineTune({ ...settings, folder, ...(wrong as FineTuneOptions) })).rejects.toThrow(message);
  }
  expect(existsSync(folder)).toBe(false);
});
