// Studies from the library: calibrate and writeReport.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { calibrate, type DataSet, loadDataSet, loadModel, type StudyResults, writeReport } from '../../src/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const [model, data] = [join(root, 'model'), join(root, 'data.csv')];
const study = {
  name: 'tiny',
  training: { epochs: 2, batchSize: 10 },
  mechanisms: { gaussian: { noise: [1] } },
  attacks: { span: { count: 2, maxTokens: 8 } },
  seeds: [1],
};
const folder = join(root, 'out');
let results: StudyResults;
let dataSet: DataSet;

beforeAll(async () => {
  mkdirSync(root, { recursive: true });
  await writeTiny(model, 'bert', { without: /^classifier/ });
  const rows = Array.from(
    { length: 40 },
    (_, i) => `${i % 2 === 0 ? 'a a' : 'b b'} ${'c '.repeat(1 + (i % 5))},${i % 2}`,
  );
  writeFileSync(data, ['text,label', ...rows].join('\n'));
  dataSet = await loadDataSet(data, { textColumn: 'text' });
  results = await calibrate(study, { model: await loadModel(model), data: dataSet, folder, jobs: 0 });
});

describe('calibrate', () => {
  it('runs a study that is written as an object, on loaded model and data', () => {
    expect(results.failures).toEqual([]);
    expect([results.study.name, results.missing]).toEqual(['tiny', 0]);
    expect(results.levels.map(({ leakage }) => leakage.span !== undefined)).toEqual([true, true]);
    expect(results.study.data).toMatchObject({ source: data, textColumn: 'text' });
  });

  it('runs nothing twice, and shows progress', async () => {
    const seen: number[] = [];
    const again = await calibrate(study, {
      model,
      data: dataSet,
      folder,
      jobs: 0,
      onProgress: ({ all, done }) => seen.push(all - done),
    });
    expect(again.levels).toEqual(results.levels);
    expect(seen).toEqual([0]);
  });

  it('rejects with the reason of its signal', async () => {
    const stop = new AbortController();
    const stopped = calibrate(
      { ...study, seeds: [5] },
      {
        model,
        data,
        folder: join(root, 'stopped'),
        jobs: 0,
        signal: stop.signal,
        onProgress: () => stop.abort(new Error('enough')),
      },
    );
    await expect(stopped).rejects.toThrow('enough');
  });

  it.each([
    [study, { model: join(root, 'none'), data }, 'no such folder'],
    [{ ...study, seed: [1] }, {}, 'the study: unknown key seed: did you mean seeds?'],
    ['quikc', {}, 'did you mean quick?'],
    [study, { out: root }, 'unknown option out of calibrate: expected model, data, dataOptions, plan, folder'],
  ])('refuses %j with %j', async (one, options, message) => {
    await expect(calibrate(one as typeof study, options as object)).rejects.toThrow(message);
  });

  it('refuses models and data that other processes could not find', async () => {
    const loaded = await loadModel(model);
    await expect(calibrate(study, { model: { ...loaded } })).rejects.toThrow('save it and give its folder');
    await expect(calibrate(study, { data: { ...dataSet } })).rejects.toThrow('write them to a file');
  });
});

it('repeats the options that its data were loaded with, and takes others in their place', async () => {
  const options = { data: await loadDataSet(data, { classes: ['1', '0'] }), only: ['features'], model, jobs: 0 };
  const { study: own } = await calibrate(study, { ...options, folder: join(root, 'classes') });
  expect(own.data).toMatchObject({ classes: ['1', '0'] });
  const other = { ...options, dataOptions: { classes: ['0', '2'] }, folder: join(root, 'other-classes') };
  await expect(calibrate(study, other)).rejects.toThrow('expected one of the labels 0, 2, got "1"');
  const wrong = { ...options, dataOptions: { textColum: 'text' } as object };
  await expect(calibrate(study, wrong)).rejects.toThrow('unknown option textColum of dataOptions');
});

it('writes the report of a study that ran', async () => {
  const { page, redacted } = await writeReport(results, { folder, redact: true });
  const text = results.levels[0]?.leakage.span?.comparisons[0]?.truth as string;
  expect(readFileSync(page, 'utf8')).toContain(text);
  expect(readFileSync(redacted as string, 'utf8')).not.toContain(text);
});
