// `epsilens train` with a mechanism, as a person uses it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../../src/models/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { main } from './epsilens.js';
import { inProcess } from './in-process.js';

const root = makeRoot();
const [model, data] = [join(root, 'model'), join(root, 'data')];
const settings = ['--model', model, '--data', data, '--epochs', '3', '--batch-size', '8'];
const train = (out: string, ...args: string[]) => inProcess('train', ...settings, '--out', join(root, out), ...args);
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');
const linesOf = (...path: string[]) =>
  read(...path)
    .trim()
    .split('\n');
const seeded = ['--mechanism', 'gaussian', '--noise', '1', '--insecure-seed', '7'];

beforeAll(async () => {
  await writeTiny(model, 'bert', { without: /^classifier/ });
  mkdirSync(data);
  const rows = Array.from(
    { length: 40 },
    (_, i) => `${i % 2 === 0 ? 'a a' : 'b b'} c\t${i % 2 === 0 ? 'good' : 'bad'}`,
  );
  writeFileSync(join(data, 'train.tsv'), ['sentence\tlabel', ...rows].join('\n'));
  writeFileSync(join(data, 'dev.tsv'), ['sentence\tlabel', ...rows.slice(0, 10)].join('\n'));
});

describe('epsilens train with a mechanism', () => {
  it('finds the noise for ε, says what holds, and keeps a ledger', async () => {
    const { status, stdout, stderr } = await train(
      'epsilon',
      '--mechanism',
      'gaussian',
      '--epsilon',
      '5',
      '--diagnostics',
    );
    expect([status, stderr]).toEqual([0, '']);
    const said = stdout.replace(/\s+/g, ' ');
    expect(said).toMatch(
      /Privacy: normal noise of [\d.]+ × clip norm 1; Poisson batches of 8 on average \(sample rate 0\.2\)/,
    );
    expect(said).toContain('15 steps counted');
    expect(said).toMatch(/Epsilon is (4\.9\d*|5) with delta [\d.e-]+ for adding or removing one example, by the pld/);
    expect(said).toContain('Not covered: data used before this');
    expect(said).toContain('delta was not given');
    expect(linesOf('epsilon', 'ledger.jsonl').length).toBe(1 + 15);
    const metrics = linesOf('epsilon', 'metrics.jsonl').map((line) => JSON.parse(line));
    expect(metrics.length).toBe(15 + 3);
    expect(metrics.every(({ note }) => note === 'not private, do not publish')).toBe(true);
    expect(metrics[0].diagnostics.cosineToSum).toBeLessThanOrEqual(1);
    const result = JSON.parse(read('epsilon', 'result.json'));
    expect(result).toMatchObject({ private: true, finished: true, steps: 15, privacy: { stepsCounted: 15 } });
    expect(result.privacy.guarantee.epsilon).toBeLessThanOrEqual(5);
    expect((await loadModel(join(root, 'epsilon', 'model'))).newlyInitialized).toEqual([]);
  });

  it('trains with directions, by layers, and prints one JSON document', async () => {
    const args = ['--mechanism', 'directional', '--concentration', '100', '--parameter-groups', 'layers', '--json'];
    const { status, stdout, stderr } = await train('directions', ...args);
    expect([status, stderr]).toEqual([0, '']);
    const report = JSON.parse(stdout);
    expect(report).toEqual(JSON.parse(read('directions', 'result.json')));
    // 2κ for each of three epochs and two parts.
    expect(report.privacy.guarantee).toMatchObject({ epsilon: 1200, delta: 0, neighbours: 'replace-one' });
    expect(report.plan.parameterGroups.length).toBe(2);
    expect(linesOf('directions', 'ledger.jsonl').length).toBe(1 + 15);
  });

  it('repeats with an insecure seed, and says loudly that nothing is promised', async () => {
    const weights = async (out: string) => [
      ...((await (await loadModel(join(root, out, 'model'))).parameters.get('classifier.weight')?.read()) ?? []),
    ];
    const first = await train('seeded', ...seeded);
    expect(first.status).toBe(0);
    expect(first.stderr).toMatch(/^warning: --insecure-seed: .*\nthe guarantee is void, do not release the model\n$/);
    expect(first.stdout).toContain('The noise came from a seed');
    expect(JSON.parse(read('seeded', 'result.json')).private).toBe(false);
    expect((await train('again', ...seeded, '--quiet')).status).toBe(0);
    expect(await weights('again')).toEqual(await weights('seeded'));
    await train('secret', '--mechanism', 'gaussian', '--noise', '1');
    expect(await weights('secret')).not.toEqual(await weights('seeded'));
  });

  it('refuses what does not fit together with one sentence, before anything is written', async () => {
    const gaussian = ['--mechanism', 'gaussian'];
    const cases = [
      [
        [...gaussian, '--noise', '1', '--concentration', '5'],
        '--concentration is for --mechanism directional, got --mechanism gaussian',
      ],
      [
        ['--mechanism', 'directional', '--concentration', '5', '--noise', '1'],
        '--noise is for --mechanism gaussian or gaussian-normalised, got --mechanism directional',
      ],
      [['--noise', '1'], '--noise is for --mechanism gaussian or gaussian-normalised, got --mechanism none'],
      [[...gaussian], 'needs either --epsilon or --noise'],
      [[...gaussian, '--epsilon', '1', '--noise', '1'], 'needs either --epsilon or --noise'],
      [['--mechanism', 'directional'], '--mechanism directional needs --concentration'],
      [['--mechanism', 'vmf'], '--mechanism vmf is now --mechanism directional'],
      [['--mechanism', 'directional', '--kappa', '5'], '--kappa is now --concentration'],
      [['--bounding', 'clip'], '--bounding is now --clipping'],
      [['--batch', '8'], '--batch is now --batch-size'],
      [['--train', 'head'], '--train is now --trainable'],
      [['--parts', 'layers'], '--parts is now --parameter-groups'],
      [
        ['--insecure-seed', '1'],
        '--insecure-seed is for --mechanism gaussian or gaussian-normalised or directional, got --mechanism none',
      ],
      [[...gaussian, '--noise', '1', '--delta', '2'], 'invalid --delta: expected a number > 0 and < 1, got 2'],
      [['--mechanism', 'magic'], 'expected none, gaussian, gaussian-normalised or directional, got magic'],
      [
        [...gaussian, '--noise', '1', '--sampler', 'fixed'],
        'invalid --sampler: expected poisson or shuffled, got fixed',
      ],
      [[...gaussian, '--noise', '1', '--clipping', 'cut'], 'invalid --clipping: expected clip or normalise, got cut'],
    ] as const;
    for (const [args, message] of cases) {
      const { status, stdout, stderr } = await train('never', ...args);
      expect(stderr).toContain(message);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr.trim().split('\n').length).toBe(1);
      expect(existsSync(join(root, 'never'))).toBe(false);
    }
  });

  it('stops after the step at Ctrl-C, and resumes when asked, only with the same plan', async () => {
    const out = join(root, 'stopped');
    const long = ['--epochs', '2000', ...seeded];
    const child = spawn(process.execPath, [main, 'train', ...settings, '--out', out, ...long], { stdio: 'ignore' });
    const metrics = join(out, 'metrics.jsonl');
    while (!existsSync(metrics)) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
    const { steps, finished, privacy } = JSON.parse(read('stopped', 'result.json'));
    expect(finished).toBe(false);
    expect(steps).toBeGreaterThan(0);
    expect(privacy.stepsCounted).toBe(steps);
    expect(linesOf('stopped', 'ledger.jsonl').length).toBe(1 + steps);
    expect(readdirSync(out).filter((name) => name.endsWith('.tmp'))).toEqual([]);

    expect(await train('stopped', ...long)).toMatchObject({ status: 2, stdout: '' });
    const noise = [...long, '--noise', '2'];
    const changed = await train('stopped', ...noise, '--resume');
    expect(changed.status).toBe(1);
    expect(changed.stderr).toContain('the run was started with --noise = 1, this one has 2');

    const resumed = spawn(process.execPath, [main, 'train', ...settings, '--out', out, ...long, '--resume'], {
      stdio: 'ignore',
    });
    while (linesOf('stopped', 'ledger.jsonl').length < steps + 20)
      await new Promise((resolve) => setTimeout(resolve, 20));
    resumed.kill('SIGINT');
    await once(resumed, 'exit');
    const later = JSON.parse(read('stopped', 'result.json'));
    expect(later.steps).toBeGreaterThan(steps);
    expect(later.privacy.stepsCounted).toBe(later.steps);
    expect(later.privacy.guarantee.epsilon).toBeGreaterThan(privacy.guarantee.epsilon);
  });
});
