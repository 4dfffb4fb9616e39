// `epsilens classify` as a person uses it, on a model that was trained a moment ago.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { review, writeReviews } from '../tiny-reviews.js';
import { inProcess } from './in-process.js';

const root = makeRoot();
const [untrained, data, out] = [join(root, 'model'), join(root, 'data'), join(root, 'run')];
const model = join(out, 'model');
const file = join(data, 'train.tsv');

beforeAll(async () => {
  await writeReviews(root);
  const settings = ['--epochs', '20', '--batch-size', '8', '--learning-rate', '0.01', '--quiet'];
  const { status } = await inProcess('train', '--model', untrained, '--data', data, '--out', out, ...settings);
  expect(status).toBe(0);
});

describe('epsilens classify', () => {
  it('prints label and probabilities of given texts', async () => {
    const { status, stdout, stderr } = await inProcess(
      'classify',
      '--model',
      model,
      '--text',
      'a a c',
      '--text',
      'b b',
    );
    expect([status, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('label      bad     good  text');
    expect(lines[1]).toMatch(/^good +\d+\.\d % +\d+\.\d % {2}a a c$/);
    expect(lines[2]).toMatch(/^bad +\d+\.\d % +\d+\.\d % {2}b b$/);
  });

  it('gives one JSON document, whose probabilities sum to 1', async () => {
    const { stdout } = await inProcess('classify', '--model', model, '--text', 'a a', '--json');
    const { classes, predictions } = JSON.parse(stdout);
    expect(classes).toEqual(['bad', 'good']);
    const [{ label, probability, probabilities, truncated }] = predictions;
    expect([label, truncated]).toEqual(['good', false]);
    expect(probability).toBe(probabilities.good);
    expect(probabilities.good + probabilities.bad).toBeCloseTo(1, 12);
  });

  it('streams a file, longer than one chunk, in its order, and compares labels', async () => {
    const long = join(root, 'long.csv');
    const rows = Array.from({ length: 1100 }, (_, i) => review(i).replace('\t', ','));
    writeFileSync(long, ['text,label', ...rows].join('\n'));
    const { status, stdout, stderr } = await inProcess('classify', '--model', model, '--data', long);
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBe(1100);
    expect(lines[0]).toMatch(/^2\tgood\t[01]\.\d{4}\ta a$/);
    expect(stderr).toMatch(/^1100 texts\. \d+\.\d % of 1100 labels match\.\n$/);
    const json = JSON.parse((await inProcess('classify', '--model', model, '--data', long, '--json')).stdout);
    expect(json.predictions.map(({ label }: { label: string }) => label)).toEqual(
      lines.map((one) => one.split('\t')[1]),
    );
    expect(json).toMatchObject({ texts: 1100, truncated: 0, labelled: 1100, finished: true });
    expect(json.right / 1100).toBeGreaterThan(0.9);
  });

  it('reads a text file by line, or by paragraph where asked', async () => {
    const file = join(root, 'texts.txt');
    writeFileSync(file, 'a a c\nb b\n\na a\n');
    const count = async (...args: string[]) =>
      (await inProcess('classify', '--model', model, '--data', file, ...args)).stdout.trimEnd().split('\n').length;
    expect(await count('--skip-empty')).toBe(3);
    expect(await count('--text-by', 'paragraphs')).toBe(2);
  });

  it('says how many texts were cut', async () => {
    const { stdout, stderr } = await inProcess('classify', '--model', model, '--data', file, '--max-tokens', '4');
    expect(stderr).toMatch(/^40 texts\. (\d+) were cut to 4 tokens\./);
    expect(stdout.split('\n').length).toBe(41);
  });

  it('prints control characters of a text as spaces', async () => {
    const { stdout } = await inProcess('classify', '--model', model, '--text', 'a\x1b[31m\u202eb');
    expect(stdout).toContain('a [31m b\n');
  });

  it.each([
    [['--text', 'a', '--data', file], 2, 'expected either --text or --data, got both'],
    [[], 2, 'expected either --text or --data, got neither'],
    [['--text', 'a', '--text-column', 'b'], 2, '--text-column has an effect only with --data'],
    [['--text', 'a', '--no-header'], 2, '--no-header has an effect only with --data'],
    [['--data', join(root, 'none.csv')], 1, 'expected a file of texts, got nothing'],
    [['--data', data], 1, 'got a folder: give one of its files'],
  ])('refuses %j', async (args, code, message) => {
    const { status, stdout, stderr } = await inProcess('classify', '--model', model, ...args);
    expect([status, stdout]).toEqual([code, '']);
    expect(stderr).toContain(message);
  });

  it('refuses a model whose classifier was never trained', async () => {
    const { status, stderr } = await inProcess('classify', '--model', untrained, '--text', 'a');
    expect(status).toBe(2);
    expect(stderr).toContain('expected a trained classifier, got a model without classifier.weight, classifier.bias');
  });
});

describe('epsilens classify with a token classifier', () => {
  const tokens = join(root, 'tokens');
  beforeAll(() =>
    writeTiny(tokens, 'distilbert', {
      config: {
        architectures: ['DistilBertForTokenClassification'],
        num_labels: undefined,
        id2label: { 0: 'O', 1: 'B-PER', 2: 'I-PER' },
      },
    }),
  );
  const texts = ['--text', 'a cat', '--text', 'b'];

  it('prints one label per word, texts apart', async () => {
    const { status, stdout, stderr } = await inProcess('classify', '--model', tokens, ...texts);
    expect([status, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('label  probability  word');
    expect(lines).toHaveLength(5);
    for (const [place, word] of [
      [1, 'a'],
      [2, 'cat'],
      [4, 'b'],
    ] as const)
      expect(lines[place]).toMatch(new RegExp(`^(O|B-PER|I-PER) +\\d+\\.\\d % {2}${word}$`));
    expect(lines[3]).toBe('');
  });

  it('gives JSON and tab-separated lines with the same labels', async () => {
    const { stdout } = await inProcess('classify', '--model', tokens, ...texts, '--json');
    const { classes, predictions } = JSON.parse(stdout);
    expect(classes).toEqual(['O', 'B-PER', 'I-PER']);
    expect(predictions.map(({ text }: { text: string }) => text)).toEqual(['a cat', 'b']);
    for (const { words } of predictions)
      for (const { label, probability, probabilities } of words) expect(probabilities[label]).toBe(probability);
    const file = join(root, 'words.txt');
    writeFileSync(file, 'a cat\nb\n');
    const { stdout: table, stderr } = await inProcess('classify', '--model', tokens, '--data', file);
    const words = predictions.flatMap((one: { words: { label: string; word: string }[] }) => one.words);
    expect(
      table
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').filter((_, i) => i !== 2)),
    ).toEqual(
      words.map(({ label, word }: { label: string; word: string }, i: number) => [i < 2 ? '1' : '2', label, word]),
    );
    expect(stderr).toBe('2 texts.\n');
    const json = JSON.parse((await inProcess('classify', '--model', tokens, '--data', file, '--json')).stdout);
    expect(json.predictions.map((one: { line: number }) => one.line)).toEqual([1, 2]);
    expect(json).toMatchObject({ texts: 2, truncated: 0, finished: true });
  });

  it('says how to train it on texts', async () => {
    const data = join(root, 'data');
    const { status, stderr } = await inProcess(
      'train',
      '--model',
      tokens,
      '--data',
      data,
      '--out',
      join(root, 'other'),
    );
    expect(status).toBe(2);
    expect(stderr).toContain('add --new-head to initialize a new one');
  });
});
