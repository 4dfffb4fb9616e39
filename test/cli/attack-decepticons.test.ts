// `epsilens attack decepticons` as a person uses it, on the built package.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { decepticonsKnown } from '../../src/attacks/index.js';
import { ArgumentError } from '../../src/checks/index.js';
import { floorBetween } from '../../src/cli/attack-decepticons-batch.js';
import { batchSize, openCase } from '../../src/cli/attack-decepticons-target.js';
import type { TokenPair } from '../../src/cli/attack-tokens.js';
import { openSafetensors, readTensor } from '../../src/models/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { epsilens, main } from './epsilens.js';

const root = makeRoot();
const [bert, gpt2, data] = [join(root, 'bert'), join(root, 'gpt2'), join(root, 'data')];
beforeAll(async () => {
  await writeTiny(bert, 'bert');
  await writeTiny(gpt2, 'gpt2');
  mkdirSync(data);
  const rows = Array.from({ length: 40 }, (_, i) => `${'abcdefgh'[i % 8]} x ${'mnop'[i % 4]} y\t${i % 2}`);
  writeFileSync(join(data, 'train.tsv'), ['sentence\tlabel', ...rows].join('\n'));
});
const command = (model: string, ...args: string[]) => [
  'attack',
  'decepticons',
  '--model',
  model,
  '--no-similarity',
  ...args,
];

describe('epsilens attack decepticons', () => {
  it('gets a sentence back, says how much and what the server changed', async () => {
    const file = join(root, 'sent.safetensors');
    const { status, stdout, stderr } = epsilens(...command(bert, '--text', 'a b c d', '--parameters', file));
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('1 batch of 1 sentence, loss of the class, no noise');
    expect(stdout).toContain('all tokens attend to position 1, the key of their sentence');
    expect(stdout).toContain('one measurement in all rows of 1 feed-forward, 64 thresholds');
    expect(stdout).toContain('truth      a b c d\n  recovered  a b c d\n             4 of 4 tokens in place\n');
    expect(stdout).toMatch(/rougeL +1\.000/);
    expect(stdout).toMatch(/true gradient: 1\.000, of the tensors read 1\.000/);
    expect(stdout).toMatch(/Floor: ROUGE-L 0\.\d+ when the gradient is of random words/);
    const sent = await openSafetensors(file);
    const weights = await readTensor(sent, 'bert.encoder.layer.0.intermediate.dense.weight');
    expect(weights.subarray(0, 32)).toEqual(weights.subarray(32, 64));
  });

  it('attacks batches under noise, keeps results and goes on with them', () => {
    const out = join(root, 'out');
    const noisy = ['--mechanism', 'directional', '--concentration', '1000000', '--scope', 'tensor'];
    const args = command(gpt2, '--data', data, '--count', '4', '--batch-size', '2', ...noisy, '--out', out, '--json');
    const run = epsilens(...args);
    expect([run.status, run.stderr]).toEqual([0, '']);
    const first = JSON.parse(run.stdout);
    expect(first).toMatchObject({ loss: 'next', attacker: 'noise-aware', batchSize: 2, finished: true });
    expect(first.lines.map(({ sentences }: { sentences: unknown[] }) => sentences.length)).toEqual([2, 2]);
    expect(first.summary.rougeL.count).toBe(4);
    expect(first.floor.of).toBe('another batch');
    expect(first.shared.read.every((name: string) => name in first.lines[0].cosine.read.tensors)).toBe(true);
    expect(first.lines[0].cosine.all).toBeLessThan(1);
    expect(first.server.changes.length).toBeGreaterThan(4);
    const kept = join(out, 'batches.jsonl');
    truncateSync(kept, readFileSync(kept, 'utf8').length - 20); // as a crash leaves it
    const timeless = ({ lines }: { lines: { seconds: object }[] }) => lines.map(({ seconds, ...line }) => line);
    expect(timeless(JSON.parse(epsilens(...args).stdout))).toEqual(timeless(first));
    expect(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')).finished).toBe(true);
    expect(epsilens(...args, '--attacker', 'published').stderr).toContain('holds results of other settings');
  });

  it('stops after the batch under way when interrupted', async () => {
    const out = join(root, 'stopped');
    const args = command(bert, '--data', data, '--count', '40', '--batch-size', '1', '--out', out);
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    while (!existsSync(join(out, 'batches.jsonl'))) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGINT');
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect(status).toBe(0);
    expect(printed).toContain('Stopped before the end: the same command with --out goes on.');
    expect(readFileSync(join(out, 'batches.jsonl'), 'utf8').trim().split('\n').length).toBeLessThan(40);
  });

  it('refuses what does not fit, in one sentence', async () => {
    const mute = await writeTiny(join(root, 'mute'), 'bert', {
      change: (tensors) => (tensors['classifier.weight'] as { data: Float32Array }).data.fill(0),
    });
    const narrow = await writeTiny(join(root, 'narrow'), 'bert', { config: { num_attention_heads: 16 } });
    for (const [model, args, message] of [
      [bert, ['--text', 'a', '--noise', '3'], '--noise is for --mechanism gaussian, got --mechanism none'],
      [bert, ['--text', 'a', '--attacker', 'kind'], 'invalid --attacker: expected noise-aware or published, got kind'],
      [mute, ['--text', 'a b'], 'the gradients of the feed-forwards are zero: there is nothing to attack'],
      [narrow, ['--text', 'a b'], 'invalid size of a head: expected at least 4, for two keys, got 2'],
    ] as const) {
      const { status, stdout, stderr } = epsilens(...command(model, ...args));
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain(message);
      expect(stderr.trim().split('\n').length).toBe(1);
    }
    const flags = { model: bert, split: 'train', count: 4, maxTokens: 64, seed: 1 };
    for (const [own, message] of [
      [{}, 'expected one of --text and --data'],
      [
        { text: ['a'], loss: 'next' },
        '--loss next: expected a model that predicts tokens, got one without: use --loss class',
      ],
      [{ text: ['a'], loss: 'all' }, 'got one without: use --loss class'],
      [{ text: [''] }, 'invalid --text: expected letters or digits to recover, got none'],
      [
        { text: ['a'], maxTokens: 2 },
        'sentence 1: expected at least 3 tokens, special ones included, got 2: leave it out',
      ],
      [{ text: ['a '.repeat(60)] }, "at most the model's 40 positions, got 62 tokens: use --max-tokens 40"],
      [{ text: ['a', 'b'], batch: 3 }, '--batch: expected at most the 2 sentences, got 3: give more sentences'],
      [{ data, batch: 3 }, 'expected whole batches of 3, got 4 sentences: give 3 or 6, or another --batch'],
    ] as const) {
      await expect(openCase({ ...flags, ...own })).rejects.toThrow(message);
      await expect(openCase({ ...flags, ...own })).rejects.toBeInstanceOf(ArgumentError);
    }
  });

  it.each([
    ['masked', 'bert'],
    ['class', 'gpt2'],
  ] as const)('takes the loss of %s tokens from %s', async (loss, name) => {
    const golden = name === 'bert' ? { golden: 'tiny-bert-mlm' } : {};
    const model = await writeTiny(join(root, `${loss} ${name}`), name, golden);
    const flags = { model, text: ['a b c d e f g h', 'i j'], split: 'train', count: 4, maxTokens: 64, seed: 1 };
    const { batches, lossOf, tokenizer, shared } = await openCase({ ...flags, loss });
    const rows = batches[0] as number[][];
    expect(decepticonsKnown(tokenizer).around).toEqual({ before: [2], after: [3] });
    const own = lossOf(rows, 0);
    if (own.loss === 'masked') {
      expect(own.places.map(({ length }) => length)).toEqual([1, 1]);
      expect(own.places.flat().every((place) => place > 0 && place < 9)).toBe(true);
    } else expect(own).toEqual({ loss, labels: [0, 0] });
    expect(shared.some((name) => /^(classifier|score)/.test(name))).toBe(loss === 'class');
  });
});

describe('batches', () => {
  it('have one size', () => {
    expect([batchSize(3, undefined), batchSize(16, undefined), batchSize(12, 4)]).toEqual([3, 8, 4]);
    expect(() => batchSize(10, undefined)).toThrow('whole batches of 8, got 10 sentences: give 8 or 16, or another');
  });

  it('have a floor that is matched like the sentences themselves', () => {
    const pair = (truthText: string, recoveredText: string): TokenPair => {
      const [truth, recovered] = [truthText.split(' '), recoveredText.split(' ')];
      return { truth, recovered, truthText, recoveredText };
    };
    const others = [pair('p q', 'x y'), pair('r s', 'a z')];
    expect(floorBetween([pair('a b', 'a b'), pair('c d', 'c d')], others)).toBe(0.25);
  });
});
