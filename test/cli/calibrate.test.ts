// `epsilens calibrate`, `studies`, `show` and `report` as a person uses them. Trials run in processes, and so on the built package.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listStudies, studyToYaml } from '../../src/calibration/index.js';
import { tinyStudy } from '../calibration/tiny-study.js';
import { makeRoot } from '../models/tiny-models.js';
import { epsilens, main } from './epsilens.js';
import { inProcess } from './in-process.js';

const root = makeRoot();
const [file, out] = [join(root, 'tiny.yaml'), join(root, 'out')];
let first: ReturnType<typeof epsilens>;

beforeAll(async () => {
  writeFileSync(file, studyToYaml(await tinyStudy(root)));
  first = epsilens('calibrate', file, '--out', out, '--redact');
}, 180_000);

describe('epsilens calibrate', () => {
  it('prints a table, what was run, and where the report is', () => {
    expect(first.stderr).toBe('');
    expect(first.status).toBe(0);
    expect(first.stdout).toContain('26 trials: 26 run now, 0 reused;');
    expect(first.stdout).toContain(`Report (it shows private text): ${join(out, 'report.html')}`);
    expect(first.stdout).toContain(`Every figure, for epsilens verify: ${join(out, 'statement.json')}`);
    expect(first.stdout).toContain('κ = 10');
    for (const line of first.stdout.split('\n').filter((one) => !one.includes(root)))
      expect(line.length).toBeLessThanOrEqual(80);
  });

  it('writes the study, a store, a report with and without texts, charts and their rows', () => {
    expect(readdirSync(out).sort()).toEqual(
      [
        ...['artefacts', 'charts', 'lock', 'store.db', 'study-tiny.yaml'],
        ...['report-redacted.html', 'report.html', 'statement-redacted.json', 'statement.json'],
      ].sort(),
    );
    const text = readFileSync(join(root, 'texts.csv'), 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[0] as string);
    const shown = text.filter((one) => one !== '' && readFileSync(join(out, 'report.html'), 'utf8').includes(one));
    expect(shown.length).toBeGreaterThan(0);
    const redacted = readFileSync(join(out, 'report-redacted.html'), 'utf8');
    for (const one of shown) expect(redacted).not.toContain(one);
    const charts = readdirSync(join(out, 'charts'));
    expect(charts.filter((name) => name.endsWith('.svg')).length).toBeGreaterThanOrEqual(3);
    expect(charts.filter((name) => name.endsWith('.csv')).length).toBeGreaterThanOrEqual(3);
  });

  it('does nothing twice, and gives its results as JSON', async () => {
    const [old, own] = [join(out, 'charts', 'leakage-lamp-directional.svg'), join(out, 'charts', 'notes.svg')];
    for (const path of [old, own]) writeFileSync(path, '');
    const { status, stdout, stderr } = await inProcess('calibrate', file, '--out', out, '--resume', '--json');
    // A chart of an attack that the study no longer has.
    expect([existsSync(old), existsSync(own)]).toEqual([false, true]);
    expect([status, stderr]).toEqual([0, '']);
    const { run, report, levels } = JSON.parse(stdout);
    expect(run).toEqual({ trials: 26, reused: 26, ran: 0, failed: 0, left: 0, skipped: 0 });
    // The one without texts was not asked for: an old one is not left lying beside new results.
    expect(existsSync(join(out, 'report-redacted.html'))).toBe(false);
    expect(existsSync(report)).toBe(true);
    expect(levels).toHaveLength(5);
  }, 60_000);

  it('can be listed, shown and reported again', async () => {
    expect((await inProcess('studies')).stdout).toContain('bundled:bert-mini on bundled:mail');
    expect((await inProcess('studies')).stdout.replace(/\s+/g, ' ')).toContain(
      "needs --model: GPT-2, a folder in the Hugging Face layout; --data: GLUE's CoLA",
    );
    expect((await inProcess('studies', out)).stdout).toContain('tiny            26 of 26 trials done');
    expect((await inProcess('show', out)).stdout).toContain('κ = 10');
    const asked = (await inProcess('show', out, '--epsilon', '3', '--leakage-at-most', '0.4,auc=0.55')).stdout;
    expect(asked).toContain('(epsilon) of 3,');
    expect(asked).toContain('At most 40 %');
    const { answers } = JSON.parse((await inProcess('show', out, '--json', '--epsilon', '3')).stdout);
    expect(answers.question).toEqual({ epsilon: 3 });
    const shown = JSON.parse((await inProcess('show', out, '--json', '--redact')).stdout);
    expect(shown.levels[0].leakage.span.comparisons).toEqual([]);
    expect(shown.data.classes).toEqual(['class 1', 'class 2']);
    expect(shown.study.model).toBe('model');
    expect((await inProcess('report', out, '--redact')).stdout).toContain('Without texts: ');
    const again = await inProcess('calibrate', file, '--out', out, '--redact', '--json');
    expect(JSON.parse(again.stdout).report).toBe('report-redacted.html');
    expect(again.stdout).not.toContain(root);
  }, 60_000);

  it('keeps the reports of two studies in one folder apart, and counts skipped trials', async () => {
    const other = join(root, 'other.yaml');
    writeFileSync(other, readFileSync(file, 'utf8').replace('name: tiny', 'name: other'));
    const before = readFileSync(join(out, 'report.html'), 'utf8');
    const { stdout } = await inProcess('calibrate', other, '--out', out, '--only', 'span');
    expect(stdout).toContain('26 trials: 0 run now, 5 reused, 21 not asked for;');
    expect(stdout).toContain(join(out, 'report-other.html'));
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toBe(before);
    expect(existsSync(join(out, 'charts-other'))).toBe(true);
    expect((await inProcess('report', out, '--study', 'tiny')).stdout).toContain(join(out, 'report.html'));
    writeFileSync(other, readFileSync(other, 'utf8').replace(/^description:.*$/m, 'description: changed'));
    await inProcess('calibrate', other, '--out', out, '--only', 'span');
    const listed = (await inProcess('studies', out)).stdout.split(/^(?=\S)/m).map((one) => one.replace(/\s+/g, ' '));
    const others = listed.filter((one) => one.startsWith('other '));
    expect(others).toHaveLength(2);
    expect(others.filter((one) => one.includes(', replaced by a later version'))).toHaveLength(1);
  }, 60_000);

  it('says that it was stopped, keeps what is done, and resumes', async () => {
    const child = spawn(process.execPath, [main, 'calibrate', file, '--out', join(root, 'stopped'), '--jobs', '1']);
    let written = '';
    child.stderr.on('data', (text) => {
      written += text;
    });
    while (!existsSync(join(root, 'stopped', 'study-tiny.yaml')) || !listStudies(join(root, 'stopped'))[0]?.done) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect([code, written]).toEqual([1, 'epsilens: stopped; finished trials are kept, and the same command resumes\n']);
    const { stdout, status } = epsilens('calibrate', file, '--out', join(root, 'stopped'));
    expect(status).toBe(0);
    expect(stdout).not.toContain(' 0 reused');
  }, 120_000);

  const hostile = (name: string, text: string) => {
    const path = join(root, `${name}.yaml`);
    writeFileSync(path, text);
    return path;
  };

  it.each([
    ['a key that is not known', () => ['calibrate', hostile('a', 'name: a\nseed: [1]')], 2, 'did you mean seeds?'],
    ['bad YAML', () => ['calibrate', hostile('b', 'name: {')], 2, 'not YAML'],
    [
      'an impossible grid',
      () => ['calibrate', hostile('c', 'name: c\nmechanisms: {gaussian: {noise: [0]}}')],
      2,
      'noise.0: expected number to be >0, got 0',
    ],
    ['a model that is not there', () => ['calibrate', file, '--model', join(root, 'nowhere')], 1, 'nowhere'],
    [
      'data that are not there',
      () => ['calibrate', file, '--data', join(root, 'absent.csv')],
      1,
      'absent.csv: no such file or folder',
    ],
    [
      'data without rows',
      () => {
        writeFileSync(join(root, 'empty.csv'), 'text,label\n');
        return ['calibrate', file, '--data', join(root, 'empty.csv')];
      },
      1,
      'empty.csv',
    ],
    [
      'a kind of trial that is not known',
      () => ['calibrate', file, '--only', 'spam'],
      2,
      'invalid --only: expected some of features, tuning, train',
    ],
    [
      'a situation that is not known',
      () => ['calibrate', file, '--situation', 'cloud'],
      2,
      'invalid --situation: expected some of model, updates, gradients, server, got cloud',
    ],
    [
      'a situation without an attack',
      () => ['calibrate', file, '--situation', 'updates'],
      2,
      'invalid situations: expected those that some attack of the study belongs to',
    ],
    [
      'a limit out of range',
      () => ['calibrate', file, '--leakage-at-most', 'auc=1.5'],
      2,
      'expected an AUC from 0.5 (guessing) to below 1 for auc, got 1.5',
    ],
    [
      'a limit on something else',
      () => ['calibrate', file, '--leakage-at-most', 'words=0.5'],
      2,
      'invalid --leakage-at-most: expected a limit such as text=0.2, auc=0.6 or tpr=0.05, got words=0.5',
    ],
    ['a folder without a study', () => ['show', root], 1, 'expected a folder that epsilens calibrate wrote'],
  ] as const)(
    'says in one sentence what is wrong with %s',
    async (_, command, code, sentence) => {
      const [name, ...rest] = command();
      const { status, stdout, stderr } = await inProcess(
        name as string,
        ...rest,
        ...(name === 'calibrate' ? ['--out', join(root, 'wrong')] : []),
      );
      expect(stderr).toContain(sentence);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect([status, stdout]).toEqual([code, '']);
      expect(existsSync(join(root, 'wrong'))).toBe(false);
    },
    30_000,
  );

  it('says that a folder cannot be written', async () => {
    writeFileSync(join(root, 'file'), '');
    const { status, stderr } = await inProcess('calibrate', file, '--out', join(root, 'file', 'inner'));
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect((await inProcess('calibrate', file, '--out', join(root, 'file'))).stderr).toContain(
      'file: expected a folder, or a place for one, got a file: choose another path',
    );
  });
});
