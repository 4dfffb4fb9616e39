// Commands on models and data of the Hub, from a server on this machine.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attack, calibrate, fineTune, loadDataSet, loadModel, pullModel } from '../../src/index.js';
import { writeTiny } from '../models/tiny-models.js';
import { commitOf, filesOf, useFakeHub } from '../platform/hub/fake-hub.js';
import { main } from './epsilens.js';
import { inProcess } from './in-process.js';

const hub = useFakeHub();
const rows = readFileSync(join(import.meta.dirname, '..', 'golden', 'data', 'parquet', 'plain.parquet'));
const texts = { 'cola/train-00000-of-00001.parquet': rows, 'sst2/train-00000-of-00001.parquet': rows };
const dataSource = `hf:owner/texts:cola@${commitOf(texts)}`;

/** Puts a tiny model and a data set on the Hub; returns the model's name with its commit. */
async function offer(without?: RegExp): Promise<string> {
  const files = filesOf(await writeTiny(join(hub.root(), 'made'), 'bert', without && { without }));
  hub.repositories.set('owner/tiny', { branches: { main: files } });
  hub.repositories.set('datasets/owner/texts', { branches: { main: texts } });
  return `hf:owner/tiny@${commitOf(files)}`;
}

const stored = () => hub.seen.filter(({ server }) => server === 'store').length;

describe('epsilens', () => {
  it('classify downloads a model once, and prints nothing but the document with --json', async () => {
    await offer();
    const command = ['classify', '--model', 'hf:owner/tiny', '--text', 'a b c', '--json'];
    const { status, stdout, stderr } = await inProcess(...command);
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ model: 'hf:owner/tiny', predictions: [{ text: 'a b c' }] });
    hub.seen.length = 0;
    process.env.HF_HUB_OFFLINE = '1';
    expect((await inProcess(...command)).stdout).toBe(stdout);
    expect(hub.seen).toEqual([]);
  });

  it('train, data and attack take both names, and a run remembers the commits', async () => {
    const model = await offer(/^classifier/);
    const out = join(hub.root(), 'run');
    const named = ['--model', 'hf:owner/tiny', '--data', 'hf:owner/texts:cola'];
    const trained = await inProcess('train', ...named, '--epochs', '1', '--hold-out', '0.2', '--out', out);
    expect([trained.status, trained.stderr]).toEqual([0, '']);
    expect(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'))).toMatchObject({ model, data: dataSource });
    // The data are named as the run named them, or by their commit.
    for (const data of ['hf:owner/texts:cola', dataSource]) {
      const told = await inProcess('attack', 'membership', '--model', join(out, 'model'), '--data', data, '--json');
      expect(told.stderr).toBe('');
      expect(JSON.parse(told.stdout)).toMatchObject({ othersFrom: 'held-out', data: dataSource });
    }
    const shown = await inProcess('data', 'hf:owner/texts:sst2', '--tokenizer', 'hf:owner/tiny');
    expect(shown.stdout).toContain('owner/texts:sst2: classes 0, 1');
    // Both configurations hold the same rows, which are one blob.
    expect(stored()).toBe(2);
  });

  it('data --pull gets what is newest, which is used from then on', async () => {
    await offer();
    const show = (...flags: string[]) =>
      inProcess('data', 'hf:owner/texts:cola', '--tokenizer', 'hf:owner/tiny', ...flags);
    expect((await show()).stdout).toContain('train   60 rows');
    const later = { ...texts, 'cola/test-00000-of-00001.parquet': rows };
    hub.repositories.set('datasets/owner/texts', { branches: { main: later } });
    expect((await show()).stdout).not.toContain('test   60 rows');
    expect((await show('--pull')).stdout).toContain('test   60 rows');
    expect((await show()).stdout).toContain('test   60 rows');
    const refused = await inProcess('data', 'bundled:mail', '--pull');
    expect(refused).toMatchObject({
      status: 2,
      stderr: 'epsilens: --pull: expected a data set of the Hub, got bundled:mail\n',
    });
  });

  it('verify reads the statement of a model of the Hub', async () => {
    await offer();
    const { status, stdout } = await inProcess('verify', 'hf:owner/tiny');
    expect(status).toBe(1);
    expect(stdout).toContain('hf:owner/tiny: unconfirmed');
  });

  it('fails with one sentence', async () => {
    const { status, stdout, stderr } = await inProcess('classify', '--model', 'hf:owner/gone', '--text', 'a');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'epsilens: hf:owner/gone: there is no such model, or it is private or gated: check the name, or set HF_TOKEN to a token that may read it\n',
    );
    const bad = await inProcess('train', '--data', 'hf:a b', '--out', join(hub.root(), 'x'));
    expect(bad).toMatchObject({ status: 2, stdout: '' });
    expect(bad.stderr).toContain(
      'expected a data set of the Hub as hf:owner/name, hf:owner/name:config or hf:owner/name:config@revision, got "hf:a b"',
    );
  });
});

describe('epsilens models', () => {
  it('lists what is bundled and what was downloaded, with what it can do', async () => {
    const before = await inProcess('models');
    expect([before.status, before.stderr]).toEqual([0, '']);
    expect(before.stdout).toMatch(
      /^bundled:bert-mini\n {2}bert, 5\.\d million parameters, texts of up to \d+ tokens\n {2}can be fine-tuned to classify, predict hidden tokens\n/,
    );
    expect(before.stdout).toContain('bundled:gpt2-mini\n');
    expect(before.stdout).toContain('can be fine-tuned to classify, continue text');
    const model = await offer();
    const pulled = await inProcess('models', 'pull', 'hf:owner/tiny', '--json');
    expect(pulled.stderr).toBe('');
    const document = JSON.parse(pulled.stdout);
    expect(document).toMatchObject({ name: 'hf:owner/tiny', commit: model.split('@')[1], architecture: 'bert' });
    expect(document.classes.length).toBeGreaterThan(1);
    expect(document.gradientAttacks).toContain('likelihood');
    expect(existsSync(join(document.folder, 'model.safetensors'))).toBe(true);
    const sizes = readdirSync(document.folder).map((name) => readFileSync(join(document.folder, name)).length);
    expect(document.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
    const listed = JSON.parse((await inProcess('models', '--json')).stdout);
    expect(listed.at(-1)).toEqual({ ...document, revisions: ['main'] });
    expect((await inProcess('models')).stdout).toContain(`hf:owner/tiny\n  bert, `);
  });

  it('pull gets what is newest, which is used from then on; the earlier one is listed by its commit', async () => {
    const first = await offer();
    await pullModel('hf:owner/tiny');
    const files = { ...hub.repositories.get('owner/tiny')?.branches.main, 'special_tokens_map.json': '{}' };
    hub.repositories.set('owner/tiny', { branches: { main: files } });
    expect((await loadModel('hf:owner/tiny')).name).toBe(first);
    const { commit } = await pullModel('hf:owner/tiny');
    expect(commit).toBe(commitOf(files));
    expect((await loadModel('hf:owner/tiny')).name).toBe(`hf:owner/tiny@${commit}`);
    const names = JSON.parse((await inProcess('models', '--json')).stdout).map(({ name }: { name: string }) => name);
    expect(names.slice(-2).sort()).toEqual(['hf:owner/tiny', first]);
    // The weights of both are one blob.
    expect(stored()).toBe(1);
  });

  it('says of a model that cannot be loaded why', async () => {
    const files = {
      'config.json': '{"model_type":"t5"}',
      'model.safetensors': Buffer.from([...[2, 0, 0, 0, 0, 0, 0, 0], 123, 125]),
      'tokenizer.json': '{}',
    };
    hub.repositories.set('owner/t5', { branches: { main: files } });
    const { status, stdout } = await inProcess('models', 'pull', 'hf:owner/t5');
    expect(status).toBe(0);
    expect(stdout).toMatch(/cannot be used: config\.json: model_type: expected .*got\s+"t5"/s);
  });

  it.each([
    [['pull', 'bert-mini'], 'expected a model of the Hub, such as hf:bert-mini, got bert-mini', 2],
    [['pull', 'hf:../x'], 'expected a model of the Hub as hf:owner/name or', 2],
    [['pull', 'hf:owner/gone'], 'there is no such model', 1],
  ])('%j is refused', async (args, message, code) => {
    const { status, stderr } = await inProcess('models', ...args);
    expect(status).toBe(code);
    expect(stderr).toContain(message);
  });
});

describe('the library', () => {
  it('loads, trains and attacks by name', async () => {
    const model = await offer(/^classifier/);
    const data = await loadDataSet('hf:owner/texts:cola');
    const run = await fineTune({ model: 'hf:owner/tiny', data, epochs: 1, folder: join(hub.root(), 'run') });
    expect(run.model.name).toBe(`${model} (fine-tuned)`);
    const found = await attack('span', { model: 'hf:owner/tiny', texts: ['a b c'], similarity: false });
    expect(found.model).toBe(model);
  });

  it('keeps the privacy record of a model that Epsilens trained', async () => {
    await offer(/^classifier/);
    const privacy = { mechanism: 'gaussian', noiseMultiplier: 1 } as const;
    const { model } = await fineTune({ model: 'hf:owner/tiny', data: 'hf:owner/texts:cola', epochs: 1, privacy });
    await model.save(join(hub.root(), 'saved'));
    hub.repositories.set('owner/private-bert', { branches: { main: filesOf(join(hub.root(), 'saved')) } });
    const loaded = await loadModel('hf:owner/private-bert');
    expect(loaded.privacy?.statement).toEqual(model.privacy?.statement);
    expect(loaded.privacy?.private).toBe(true);
  });
});

describe('a study', () => {
  const study = {
    name: 'tiny',
    training: { epochs: 1, batchSize: 10 },
    mechanisms: { gaussian: { noise: [1] } },
    attacks: { span: { count: 2, maxTokens: 8 } },
    seeds: [1],
  };

  it('names commits in its results', async () => {
    const model = await offer(/^classifier/);
    const folder = join(hub.root(), 'out');
    const downloaded = new Set<string>();
    const results = await calibrate(study, {
      model: 'hf:owner/tiny',
      data: 'hf:owner/texts:cola',
      folder,
      jobs: 0,
      onDownload: ({ source }) => downloaded.add(source),
    });
    expect([...downloaded]).toEqual(['hf:owner/tiny', 'hf:owner/texts']);
    expect(results.failures).toEqual([]);
    expect([results.study.model, results.study.data.source]).toEqual([model, dataSource]);
    expect(readFileSync(join(folder, 'study-tiny.yaml'), 'utf8')).toContain(`model: ${model}`);
  });

  it('is downloaded once, whatever the number of processes', async () => {
    await offer(/^classifier/);
    const file = join(hub.root(), 'study.yaml');
    writeFileSync(file, JSON.stringify({ ...study, model: 'hf:owner/tiny', data: { source: 'hf:owner/texts:cola' } }));
    const out = join(hub.root(), 'out');
    const { status, stdout } = await run('calibrate', file, '--jobs', '2', '--out', out, '--json', '--quiet');
    expect(status).toBe(0);
    expect(JSON.parse(stdout).failures).toEqual([]);
    expect(stored()).toBe(2);
    const asked = hub.seen.map(({ url }) => url);
    expect(new Set(asked).size).toBe(asked.length);
  });
});

/** The built command in a process of its own, while the server of this process answers it. */
function run(...args: string[]): Promise<{ readonly status: number | null; readonly stdout: string }> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece;
  });
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout })));
}
