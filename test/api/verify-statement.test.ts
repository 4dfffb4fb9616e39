// Statements of studies: confirmed as written, and contradicted figure by figure where they were edited.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  differencesOf,
  digestOfStatement,
  runStudy,
  type Study,
  studyFromYaml,
  withQuestion,
} from '../../src/calibration/index.js';
import { collectResults } from '../../src/calibration/public.js';
import { verifyStatement, writeReport } from '../../src/index.js';
import { openDatabase } from '../../src/platform/index.js';
import { tinyStudy } from '../calibration/tiny-study.js';
import { inProcess } from '../cli/in-process.js';
import { makeRoot } from '../models/tiny-models.js';

const root = makeRoot();
const folder = join(root, 'out');
const file = join(folder, 'statement.json');
let study: Study;

interface Editable {
  [key: string]: Editable;
}
const read = (path = file) => JSON.parse(readFileSync(path, 'utf8'));

/** Writes an edited copy beside the original. `honest` gives it the digest of what it says, as a careful forger would. */
function edited(change: (statement: Editable) => void, { honest = true } = {}): string {
  const statement = read();
  change(statement);
  if (honest) statement.digest = digestOfStatement(statement);
  const path = join(folder, 'edited.json');
  writeFileSync(path, JSON.stringify(statement));
  return path;
}

/** Sets a field at a path such as `levels.3.privacy.epsilon`. */
const set = (path: string, value: unknown) => (statement: Editable) => {
  const keys = path.split('.');
  const last = keys.pop() as string;
  const inner = keys.reduce((here, key) => here[key] as Editable, statement);
  (inner as Record<string, unknown>)[last] = value;
};

beforeAll(async () => {
  study = await tinyStudy(root, 'description: a study of seconds');
  await runStudy({ study, folder, jobs: 0 });
  await writeReport(await collectResults(folder), { folder, redact: true });
}, 180_000);

describe('the statement of a study', () => {
  it('holds hashes, plan, versions and all figures, in a fixed order', async () => {
    const statement = read();
    expect(Object.keys(statement)).toEqual(Object.keys(statement).toSorted());
    expect(statement).toMatchObject({
      kind: 'epsilens statement of a study',
      format: 1,
      redacted: false,
      epsilens: expect.stringMatching(/^\d/),
      computedWith: [
        { node: process.versions.node, onnxRuntime: expect.stringMatching(/^1\./), epsilens: expect.any(String) },
      ],
      study: { name: 'tiny', model: 'model', data: { source: 'texts.csv' } },
      model: { name: 'model', digest: expect.stringMatching(/^[0-9a-f]{64}$/), tokenizer: expect.any(String) },
      data: { classes: 2, train: 48, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(statement.levels[3]).toMatchObject({
      level: { mechanism: 'gaussian', parameter: 1 },
      plan: { examples: 48, batchSize: 16, epochs: 2, steps: 6 },
      privacy: {
        epsilon: expect.any(Number),
        delta: expect.any(Number),
        neighbours: 'add-or-remove-one',
        unit: 'example',
        accountant: 'pld',
        bound: 'upper',
      },
      utility: { accuracy: { mean: expect.any(Number), count: 2 } },
      leakage: { span: { mean: expect.any(Number), lower: expect.any(Number), floor: expect.any(Number), count: 3 } },
    });
    const before = readFileSync(file, 'utf8');
    // Running it again does nothing, and so changes nothing.
    await runStudy({ study, folder, jobs: 0 });
    await writeReport(await collectResults(folder), { folder, redact: true });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('holds no text of the data set and no path', () => {
    const texts = readFileSync(join(root, 'texts.csv'), 'utf8').trim().split('\n').slice(1);
    for (const path of [file, join(folder, 'statement-redacted.json')]) {
      const text = readFileSync(path, 'utf8');
      expect(text).not.toContain(root);
      for (const one of texts) expect(text).not.toContain(one.split(',')[0]);
    }
    const redacted = read(join(folder, 'statement-redacted.json'));
    expect(redacted).toMatchObject({ redacted: true, studyDigest: read().studyDigest });
    expect(JSON.stringify(redacted)).not.toContain(read().data.digest);
  });

  it('is named by the report', () => {
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain(
      '<code>npx epsilens verify statement.json</code>',
    );
    expect(readFileSync(join(folder, 'report-redacted.html'), 'utf8')).toContain('verify statement-redacted.json');
  });
});

describe('verifyStatement', () => {
  it('confirms a statement as it was written, redacted or not, by file or folder', async () => {
    for (const path of [file, folder, join(folder, 'statement-redacted.json')]) {
      const found = await verifyStatement(path);
      expect(found).toMatchObject({ study: 'tiny', status: 'confirmed', differences: [] });
      expect(found.figures).toBeGreaterThan(300);
      expect(found.findings).toContain('ε was computed again from the plan at 3 levels.');
    }
  });

  it.each([
    ['utility', 'levels.3.utility.accuracy.mean', 0.99],
    ['an interval', 'levels.3.utility.accuracy.lower', 0.98],
    ['leakage', 'levels.0.leakage.span.mean', 0.05],
    ['a floor', 'levels.2.leakage.span.floor', 0.77],
    ['another measure', 'levels.0.leakage.membership.measures.advantage.mean', -0.3],
    ['membership', 'levels.4.leakage.membership.upper', 0.123],
    ['δ', 'levels.3.privacy.delta', 1e-9],
    ['neighbours', 'levels.3.privacy.neighbours', 'replace-one'],
    ['the accountant', 'levels.3.privacy.accountant', 'rdp'],
    ['a parameter', 'levels.3.level.parameter', 2],
    ['ε of a shared gradient', 'levels.3.shared.once.epsilon', 0.5],
    ['an answer', 'answers.situations.0.mechanisms.0.clean.0.mean', 0.01],
    ['steps', 'levels.3.plan.steps', 5],
    ['the batch size', 'levels.3.plan.batchSize', 8],
    ['a conclusion', 'conclusions.mechanisms.0.utility.kind', 'never'],
    ['the digest of the model', 'model.digest', 'f'.repeat(64)],
    ['the digest of the data', 'data.digest', '0'.repeat(64)],
    ['the study', 'study.training.clipNorm', 0.5],
    ['the number of examples', 'data.train', 480],
    ['what failed', 'failed', 3],
    ['the note', 'note', 'all is well'],
  ])('names %s that was edited', async (_, path, value) => {
    const found = await verifyStatement(edited(set(path, value)));
    expect(found.status).toBe('contradicted');
    const figure = path.replace(/\.(\d+)/g, '[$1]');
    expect(found.differences).toContainEqual(expect.objectContaining({ figure, stated: value }));
  });

  it('confirms answers to another question', async () => {
    const asked = withQuestion(await collectResults(folder), {
      epsilon: 3,
      leakageAtMost: [{ measure: 'text', most: 0.4 }],
    });
    const other = join(root, 'asked');
    await writeReport(asked, { folder: other });
    const found = await verifyStatement(join(other, 'statement.json'), { folder });
    expect(found).toMatchObject({ status: 'confirmed', differences: [] });
  });

  it('notices by the digest that a file was changed, even where nothing is compared', async () => {
    const found = await verifyStatement(edited(set('epsilens', '9.9.9'), { honest: false }));
    expect(found).toMatchObject({ status: 'contradicted', differences: [] });
    expect(found.findings[0]).toBe('The digest does not fit the content: the file was changed after it was written.');
  });

  it('names an edited ε once, and finds it without the store too, by the plan', async () => {
    const own = read().levels[3].privacy.epsilon;
    const lower = set('levels.3.privacy.epsilon', own / 2);
    const found = await verifyStatement(edited(lower));
    const difference = { figure: 'levels[3].privacy.epsilon', stated: own / 2, found: own };
    expect(found.differences).toEqual([{ ...difference, by: 'store' }]);
    const away = join(root, 'away');
    mkdirSync(away, { recursive: true });
    cpSync(edited(lower), join(away, 'edited.json'));
    expect(await verifyStatement(join(away, 'edited.json'))).toMatchObject({
      status: 'contradicted',
      differences: [{ ...difference, by: 'plan' }],
      figures: 0,
    });
  });

  it('names what was added and what was left out', async () => {
    const added = await verifyStatement(edited(set('levels.0.privacy', { epsilon: 1 })));
    expect(added.differences[0]).toEqual({ figure: 'levels[0].privacy', stated: { epsilon: 1 }, by: 'store' });
    const cut = await verifyStatement(
      edited((statement) => {
        (statement.levels as unknown as object[]).pop();
      }),
    );
    expect(cut.differences).toContainEqual(expect.objectContaining({ figure: 'levels[4]', by: 'store' }));
    expect(cut.differences.find(({ figure }) => figure === 'levels[4]')).not.toHaveProperty('stated');
    for (const broken of [
      set('levels', 'none'),
      set('study', null),
      set('levels.3.level', 7),
      set('levels.3.plan', []),
    ]) {
      expect((await verifyStatement(edited(broken))).status).not.toBe('confirmed');
    }
  });

  it('accounts for tuning runs and for layers with noise of their own', async () => {
    const layered = studyFromYaml(
      `
name: layered
model: ${study.model}
data: {source: ${study.data.source}, maxTokens: 10}
training: {epochs: {tune: [1, 2]}, batchSize: 16, tuning: {accounted: true, levels: 1}}
mechanisms:
  gaussian: {noise: [1, 4], accountant: rdp}
  directional: {concentration: [100], parameterGroups: layers}
seeds: [1]`,
      'layered',
    );
    await runStudy({ study: layered, folder, jobs: 0 });
    const { statement } = await writeReport(await collectResults(folder), { folder });
    expect(statement).toBe(join(folder, 'statement-layered.json'));
    expect(read(statement).trainable.layers).toBe(2);
    expect(await verifyStatement(statement)).toMatchObject({ status: 'confirmed', differences: [] });
    // The statement of the first study is still about its own.
    expect(await verifyStatement(file)).toMatchObject({ study: 'tiny', status: 'confirmed' });
    const without = read(statement);
    without.trainable.layers = undefined;
    const path = join(root, 'without-layers.json');
    writeFileSync(path, JSON.stringify({ ...without, digest: digestOfStatement(without) }));
    const found = await verifyStatement(path);
    expect(found.status).toBe('unconfirmed');
    expect(found.findings.join(' ')).toContain('.privacy cannot be computed again: invalid parameterGroups');
  }, 60_000);

  it('cannot confirm without the store, of another study, format or version', async () => {
    const away = join(root, 'alone', 'statement.json');
    cpSync(file, away);
    const alone = await verifyStatement(away);
    expect(alone).toMatchObject({ status: 'unconfirmed', differences: [] });
    expect(alone.findings[0]).toBe(
      `There is no store at ${join(root, 'alone', 'store.db')}: give the folder of the study.`,
    );
    expect((await verifyStatement(away, { folder })).status).toBe('confirmed');
    const other = await verifyStatement(edited(set('study.name', 'other')));
    expect(other).toMatchObject({ study: 'other', status: 'unconfirmed' });
    expect(other.findings[0]).toBe(
      'The store cannot answer: expected a study called other in its folder, got tiny, layered.',
    );
    const later = await verifyStatement(edited(set('format', 2)));
    expect(later).toMatchObject({ status: 'unconfirmed', findings: [expect.stringContaining('It has format 2')] });
    const old = await verifyStatement(
      edited((statement) => {
        set('epsilens', '0.0.1')(statement);
        set('levels.0.leakage.span.mean', 0.5)(statement);
      }),
    );
    expect(old.status).toBe('unconfirmed');
    expect(old.findings[0]).toContain('It says that epsilens 0.0.1 wrote it');
    expect(old.differences).toHaveLength(1);
  });

  it('says that a study has gone on since', async () => {
    const copy = join(root, 'gone-on');
    cpSync(folder, copy, { recursive: true });
    const database = openDatabase(join(copy, 'store.db'));
    database.exec("UPDATE trials SET finished = '2999-01-01T00:00:00.000Z' WHERE kind = 'span'");
    database.close();
    const found = await verifyStatement(copy);
    expect(found.status).toBe('unconfirmed');
    expect(found.findings[0]).toContain('The last trial of the store finished at 2999-01-01');
  });

  it('notices a store in which ε was changed, by the plan', async () => {
    const copy = join(root, 'changed-store');
    cpSync(folder, copy, { recursive: true });
    const database = openDatabase(join(copy, 'store.db'));
    const own = read().levels[3].privacy.epsilon;
    database.exec(`UPDATE trials SET details = replace(details, '"epsilon":"${own}"', '"epsilon":"0.1"')`);
    database.close();
    await writeReport(await collectResults(copy, 'tiny'), { folder: copy });
    expect(await verifyStatement(copy)).toMatchObject({
      status: 'contradicted',
      differences: [{ figure: 'levels[3].privacy.epsilon', stated: 0.1, found: own, by: 'plan' }],
    });
  });

  it('does not take ε on trust where the store has no plan', async () => {
    const copy = join(root, 'without-plans');
    cpSync(folder, copy, { recursive: true });
    const database = openDatabase(join(copy, 'store.db'));
    const own = read().levels[3].privacy.epsilon;
    database.exec(`UPDATE trials SET details = replace(details, '"epsilon":"${own}"', '"epsilon":"0.1"')`);
    database.exec("UPDATE trials SET details = json_remove(details, '$.settings') WHERE details LIKE '%guarantee%'");
    database.close();
    await writeReport(await collectResults(copy, 'tiny'), { folder: copy });
    const found = await verifyStatement(copy);
    expect(found.status).toBe('unconfirmed');
    expect(found.findings.join(' ')).toContain('levels[3].privacy cannot be computed again: the level has no plan.');
  });

  it('names sizes that study and data do not have, and a δ however small', async () => {
    const smaller = await verifyStatement(edited(set('levels.3.plan.epochs', 1)), { folder: root });
    expect(smaller.differences).toContainEqual(
      expect.objectContaining({ figure: 'levels[3].plan.epochs', stated: 1, by: 'plan' }),
    );
    expect(differencesOf({ delta: 0, gap: 0 }, { delta: 9e-13, gap: 9e-13 })).toEqual([
      { figure: 'delta', stated: 0, found: 9e-13 },
    ]);
  });

  it('refuses what is no statement, in one sentence', async () => {
    const path = join(root, 'other.json');
    await expect(verifyStatement(path)).rejects.toThrow(`${path}: no such file`);
    writeFileSync(path, '{"kind": ');
    await expect(verifyStatement(path)).rejects.toThrow(`${path}: not JSON: `);
    writeFileSync(path, '[]');
    await expect(verifyStatement(path)).rejects.toThrow(`${path}: expected a JSON object`);
    writeFileSync(path, '{"kind": "shopping list"}');
    await expect(verifyStatement(path)).rejects.toThrow(
      'expected a statement of a study (kind “epsilens statement of a study”), got "shopping list"',
    );
    await expect(verifyStatement('')).rejects.toThrow('expected the path of a statement');
    await expect(verifyStatement(file, { store: root } as object)).rejects.toThrow('unknown option store');
  });
});

describe('epsilens verify', () => {
  it('confirms a statement, or all of a folder', async () => {
    rmSync(join(folder, 'edited.json'), { force: true });
    const { status, stdout, stderr } = await inProcess('verify', folder);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${file}: confirmed\n  Study tiny.\n`);
    expect(stdout).toContain(`${join(folder, 'statement-redacted.json')}: confirmed`);
  });

  it('prints every figure that differs, and ends with exit code 1', async () => {
    const path = edited(set('levels.0.leakage.span.mean', 0.05));
    const { status, stdout } = await inProcess('verify', path);
    expect(status).toBe(1);
    expect(stdout).toContain(`${path}: contradicted`);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'levels[0].leakage.span.mean: the statement says 0.05, the store gives 1.',
    );
    const json = JSON.parse((await inProcess('verify', path, '--json')).stdout);
    expect(json).toMatchObject({ confirmed: false, statements: [{ status: 'contradicted', study: 'tiny' }] });
    expect(json).not.toHaveProperty('models');
  });

  it('prints no control characters of a statement, and few of many differences', async () => {
    const path = edited((statement) => {
      set('study.name', 'ti\u001b[31mny')(statement);
      set('note', '\u001b[2J')(statement);
    });
    expect((await inProcess('verify', path)).stdout).not.toContain('\u001b');
    const many = edited((statement) => {
      set('levels', [])(statement);
      for (const key of Object.keys(statement.study as object)) set(`study.${key}`, 1)(statement);
      set('study.name', 'tiny')(statement);
      for (let i = 0; i < 40; i++) set(`data.more${i}`, i)(statement);
    });
    expect((await inProcess('verify', many)).stdout).toMatch(/\d+ more figures differ; --json lists all of\s+them/);
  });

  it('refuses flags that belong to the other kind', async () => {
    expect(await inProcess('verify', file, '--ledger', file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--ledger belongs to a saved model'),
    });
    expect(await inProcess('verify', join(root, 'model'), '--folder', folder)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--folder belongs to statements of studies'),
    });
    const empty = join(root, 'no-statement');
    mkdirSync(empty);
    cpSync(join(folder, 'store.db'), join(empty, 'store.db'));
    expect(await inProcess('verify', empty)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('got none: write it with epsilens report'),
    });
  });
});
