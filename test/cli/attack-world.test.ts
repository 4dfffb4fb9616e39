// `epsilens attack` with models of the attacker's own, and on tables of scores, as a person uses it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WorldReport } from '../../src/index.js';
import { groupPrivacy, mostTruePositives } from '../../src/privacy/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { inProcess } from './in-process.js';

/** Output without line breaks, whose places depend on the length of paths. */
const flat = (text: string) => text.replace(/\s+/g, ' ');

const root = makeRoot();
const [model, data] = [join(root, 'model'), join(root, 'data')];
beforeAll(async () => {
  await writeTiny(model, 'bert');
  mkdirSync(data);
  const rows = Array.from(
    { length: 80 },
    (_, i) =>
      `${'abcdefgh'[i % 8]} ${'ijklmnop'[(i >> 3) % 8]} ${'qrst'[(i * 7) % 4]}\t${(i * i) % 3 === 0 ? 'good' : 'bad'}`,
  );
  writeFileSync(join(data, 'train.tsv'), ['sentence\tlabel', ...rows].join('\n'));
});

describe('attacks with models of their own', () => {
  const small = ['--model', model, '--data', data, '--epochs', '3', '--seed', '4'];

  it('train target and others, print figures, and find the models again', async () => {
    const args = ['attack', 'lira', ...small, '--references', '6', '--targets', '2'];
    const first = await inProcess(...args);
    expect([first.status, first.stderr]).toEqual([0, '']);
    expect(flat(first.stdout)).toContain('6 other models (every example in half of them)');
    expect(first.stdout).toMatch(/AUC of the loss alone +\d\.\d{3}/);
    expect(first.stdout).toMatch(/own TPR − FPR/);
    expect(flat(first.stdout)).toMatch(/With 2 models as the target in turn, the AUC of lira is/);
    expect(first.stdout).toContain('TPR at 1 % FPR');
    expect(first.stdout).toMatch(/Models: \d trained/);
    const again = await inProcess(...args);
    expect(again.stdout).toContain('Models: 0 trained, 7 found in the cache.');
    expect(again.stdout.replace(/Models:.*/, '')).toBe(first.stdout.replace(/Models:.*/, ''));
  });

  it('mia has parts of its own for each model, and JSON has the figures', async () => {
    const { status, stdout } = await inProcess('attack', 'mia', ...small, '--references', '4', '--json');
    expect(status).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ attack: 'mia', examples: 'paper', references: 4, members: 8, others: 8 });
    expect(report.training).toMatchObject({ epochs: 3, batchSize: 8, mechanism: 'none' });
    expect(report.decision.balancedAccuracy.value).toBeGreaterThanOrEqual(0);
    expect([report.tprAt1, report.tprAt01]).toEqual([null, null]);
  });

  it('write the rows of the members of the target', async () => {
    const file = join(root, 'records.csv');
    const args = ['attack', 'mia', ...small, '--references', '4', '--limit', '70', '--records', file, '--json'];
    const { status, stdout } = await inProcess(...args);
    expect(status).toBe(0);
    const report = JSON.parse(stdout);
    const rows = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1);
    expect(rows).toHaveLength(report.members);
    const numbers = rows.map((row) => Number(row.split(',')[1]));
    expect(new Set(numbers).size).toBe(report.members);
    for (const number of numbers) expect(number >= 1 && number <= 80).toBe(true);
    expect(report.records.most.map(({ row }: { row: number }) => row)).toEqual(numbers);
    // The ROC curve tells the mean rate: members of each step, and others at or above it.
    const mean = rows.reduce((sum, row) => sum + Number(row.split(',')[2]), 0) / rows.length;
    const { others, roc } = report as WorldReport;
    const expected = roc.reduce((sum, { falsePositiveRate, truePositiveRate }, place) => {
      const step = truePositiveRate - (roc[place - 1]?.truePositiveRate ?? 0);
      return sum + (step * (1 + others * falsePositiveRate)) / (others + 1);
    }, 0);
    expect(mean).toBeCloseTo(expected, 5);
  });

  it('a private target has its guarantee beside it', async () => {
    const args = ['attack', 'rmia', ...small, '--references', '3', '--mechanism', 'gaussian', '--noise', '3'];
    const { status, stdout } = await inProcess(...args);
    expect(status).toBe(0);
    expect(flat(stdout)).toContain('the target with gaussian noise, the others without');
    expect(flat(stdout)).toMatch(
      /With secret noise, training the target would have ε = [\d.]+, δ = .* Here one example takes the place of another, which counts twice \(ε = [\d.]+, δ = [\d.]+\): no attack could exceed a TPR of [\d.]+ at 1 % FPR, but for the chance of so few examples\./,
    );
    const [plain, halves] = [
      await inProcess(...args, '--json'),
      await inProcess(...args, '--references', '5', '--examples', 'halves', '--json'),
    ];
    for (const [{ stdout: text }, times] of [
      [plain, 2],
      [halves, 1],
    ] as const) {
      const { guarantee, mostTprAt1 } = JSON.parse(text);
      const { epsilon, delta } = groupPrivacy(guarantee, times);
      expect(mostTprAt1).toBeCloseTo(mostTruePositives(0.01, epsilon, delta), 12);
    }
    const both = await inProcess(...args, '--private-references', '--json');
    expect(JSON.parse(both.stdout).training.privateReferences).toBe(true);
  });

  it('updates reads every release without other models, white-box trains its own with the noise of the target', async () => {
    const noise = ['--mechanism', 'gaussian', '--noise', '0.01'];
    const args = ['attack', 'updates', ...small, '--references', '3', '--steps', '50', ...noise];
    const { status, stdout, stderr } = await inProcess(...args);
    expect([status, stderr]).toEqual([0, '']);
    expect(flat(stdout)).toContain('no other models');
    expect(flat(stdout)).toContain('the target with gaussian noise.');
    expect(flat(stdout)).toMatch(/The releases of \d+ of \d+ steps were read\./);
    expect(JSON.parse((await inProcess(...args, '--steps', '2', '--json')).stdout).watched.steps).toBe(2);
    // Next to no noise: nearly all of those who took part are found.
    expect(JSON.parse((await inProcess(...args, '--json')).stdout).auc.value).toBeGreaterThan(0.9);
    const box = await inProcess(
      'attack',
      'white-box',
      ...small,
      '--references',
      '3',
      '--steps',
      '6',
      ...noise,
      '--json',
    );
    const report = JSON.parse(box.stdout);
    expect(report.training.privateReferences).toBe(true);
    expect(report.control.models).toBe(3);
    expect(report.control.least).toBeLessThanOrEqual(report.control.mean);
    expect(report.notes).toBeUndefined();
    const all = await inProcess(
      'attack',
      'updates',
      ...small,
      '--references',
      '2',
      '--trainable',
      'all',
      '--epochs',
      '1',
    );
    expect(flat(all.stdout)).toContain('each is looked for in the releases by itself');
    const wrong = await inProcess('attack', 'updates', ...small, '--steps', '0');
    expect([wrong.status, wrong.stderr.split('\n').length]).toEqual([2, 2]);
  });

  it('an ε so large that it allows everything bounds nothing', async () => {
    const args = ['attack', 'mia', ...small, '--references', '3', '--mechanism', 'gaussian', '--noise', '0.00001'];
    const { status, stdout } = await inProcess(...args, '--json');
    expect(status).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.guarantee.epsilon).toBeGreaterThan(1e6);
    expect(report.mostTprAt1).toBe(1);
    expect(report).not.toHaveProperty('bound');
  });

  it('--roc draws the attack, the loss alone and the guarantee, and JSON has the curves', async () => {
    const chart = join(root, 'charts', 'roc.svg');
    const args = ['attack', 'lira', ...small, '--references', '6', '--mechanism', 'gaussian', '--noise', '3'];
    const { status, stdout, stderr } = await inProcess(...args, '--roc', chart);
    expect([status, stderr]).toEqual([0, '']);
    expect(flat(stdout)).toContain(`The ROC curve is in ${chart}.`);
    const svg = readFileSync(chart, 'utf8');
    const json = await inProcess(...args, '--roc', chart, '--json');
    const { roc, baselineRoc, bound, guarantee, decision } = JSON.parse(json.stdout);
    expect(bound).toEqual({ epsilon: guarantee.epsilon, delta: guarantee.delta });
    expect(svg).toMatch(
      />LiRA<.*>the loss alone<.*>guarantee: ε&#160;=&#160;[\d.]+, δ&#160;=&#160;[\d.]+<.*>guessing</s,
    );
    expect(readFileSync(chart, 'utf8')).toBe(svg);
    for (const curve of [roc, baselineRoc]) {
      expect([curve[0], curve.at(-1)]).toEqual([
        { falsePositiveRate: 0, truePositiveRate: 0 },
        { falsePositiveRate: 1, truePositiveRate: 1 },
      ]);
    }
    // The attack's own decision is one of its thresholds.
    const own = [decision.falsePositiveRate.value, decision.truePositiveRate.value];
    const reached = roc.findLast((point: { falsePositiveRate: number }) => point.falsePositiveRate <= own[0]);
    expect(reached.truePositiveRate).toBeGreaterThanOrEqual(own[1]);
    const without = await inProcess('attack', 'mia', ...small, '--references', '4', '--roc', chart);
    expect(without.status).toBe(0);
    expect(readFileSync(chart, 'utf8')).not.toContain('guarantee');
  });

  it('a guarantee for single examples is not held against groups', async () => {
    const grouped = join(root, 'grouped.csv');
    const rows = Array.from(
      { length: 80 },
      (_, i) => `${'abcdefgh'[i % 8]} ${'ijkl'[i % 4]},${i % 2 ? 'good' : 'bad'},g${i % 40}`,
    );
    writeFileSync(grouped, ['text,label,thread', ...rows].join('\n'));
    const args = ['attack', 'mia', '--model', model, '--data', grouped, '--group-column', 'thread', '--epochs', '2'];
    const { status, stdout, stderr } = await inProcess(
      ...args,
      '--references',
      '3',
      '--mechanism',
      'gaussian',
      '--noise',
      '3',
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(flat(stdout)).toContain(
      'That is about single examples, and here whole groups are members or not: it does not bound this attack.',
    );
    expect(stdout).not.toContain('No attack could');
  });

  it.each([
    [['lira', '--examples', 'paper'], 'no two models share an example: use halves'],
    [['lira', '--references', '4'], 'invalid --references: expected at least 5 for this attack, got 4'],
    [['lira', '--recipe', 'magic'], 'invalid --recipe: expected overfit, paper, usual, got magic'],
    [['mia', '--examples', 'thirds'], 'invalid --examples: expected paper or halves, got thirds'],
    [['mia', '--references', '2', '--targets', '9'], 'invalid --targets: expected at most the 3 models, got 9'],
    [['mia', '--references', '40'], 'expected at least 328 labelled examples for 41 models, got 80'],
    [['mia', '--limit', '10', '--references', '3'], 'expected at least 32 labelled examples for 4 models, got 10'],
    [['mia', '--mechanism', 'gaussian', '--noise', '1', '--insecure-seed', '3'], "unknown option '--insecure-seed'"],
    [['lira', '--roc', 'curve.png'], 'invalid --roc: expected the path of a file that ends in .svg, got curve.png'],
    [['rmia', '--offline-a', '2', '--references', '3'], 'invalid --offline-a: expected at most 1, got 2'],
  ])('%j is refused in one sentence', async (args, message) => {
    const { status, stdout, stderr } = await inProcess('attack', ...args, ...small);
    expect([status, stdout]).toEqual([2, '']);
    expect(flat(stderr)).toContain(message);
  });
});

describe('epsilens attack membership --scores', () => {
  const table = join(root, 'scores.csv');
  beforeAll(() => {
    const rows = Array.from({ length: 40 }, (_, k) => `${k % 2},${1 + Math.abs(Math.sin(k)) - 0.8 * (k % 2)}`);
    writeFileSync(table, ['member,loss', ...rows].join('\n'));
  });

  it('runs what the table allows, on the terminal and as JSON', async () => {
    const { status, stdout, stderr } = await inProcess('attack', 'membership', '--scores', table);
    expect([status, stderr]).toEqual([0, '']);
    expect(flat(stdout)).toContain('20 members, 20 others, no other models');
    expect(stdout).toMatch(/membership +0\.\d{3} +0\.\d{3} to/);
    expect(stdout).toContain('lira online: needs other models.');
    const json = await inProcess('attack', 'membership', '--scores', table, '--json');
    expect(JSON.parse(json.stdout).results[0]).toMatchObject({ attack: 'membership', members: 20, others: 20 });
    expect(JSON.parse(json.stdout).results[0].roc.at(-1)).toEqual({ falsePositiveRate: 1, truePositiveRate: 1 });
  });

  it('--roc draws the loss alone beside the best of the others', async () => {
    const rows = Array.from({ length: 240 }, (_, k) => {
      const [model, example] = [Math.floor(k / 40), k % 40];
      const member = (example + model) % 2;
      return `${model},${example},${member},${1 + Math.abs(Math.sin(k)) - 0.8 * member}`;
    });
    const many = join(root, 'many.csv');
    writeFileSync(many, ['model,example,member,loss', ...rows].join('\n'));
    const chart = join(root, 'scores.svg');
    const { status, stderr, stdout } = await inProcess('attack', 'membership', '--scores', many, '--roc', chart);
    expect([status, stderr]).toEqual([0, '']);
    const svg = readFileSync(chart, 'utf8');
    expect(svg).toContain('>the loss alone<');
    expect(svg.match(/aria-label="line"/g)).toHaveLength(5);
    expect(flat(stdout)).toContain(`The ROC curve is in ${chart}.`);
  });

  it.each([
    [['--scores', table, '--others', 'test'], 2, '--others does not apply to --scores'],
    [['--data', data], 2, 'expected --model and --data, or --scores'],
    [['--model', model, '--data', data, '--target', 'a'], 2, '--target applies only with --scores'],
    [
      ['--scores', table, '--roc', 'curve'],
      2,
      'invalid --roc: expected the path of a file that ends in .svg, got curve',
    ],
    [['--scores', join(root, 'none.csv')], 1, 'none.csv: no such file'],
  ])('%j is refused', async (args, wanted, message) => {
    const { status, stderr } = await inProcess('attack', 'membership', ...args);
    expect(status).toBe(wanted);
    expect(flat(stderr)).toContain(message);
  });
});
