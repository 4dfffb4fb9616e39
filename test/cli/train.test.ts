// `epsilens train` as a person uses it.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../../src/models/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { writeReviews } from '../tiny-reviews.js';
import { inProcess } from './in-process.js';

const root = makeRoot();
const [model, data] = [join(root, 'model'), join(root, 'data')];
beforeAll(() => writeReviews(root));

describe('epsilens train', () => {
  const settings = ['--model', model, '--data', data, '--epochs', '20', '--batch-size', '8', '--learning-rate', '0.01'];

  it('trains, says what it did, and saves a model that loads', async () => {
    const out = join(root, 'run');
    const { status, stdout, stderr } = await inProcess('train', ...settings, '--out', out);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/no classifier\.weight, classifier\.bias: these parameters started at\s+random\./);
    expect(stdout).toContain('Privacy: none\n  There is no privacy guarantee');
    expect(stdout).toMatch(/validation +\d\.\d+ +\d+\.\d %/);
    const result = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8'));
    expect(result.scores.validation.accuracy).toBeGreaterThan(0.9);
    const metrics = readFileSync(join(out, 'metrics.jsonl'), 'utf8').trim().split('\n');
    // Five batches an epoch, and a line for each.
    expect(metrics.length).toBe(20 * (5 + 1));
    expect(metrics.filter((line) => 'epoch' in JSON.parse(line)).length).toBe(20);
    const again = await loadModel(join(out, 'model'));
    expect(again.newlyInitialized).toEqual([]);
    expect(again.rawConfig.id2label).toEqual({ 0: 'bad', 1: 'good' });

    expect(await inProcess('train', ...settings, '--out', out)).toMatchObject({ status: 2, stdout: '' });
    const resumed = await inProcess('train', ...settings, '--out', out, '--resume', '--json');
    expect(JSON.parse(resumed.stdout).scores).toEqual(result.scores);
    const other = await inProcess('train', ...settings, '--seed', '9', '--out', out, '--resume');
    expect(other.status).toBe(1);
    expect(other.stderr).toContain('the run was started with --seed = 1, this one has 9');
    const falling = await inProcess('train', ...settings, '--schedule', 'cosine', '--out', out, '--resume');
    expect(falling.stderr).toContain('the run was started with --schedule = its default, this one has "cosine"');
  });

  it('refuses bad arguments before it writes anything', async () => {
    const out = join(root, 'never');
    const cases = [
      [['--trainable', 'tail'], 'no parameter is called "tail"'],
      [['--optimizer', 'magic'], 'expected adamw or sgd, got magic'],
      [['--schedule', 'stairs'], 'invalid --schedule: expected linear, cosine or constant, got stairs'],
      [['--warmup', '1.5'], 'Expected a share from 0 to 1'],
      [['--hold-out', '0.6'], 'Expected a share from 0 to 0.5'],
      [['--learning-rate', '-1'], 'Expected a number > 0'],
      [['--model', join(root, 'nowhere')], 'no such folder'],
      [['--classes', 'good,ugly'], 'expected one of the labels good, ugly, got "bad"'],
    ] as const;
    for (const [args, message] of cases) {
      const { status, stderr } = await inProcess('train', ...settings, '--out', out, ...args);
      expect(stderr).toContain(message);
      expect(status).not.toBe(0);
      expect(existsSync(out)).toBe(false);
    }
  });

  it('says what it did to the data, on the terminal and as data', async () => {
    const folder = join(root, 'notes');
    mkdirSync(folder);
    const long = 'a '.repeat(30);
    const rows = ['a,good,ann', 'b,bad,bob', 'a,good,ann', ',bad,bob', `${long},good,eve`, 'b b,rare,bob', 'c,bad,eve'];
    writeFileSync(join(folder, 'train.csv'), ['text,label,user', ...rows].join('\n'));
    writeFileSync(join(folder, 'test.csv'), 'text,label,user\nc,bad,eve\nd,good,bob\n');
    const own = ['--model', model, '--data', folder, '--skip-empty', '--group-column', 'user', '--max-tokens', '16'];
    const noise = ['--mechanism', 'gaussian', '--noise', '1', '--batch-size', '2', '--epochs', '1'];
    const { stdout } = await inProcess('train', ...own, ...noise, '--out', join(root, 'noted'));
    const words = stdout.replace(/\s+/g, ' ');
    for (const note of [
      'Rows without text were left out: 1 of train.',
      'Cut to 16 tokens (--max-tokens): 1 of 6 training texts, which lost 50 % of their tokens in the median, 50 % at most.',
      'Classes with hardly a row to train on: rare (one row).',
      'Training texts that repeat an earlier one: 1.',
      'Texts that are also in train: 1 of test; scores there flatter the model.',
      'The training rows are of 3 groups, up to 2 rows each: the guarantee is for one row, not for a group.',
    ]) {
      expect(words).toContain(note);
    }
    const result = JSON.parse(readFileSync(join(root, 'noted', 'result.json'), 'utf8'));
    expect(result.dataNotes).toMatchObject({ rows: { train: 6, test: 2 }, skipped: { train: 1 }, repeated: 1 });
    const plain = await inProcess('train', ...own, '--epochs', '1', '--out', join(root, 'plain-notes'), '--json');
    expect(JSON.parse(plain.stdout).dataNotes).toEqual(result.dataNotes);
  });
});
