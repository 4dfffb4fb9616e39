// Who may read what the commands write, at the usual umask of 022: files with private text, features, losses and figures belong to
// their owner alone. Only what is made to be passed on is readable by others.

import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { studyToYaml } from '../../src/calibration/index.js';
import { tinyStudy } from '../calibration/tiny-study.js';
import { makeRoot } from '../models/tiny-models.js';
import { main } from './epsilens.js';

const root = makeRoot();
const cache = join(root, 'cache');
const [model, data] = [join(root, 'model'), join(root, 'texts.csv')];

function run(...args: string[]): void {
  const { status, stderr } = spawnSync('sh', ['-c', 'umask 022; exec "$0" "$@"', process.execPath, main, ...args], {
    encoding: 'utf8',
    env: { ...process.env, EPSILENS_CACHE: cache },
  });
  expect([status, stderr]).toEqual([0, '']);
}

/** Every file and folder below, with its mode: names that differ between runs have a star. */
function modesIn(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string) => {
    const stats = statSync(path);
    const name = relative(folder, path).replace(/[0-9a-f]{20,}/g, '*');
    found[stats.isDirectory() ? `${name}/` : name] = (stats.mode & 0o777).toString(8);
    if (stats.isDirectory()) for (const inner of readdirSync(path)) visit(join(path, inner));
  };
  visit(folder);
  return found;
}

const openToOthers = (modes: Record<string, string>) =>
  Object.keys(modes).filter((name) => !/^[67]00$/.test(modes[name] as string));

describe.skipIf(process.platform === 'win32')('what others may read', () => {
  beforeAll(async () => {
    const study = await tinyStudy(root);
    writeFileSync(join(root, 'tiny.yaml'), studyToYaml(study));
  });

  it('is the saved model of a run, and nothing else of it', () => {
    const out = join(root, 'deep', 'run');
    const noise = ['--mechanism', 'gaussian', '--noise', '1', '--accountant', 'rdp', '--diagnostics'];
    run(
      'train',
      '--model',
      model,
      '--data',
      data,
      '--out',
      out,
      '--epochs',
      '1',
      '--batch-size',
      '20',
      ...noise,
      '--quiet',
    );
    const modes = modesIn(out);
    expect(modes).toMatchObject({
      '/': '700',
      'run.json': '600',
      'ledger.jsonl': '600',
      'checkpoint.safetensors': '600',
      'metrics.jsonl': '600',
      'result.json': '600',
      'model/model.safetensors': '644',
    });
    const model_ = [
      'README.md',
      'config.json',
      'model.safetensors',
      'privacy.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ];
    expect(openToOthers(modes)).toEqual(['model/', ...model_.map((name) => `model/${name}`)]);
    expect(modesIn(join(root, 'deep'))['/']).toBe('700');
  });

  it('is the redacted report of a study with its statement, and nothing else of it', () => {
    const out = join(root, 'study');
    run('calibrate', join(root, 'tiny.yaml'), '--out', out, '--redact', '--quiet');
    const modes = modesIn(out);
    expect(modes).toMatchObject({
      '/': '700',
      'store.db': '600',
      'study-tiny.yaml': '600',
      'report.html': '600',
      'report-redacted.html': '644',
      'charts/': '700',
      'artefacts/': '700',
      'artefacts/*/': '700',
      'artefacts/*/trained.safetensors': '600',
      'artefacts/*/recovered.json': '600',
      'artefacts/*/ranks.json': '600',
      'artefacts/records-*.json': '600',
    });
    expect(openToOthers(modes)).toEqual(['report-redacted.html', 'statement-redacted.json']);
  }, 120_000);

  it('is nothing of the cache, of the results of an attack, and of data that was split', () => {
    const [attacked, split] = [join(root, 'attacked'), join(root, 'split')];
    run(
      'attack',
      'span',
      '--model',
      model,
      '--data',
      data,
      '--count',
      '2',
      '--no-similarity',
      '--out',
      attacked,
      '--quiet',
    );
    run('data', data, '--split', '75/25', '--out', split);
    expect(modesIn(cache)).toMatchObject({ '/': '700', 'features/': '700', 'features/*.safetensors': '600' });
    expect(Object.keys(modesIn(attacked))).toEqual(expect.arrayContaining(['settings.json', 'batches.jsonl']));
    expect(Object.keys(modesIn(split))).toContain('split.json');
    for (const folder of [cache, attacked, split]) expect(openToOthers(modesIn(folder)), folder).toEqual([]);
  });
});
