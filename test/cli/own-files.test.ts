// From one file of a stranger to a trained and attacked model: each command takes what the one before it wrote.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadDataSet } from '../../src/data/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { epsilens } from './epsilens.js';
import { inProcess } from './in-process.js';

const root = makeRoot();
const model = join(root, 'model');
beforeAll(() => writeTiny(model, 'bert', { without: /^classifier/ }));

const rows = Array.from({ length: 300 }, (_, i) => [
  `${i % 2 === 0 ? 'a a' : 'b b'}, ${'c '.repeat(i % 5)}${i}`,
  i % 2 === 0 ? 'good' : 'bad',
]);

const sources = [
  ['comma.csv', rows.map(([text, label]) => `"${text}",${label}`), 'text,label', 'utf8', []],
  ['semicolon.csv', rows.map(([text, label]) => `${text};${label}`), 'text;label', 'utf8', []],
  ['tab.csv', rows.map(([text, label]) => `${text}\t${label}`), 'text\tlabel', 'utf8', []],
  [
    'western.csv',
    rows.map(([text, label]) => `${text} \xe9;${label}`),
    'Kommentar;Klasse',
    'latin1',
    ['--encoding', 'windows-1252', '--text-column', 'kommentar', '--label-column', 'Klasse'],
  ],
  [
    'other-keys.jsonl',
    rows.map(([text, label]) => JSON.stringify({ feedback: text, verdict: label })),
    '',
    'utf8',
    ['--text-column', 'feedback', '--label-column', 'verdict'],
  ],
] as const;

describe.each(sources)('%s', (name, lines, header, encoding, columns) => {
  const path = join(root, name);
  const [folder, run] = [join(root, `${name}-split`), join(root, `${name}-run`)];
  const training = ['--model', model, '--epochs', '1', '--max-tokens', '8', '--json'];
  beforeAll(() => writeFileSync(path, [...(header === '' ? [] : [header]), ...lines].join('\n'), encoding));

  it('is split into a folder that train and attack take as it is', async () => {
    const split = await inProcess('data', path, ...columns, '--tokenizer', model, '--split', '80/20', '--out', folder);
    expect([split.status, split.stderr]).toEqual([0, '']);
    expect(split.stdout).toContain('split   train 240, test 60\n');
    const { classes, splits } = await loadDataSet(folder);
    expect([classes, splits.train?.length, splits.test?.length]).toEqual([['bad', 'good'], 240, 60]);

    const trained = await inProcess('train', '--data', folder, '--out', run, ...training);
    expect([trained.status, trained.stderr]).toEqual([0, '']);
    expect(Object.keys(JSON.parse(trained.stdout).scores)).toEqual(['train', 'test']);

    const attack = ['attack', 'membership', '--model', join(run, 'model'), '--data', folder, '--json'];
    const told = await inProcess(...attack);
    expect([told.status, told.stderr]).toEqual([0, '']);
    expect(JSON.parse(told.stdout)).toMatchObject({ members: 240, others: 60 });
  });

  it('is read as it is by data, train, classify and the attacks on gradients', async () => {
    const read = await inProcess('data', path, ...columns, '--tokenizer', model, '--json');
    expect(JSON.parse(read.stdout).parts.train.rowsPerClass).toEqual([150, 150]);
    const whole = await inProcess('train', '--data', path, ...columns, '--out', `${run}-whole`, ...training);
    expect([whole.status, whole.stderr]).toEqual([0, '']);
    const predicted = await inProcess(
      ...['classify', '--model', join(run, 'model'), '--data', path, ...columns, '--json'],
    );
    expect([predicted.status, predicted.stderr]).toEqual([0, '']);
    expect(JSON.parse(predicted.stdout)).toMatchObject({ texts: 300, labelled: 300 });
    const span = ['attack', 'span', '--model', model, '--count', '1', '--max-tokens', '6', '--no-similarity', '--json'];
    const attacked = await inProcess(...span, '--data', path, ...columns);
    expect([attacked.status, attacked.stderr]).toEqual([0, '']);
    expect(JSON.parse(attacked.stdout).sentences).toHaveLength(1);
  });
});

describe('epsilens calibrate', () => {
  it('reads the data of its study by the flags in place of the study’s own keys', async () => {
    const study = join(root, 'study.yaml');
    const [, western, , , columns] = sources[3];
    writeFileSync(join(root, 'other.csv'), ['Kommentar;Klasse', ...western].join('\n'), 'latin1');
    const data = '{source: other.csv, textColumn: nothing, labelColumn: Klasse, encoding: latin1, maxTokens: 8}';
    writeFileSync(study, `name: own\nmodel: model\ndata: ${data}\nattacks: {}\nseeds: [1]\n`);
    const calibrate = ['calibrate', study, '--only', 'features', '--jobs', '1', '--out', join(root, 'study'), '--json'];
    const refused = await inProcess(...calibrate);
    expect(refused.stderr).toContain(
      'no column "nothing", got the columns "Kommentar","Klasse"; set --text-column to one of them\n',
    );
    const read = epsilens(...calibrate, ...columns);
    expect([read.status, read.stderr]).toEqual([0, '']);
    expect(JSON.parse(read.stdout).study.data).toMatchObject({ textColumn: 'kommentar', encoding: 'windows-1252' });
    // The folder of a split replaces the data, and with them the study's columns.
    const folder = join(root, 'study-split');
    const shares = ['--tokenizer', model, '--split', '80/20', '--out', folder];
    expect(await inProcess('data', join(root, 'other.csv'), ...columns, ...shares)).toMatchObject({ status: 0 });
    const split = epsilens(...calibrate, '--data', folder);
    expect(split.status).toBe(0);
    expect(JSON.parse(split.stdout).study.data).toEqual({ source: folder, maxTokens: 8 });
  });
});
