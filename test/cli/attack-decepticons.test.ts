// `epsilens attack decepticons` as a person uses it.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openSafetensors, readTensor } from '../../src/models/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { main } from './epsilens.js';
import { inProcess } from './in-process.js';

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
  it('recovers a sentence, says how much and what the server changed', async () => {
    const file = join(root, 'sent.safetensors');
    const { status, stdout, stderr } = await inProcess(...command(bert, '--text', 'a b c d', '--parameters', file));
    expect([status, stderr]).toEqual([0, '']);
    const said = stdout.replace(/\s+/g, ' ');
    expect(said).toContain('1 sentence, loss of the class, no noise');
    expect(said).toContain('all tokens attend to position 1, which becomes the key of their sentence');
    expect(said).toContain('all rows of 1 feed-forward hold one measurement, and their biases 64 thresholds');
    expect(stdout).toContain('truth      a b c d\n  recovered  a b c d\n             4 of 4 tokens in place\n');
    expect(stdout).toMatch(/lcsRatio +1\.000/);
    expect(stdout).toMatch(/true gradient: 1\.000; over the tensors read: 1\.000/);
    expect(stdout).toMatch(/Floor: LCS ratio 0\.\d+ when the gradient comes from random words/);
    const sent = await openSafetensors(file);
    const weights = await readTensor(sent, 'bert.encoder.layer.0.intermediate.dense.weight');
    expect(weights.subarray(0, 32)).toEqual(weights.subarray(32, 64));
  });

  it('attacks batches under noise, keeps results and resumes', async () => {
    const out = join(root, 'out');
    const noisy = ['--mechanism', 'directional', '--concentration', '1000000', '--scope', 'tensor'];
    const args = command(gpt2, '--data', data, '--count', '4', '--batch-size', '2', ...noisy, '--out', out, '--json');
    const run = await inProcess(...args);
    expect([run.status, run.stderr]).toEqual([0, '']);
    const first = JSON.parse(run.stdout);
    expect(first).toMatchObject({
      attack: 'decepticons',
      loss: 'next',
      options: { attacker: 'noise-aware' },
      batchSize: 2,
      finished: true,
      floor: { of: 'another batch' },
    });
    expect(first.sentences).toHaveLength(4);
    expect(first.summary.lcsRatio.count).toBe(4);
    expect(first.batches).toHaveLength(2);
    expect(first.batches[0].cosine.all).toBeLessThan(1);
    expect(first.server.changes.length).toBeGreaterThan(4);
    expect(first.shared.read.length).toBeLessThan(first.shared.tensors);
    const kept = join(out, 'batches.jsonl');
    truncateSync(kept, readFileSync(kept, 'utf8').length - 20); // as a crash leaves it
    expect(JSON.parse((await inProcess(...args)).stdout).sentences).toEqual(first.sentences);
    expect(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')).finished).toBe(true);
    expect((await inProcess(...args, '--attacker', 'published')).stderr).toContain('holds results of other settings');
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
    expect(status).toBe(1);
    expect(printed).toContain('Stopped before the end: with --out, the same command resumes.');
    expect(readFileSync(join(out, 'batches.jsonl'), 'utf8').trim().split('\n').length).toBeLessThan(40);
  });

  it('uses the given loss', async () => {
    const masked = await writeTiny(join(root, 'masked'), 'bert', { golden: 'tiny-bert-mlm' });
    for (const [model, loss] of [
      [masked, 'masked'],
      [gpt2, 'class'],
    ] as const) {
      const { status, stdout } = await inProcess(...command(model, '--text', 'a b c d e f', '--loss', loss, '--json'));
      expect(status).toBe(0);
      const { loss: taken, shared, server } = JSON.parse(stdout);
      expect(taken).toBe(loss);
      // Where few tokens have a loss, the last block spreads it.
      expect(server.settings.equalise).toBe(true);
      expect(shared.tensors).toBeGreaterThan(10);
    }
  });

  it('refuses what does not fit, in one sentence', async () => {
    const mute = await writeTiny(join(root, 'mute'), 'bert', {
      change: (tensors) => (tensors['classifier.weight'] as { data: Float32Array }).data.fill(0),
    });
    const narrow = await writeTiny(join(root, 'narrow'), 'bert', { config: { num_attention_heads: 16 } });
    for (const [model, args, message] of [
      [bert, [], 'expected one of --text and --data'],
      [
        bert,
        ['--text', 'a', '--noise', '3'],
        '--noise is for --mechanism gaussian or gaussian-normalised, got --mechanism none',
      ],
      [bert, ['--text', 'a', '--attacker', 'kind'], 'invalid --attacker: expected noise-aware or published, got kind'],
      [bert, ['--text', 'a', '--batch', '2'], '--batch is now --batch-size'],
      [bert, ['--text', 'a', '--mechanism', 'vmf'], '--mechanism vmf is now --mechanism directional'],
      [bert, ['--text', 'a', '--loss', 'next'], 'loss next: expected class for Decepticons on'],
      [
        bert,
        ['--text', 'a', '--max-tokens', '3', '--batch-size', '3'],
        '--batch-size 3: expected at most the 1 sentences',
      ],
      [bert, ['--data', data, '--count', '4', '--batch-size', '3'], 'expected whole batches of 3, got 4 sentences'],
      [mute, ['--text', 'a b'], 'the gradients of the feed-forwards are zero: there is nothing to attack'],
      [narrow, ['--text', 'a b'], 'invalid size of a head: expected at least 4, for two keys, got 2'],
    ] as const) {
      const { status, stdout, stderr } = await inProcess(...command(model, ...args));
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain(message);
      expect(stderr.trim().split('\n').length).toBe(1);
    }
  });
});
