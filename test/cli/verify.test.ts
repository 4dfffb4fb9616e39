// `epsilens verify`, and what a resumed run refuses.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeRoot } from '../models/tiny-models.js';
import { writeReviews } from '../tiny-reviews.js';
import { inProcess } from './in-process.js';

const root = makeRoot();
const data = join(root, 'data');
const train = (out: string, ...rest: string[]) =>
  inProcess(
    ...['train', '--model', join(root, 'model'), '--data', data, '--out', out, '--epochs', '2', '--batch-size', '8'],
    ...['--mechanism', 'gaussian', '--noise', '2', '--accountant', 'rdp', '--quiet', ...rest],
  );
const run = join(root, 'run');
beforeAll(async () => {
  await writeReviews(root);
  expect((await train(run)).status).toBe(0);
});

describe('epsilens verify', () => {
  it('prints what the model states and what its ledger gives', async () => {
    const { status, stdout, stderr } = await inProcess('verify', join(run, 'model'));
    expect([status, stderr]).toEqual([0, '']);
    const [first, stated, ...rest] = stdout.trimEnd().split('\n');
    expect(first).toBe(`${join(run, 'model')}: confirmed`);
    expect(stated).toMatch(/^ {2}States ε = [\d.]+ with δ = [\d.e-]+ for adding or removing one example/);
    expect(rest.join('\n')).toContain('The ledger counts 10 steps.');
    for (const line of [stated, ...rest]) expect(line?.length).toBeLessThanOrEqual(80);
  });

  it('ends with exit code 1 where a model is not confirmed, and prints one JSON document', async () => {
    const moved = join(root, 'moved');
    cpSync(join(run, 'model'), moved, { recursive: true });
    const { status, stdout } = await inProcess('verify', moved, '--json');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ confirmed: false, models: [{ model: moved, status: 'unconfirmed' }] });
    expect((await inProcess('verify', moved, '--ledger', join(run, 'ledger.jsonl'))).status).toBe(0);
  });

  it('names two models of one run', async () => {
    const copy = join(root, 'copy');
    cpSync(run, copy, { recursive: true });
    // The run is made to go on by one step, with other noise.
    const checkpoint = join(copy, 'checkpoint.safetensors');
    writeFileSync(checkpoint, readFileSync(checkpoint, 'latin1').replace('"step":"10"', '"step":"09"'), 'latin1');
    expect((await train(copy, '--resume')).status).toBe(0);
    const { status, stdout } = await inProcess('verify', join(run, 'model'), join(copy, 'model'));
    expect(status).toBe(1);
    const words = stdout.replace(/\s+/g, ' ');
    expect(words).toContain('are different models of one run');
    expect(words).toMatch(/Whoever sees all of them has ε = [\d.]+/);
  });

  it('says what is wrong with its arguments', async () => {
    expect(await inProcess('verify')).toMatchObject({ status: 2 });
    expect(await inProcess('verify', root)).toMatchObject({
      status: 1,
      stderr: `epsilens: ${root}: expected the folder of a saved model, got no model.safetensors in it: its model is in ${join(root, 'model')}\n`,
    });
    expect((await inProcess('verify', '--help')).stdout).toContain('  epsilens verify OUT/model\n');
  });
});

describe('a run that was cut', () => {
  it('is not resumed on the same rows in reverse', async () => {
    const out = join(root, 'cut');
    expect((await train(out)).status).toBe(0);
    const checkpoint = join(out, 'checkpoint.safetensors');
    writeFileSync(checkpoint, readFileSync(checkpoint, 'latin1').replace('"step":"10"', '"step":"03"'), 'latin1');
    const file = join(data, 'train.tsv');
    const text = readFileSync(file, 'utf8');
    const [head = '', ...rows] = text.split('\n');
    writeFileSync(file, [head, ...rows.toReversed()].join('\n'));
    try {
      const { status, stderr } = await train(out, '--resume');
      expect(status).toBe(1);
      expect(stderr).toContain('the training data has changed since the run began (texts, labels, or their order)');
    } finally {
      writeFileSync(file, text);
    }
    expect((await train(out, '--resume')).status).toBe(0);
  });
});
