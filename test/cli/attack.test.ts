// `epsilens attack` as a person uses it.

import { existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openClient, spanParameters } from '../../src/attacks/index.js';
import { loadModel, writeSafetensors } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { epsilens } from './epsilens.js';
import { inProcess } from './in-process.js';

const root = makeRoot();
const [model, data] = [join(root, 'model'), join(root, 'data')];
beforeAll(async () => {
  await writeTiny(model, 'bert');
  mkdirSync(data);
  const rows = (count: number, first: number) =>
    Array.from(
      { length: count },
      (_, i) => `${'abcdefgh'[(i + first) % 8]} x ${'mnop'[i % 4]}\t${i % 2 === 0 ? 'good' : 'bad'}`,
    );
  writeFileSync(join(data, 'train.tsv'), ['sentence\tlabel', ...rows(30, 0)].join('\n'));
  writeFileSync(join(data, 'dev.tsv'), ['sentence\tlabel', ...rows(20, 3)].join('\n'));
});

describe('epsilens attack span', () => {
  const base = ['attack', 'span', '--model', model, '--no-similarity'];

  it('recovers a sentence and says how much', async () => {
    const { status, stdout, stderr } = await inProcess(...base, '--text', 'a b c d');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('truth      a b c d');
    expect(stdout).toContain('recovered  a b c d');
    expect(stdout).toContain('4 of 4 tokens in place');
    expect(stdout).toMatch(/lcsRatio +1\.000 +one text: none/);
    expect(stdout).toMatch(/true gradient: 1\.000; over the tensors read: 1\.000/);
  });

  it('gives the same results from several processes', async () => {
    const sample = [
      ...base,
      '--data',
      data,
      '--count',
      '4',
      '--batch-size',
      '2',
      '--mechanism',
      'directional',
      '--concentration',
      '5000',
    ];
    const found = (...more: string[]) => {
      const { status, stdout, stderr } = epsilens(...sample, '--json', ...more);
      expect([status, stderr]).toEqual([0, '']);
      return JSON.parse(stdout, (key, value) => (key === 'seconds' ? 0 : value));
    };
    expect(found('--jobs', '2')).toEqual(found());
    const wrong = await inProcess(...base, '--data', data, '--count', '4', '--jobs', '2', '--mechanism', 'gaussian');
    expect([wrong.status, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('--mechanism gaussian needs --noise');
  });

  it('attacks a sample, keeps results and resumes from them', async () => {
    const out = join(root, 'span');
    const command = [
      ...base,
      '--data',
      data,
      '--count',
      '3',
      '--mechanism',
      'directional',
      '--concentration',
      '500',
      '--out',
      out,
      '--json',
    ];
    const run = await inProcess(...command);
    expect([run.status, run.stderr]).toEqual([0, '']);
    const first = JSON.parse(run.stdout);
    expect(first.sentences.length).toBe(3);
    expect(first.finished).toBe(true);
    expect(first.floor).toMatchObject({ of: 'another batch', mean: expect.any(Number) });
    expect(first.batches[0].cosine.all).toBeLessThan(1);
    const kept = join(out, 'batches.jsonl');
    truncateSync(kept, readFileSync(kept, 'utf8').length - 20); // as a crash leaves it
    for (const _ of ['resumes', 'has nothing left to do'])
      expect(JSON.parse((await inProcess(...command)).stdout).sentences).toEqual(first.sentences);
    expect(existsSync(join(out, 'report.json'))).toBe(true);
    expect((await inProcess(...command, '--seed', '9')).stderr).toContain('holds results of other settings');
  });

  it('attacks batches, and scores each sentence with the recovered one that belongs to it', async () => {
    const out = join(root, 'batches');
    const command = [...base, '--data', data, '--count', '4', '--batch-size', '2', '--out', out, '--json'];
    const run = await inProcess(...command);
    expect([run.status, run.stderr]).toEqual([0, '']);
    const { sentences, summary, shared } = JSON.parse(run.stdout);
    expect(sentences.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3]);
    expect([shared.tensors, shared.read.length]).toEqual([6, 6]);
    expect(summary.lcsRatio.mean).toBe(1);
    const kept = join(out, 'batches.jsonl');
    truncateSync(kept, readFileSync(kept, 'utf8').indexOf('\n') + 1); // one batch of two
    expect(JSON.parse((await inProcess(...command)).stdout).sentences).toEqual(sentences);
    expect(readFileSync(kept, 'utf8').trim().split('\n').length).toBe(2);
    expect((await inProcess(...base, '--data', data, '--batch-size', '2', '--unknown-lengths')).stderr).toContain(
      'needs the lengths',
    );
  });

  it('refuses a prior of another vocabulary', async () => {
    expect((await inProcess(...base, '--text', 'a b', '--prior', 'bundled:gpt2-mini')).stderr).toContain(
      'has another vocabulary',
    );
  });

  it('attacks gradients from a file', async () => {
    const loaded = await loadModel(model, { numLabels: 2 });
    const rows = [[...loaded.tokenizer.encode('m n o', { maxTokens: 9 })]];
    const client = await openClient({
      model: loaded,
      data: { inputIds: rows, labels: [1] },
      shared: spanParameters({ model: loaded }),
    });
    const { view } = await client.share([0], { mechanism: 'none' }, seededSource(1));
    await client.close();
    const file = join(root, 'gradients.safetensors');
    const tensors = Object.entries(view.gradients).map(([name, numbers]) => {
      const shape = loaded.parameters.get(name)?.shape ?? [];
      return [`bert.${name}`, { shape, data: numbers }] as const;
    });
    await writeSafetensors(file, Object.fromEntries(tensors));
    const { status, stdout, stderr } = await inProcess('attack', 'span', '--model', model, '--gradients', file);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('[CLS] m n o [SEP]');
    const wrong = join(root, 'wrong.safetensors');
    await writeSafetensors(wrong, { other: { shape: [2], data: Float32Array.of(1, 2) } });
    expect((await inProcess('attack', 'span', '--model', model, '--gradients', wrong)).stderr).toContain(
      'expected the gradient of',
    );
  });

  it('refuses what does not fit, in one sentence', async () => {
    for (const [args, message] of [
      [[], 'expected one of --text, --data and --gradients'],
      [['--text', ' '], 'text 1: expected letters or digits to recover, got none'],
      [['--text', 'a', '--concentration', '3'], '--concentration is for --mechanism directional, got --mechanism none'],
      [['--text', 'a', '--mechanism', 'gaussian'], '--mechanism gaussian needs --noise'],
      [
        ['--text', 'a', '--mechanism', 'magic'],
        'expected none, normalised, gaussian, gaussian-normalised, directional, cosine, got magic',
      ],
      [['--data', data, '--split', 'nowhere'], '--split: expected one of train, validation, got'],
    ] as const) {
      const { status, stdout, stderr } = await inProcess(...base, ...args);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain(message);
      expect(stderr.trim().split('\n').length).toBe(1);
    }
  });
});

describe('epsilens attack likelihood', () => {
  const base = [
    'attack',
    'likelihood',
    '--model',
    model,
    '--no-similarity',
    '--refinement',
    'quick',
    '--text',
    'a b c d',
  ];

  it('asks a genie if told to, and prints what is certain and whether the search failed', async () => {
    const { status, stdout, stderr } = await inProcess(...base, '--genie', '3');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('With certainty (confidence of 0.9 or more, and right): 1.000 of the tokens.');
    expect(stdout).toContain('The search failed in none of 1 text:');
    expect(stdout).toContain('chose the true one at 3 of 3 places');
    const { genie, sentences } = JSON.parse((await inProcess(...base, '--genie', '0', '--json')).stdout);
    expect(genie).toBeUndefined();
    expect(sentences[0]).toMatchObject({ limit: { searchFailed: false }, confidence: expect.any(Array) });
    expect(sentences[0].limit.truth).toEqual(sentences[0].limit.answer);
  });

  it('has no genie for other attacks or for files', async () => {
    const other = await inProcess('attack', 'span', '--model', model, '--text', 'a b', '--genie', '3');
    expect([other.status, other.stdout]).toEqual([2, '']);
    expect(other.stderr).toContain("unknown option '--genie'");
    const file = await inProcess('attack', 'likelihood', '--gradients', 'some.safetensors', '--genie', '3');
    expect(file.stderr).toContain('--genie has no effect with --gradients');
  });
});

describe('epsilens attack membership', () => {
  const membership = ['attack', 'membership', '--model', model];

  it('reports figures with intervals, what chance gives, what cannot be measured, and a verdict', async () => {
    const { status, stdout, stderr } = await inProcess(...membership, '--data', data, '--others', 'validation');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('30 members, 20 others (the split validation)');
    expect(stdout).toMatch(/AUC +0\.\d{3} {3}0\.\d{3} to 0\.\d{3}/);
    expect(stdout).toMatch(/TPR at 1 % FPR +not measurable with 20 non-members: 100 are needed/);
    expect(stdout).toContain('Warning: The others are the split validation');
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^ {2}/);
  });

  it('takes the split that there is, and prints null in JSON for what cannot be measured', async () => {
    const { status, stdout } = await inProcess(...membership, '--data', data, '--json');
    expect(status).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ othersFrom: 'validation', tprAt1: null, tprAt01: null, floor: { tprAt1: null } });
    expect(report.verdict).toMatch(/^(Members|Cannot be judged)/);
    expect(report.warnings).toHaveLength(1);
  });

  it('writes every member with the rate at which it would be named, for its owner only', async () => {
    const file = join(root, 'deep', 'records.csv');
    const args = [...membership, '--data', data, '--records', file];
    const { status, stdout, stderr } = await inProcess(...args);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      `There are too few others to name anybody at 1 % false alarms: 99 are needed. All of them are in ${file}, which is private.`,
    );
    const [head, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(head).toBe('split,row,false_alarm_rate,named_at_1_percent');
    const rows = lines.map((line) => line.split(','));
    expect(rows.map(([, row]) => Number(row)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, i) => i + 1),
    );
    expect(new Set(rows.map(([split, , , named]) => `${split} ${named}`))).toEqual(new Set(['train no']));
    const rates = rows.map(([, , rate]) => Number(rate));
    expect(rates).toEqual(rates.toSorted((a, b) => a - b));
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    // JSON stays small, with and without the file.
    const { records } = JSON.parse((await inProcess(...args, '--json')).stdout);
    expect(records).toMatchObject({ falseAlarms: 0.01, named: null, byChance: 0 });
    expect(records.most).toHaveLength(20);
    expect(JSON.parse((await inProcess(...args.slice(0, -2), '--json')).stdout).records).toEqual(records);
  });

  it('refuses a file for records that is no CSV, and one beside --scores', async () => {
    const wrong = await inProcess(...membership, '--data', data, '--records', 'records.txt');
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      'epsilens: invalid --records: expected the path of a file that ends in .csv, got records.txt\n',
    ]);
    const beside = await inProcess('attack', 'membership', '--scores', 'some.csv', '--records', 'records.csv');
    expect(beside.stderr).toContain('--records does not apply to --scores');
  });

  it('refuses non-members that are not there, in one sentence', async () => {
    for (const [others, message] of [
      ['test', 'expected labelled data in the split test, got none: set --others to validation'],
      ['held-out', 'found no run that did: set --others to validation'],
      ['nobody', 'invalid others: expected held-out or test or validation, got nobody'],
    ] as const) {
      const { status, stderr } = await inProcess(...membership, '--data', data, '--others', others);
      expect([status, stderr.trim().split('\n').length]).toEqual([2, 1]);
      expect(stderr).toContain(message);
    }
  });
});
