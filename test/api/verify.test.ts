// What a saved model promises travels with it, and is compared with the ledger of its run.

import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyModels } from '../../src/api/index.js';
import { union } from '../../src/api/verify-runs.js';
import { ArgumentError, FileError, type FineTuneOptions, fineTune, loadModel } from '../../src/index.js';
import { loadModel as loadPlainModel, saveModel as savePlainModel } from '../../src/models/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { writeReviews } from '../tiny-reviews.js';

const root = makeRoot();
const [model, data] = [join(root, 'model'), join(root, 'data')];
beforeAll(() => writeReviews(root));
const fresh = () => mkdtempSync(join(root, 'run-'));
const settings = { model, data, epochs: 4, batchSize: 8, privacy: { noiseMultiplier: 2, accountant: 'rdp' } } as const;
const run = (folder: string, rest: Partial<FineTuneOptions> = {}) => fineTune({ ...settings, folder, ...rest });

/** A run that is stopped after some steps. */
async function interrupted(folder: string): Promise<void> {
  const stop = new AbortController();
  const onProgress: FineTuneOptions['onProgress'] = (now) => {
    if (now.stage === 'training' && now.step === 5) stop.abort();
  };
  await expect(run(folder, { signal: stop.signal, onProgress })).rejects.toThrow();
}

const ledgerOf = (folder: string) => join(folder, 'ledger.jsonl');
const edit = (path: string, change: (text: string) => string) =>
  writeFileSync(path, change(readFileSync(path, 'utf8')));
const editRecord = (folder: string, change: (record: Record<string, never>) => void) =>
  edit(join(folder, 'model', 'privacy.json'), (text) => {
    const record = JSON.parse(text);
    change(record);
    return JSON.stringify(record);
  });

describe('a saved model', () => {
  it('carries its guarantee, as data and in its README', async () => {
    const folder = fresh();
    const { privacy } = await run(folder);
    const record = JSON.parse(readFileSync(join(folder, 'model', 'privacy.json'), 'utf8'));
    expect(record).toMatchObject({ private: true, run: privacy.run, guarantee: privacy.guarantee, stepsCounted: 20 });
    expect(record.statement).toEqual(privacy.statement);
    // Counts that come from the data stay in the run's own folder.
    expect(JSON.stringify(record)).not.toMatch(/nonFinite|"zero"/);
    const page = readFileSync(join(folder, 'model', 'README.md'), 'utf8');
    for (const sentence of privacy.statement) expect(page).toContain(`- ${sentence}`);
    expect(page).not.toContain(root);
    expect(privacy.statement.join(' ')).toContain(`This holds for one model of run ${privacy.run}`);
    // It is still there after loading and saving again.
    const copy = fresh();
    const loaded = await loadModel(join(folder, 'model'));
    expect(loaded.privacy?.guarantee).toEqual(privacy.guarantee);
    await loaded.save(copy);
    expect(JSON.parse(readFileSync(join(copy, 'privacy.json'), 'utf8'))).toEqual(record);
  });

  it('without privacy says that it has none, and takes the place of one that had', async () => {
    const folder = fresh();
    await (await fineTune({ ...settings, folder: fresh() })).model.save(folder);
    await (await loadModel(model)).save(folder);
    await expect(verifyModels([folder])).resolves.toMatchObject({ models: [{ status: 'unconfirmed' }] });
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain('Nothing is known about the privacy');
    const { privacy: _, ...plain } = settings;
    await (await fineTune({ ...plain, epochs: 1 })).model.save(folder);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain('There is no privacy guarantee');
  });

  it('keeps a README that somebody wrote', async () => {
    const folder = fresh();
    writeFileSync(join(folder, 'README.md'), '# Ours\n');
    await (await fineTune({ ...settings, epochs: 1 })).model.save(folder);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('# Ours\n');
  });

  it('trained further names the guarantee it started from', async () => {
    const folder = fresh();
    const first = await run(folder);
    for (const start of [join(folder, 'model'), first.model]) {
      const second = await fineTune({ ...settings, model: start, epochs: 1 });
      expect(second.model.privacy?.before?.run).toBe(first.privacy.run);
      expect(second.privacy.statement.at(-1)).toContain('for data that these runs used too, the guarantees add up');
    }
    // A model that was loaded without its methods is known by its folder.
    const plain = await loadPlainModel(join(folder, 'model'));
    const third = await fineTune({ ...settings, model: plain, epochs: 1 });
    expect(third.model.privacy?.before?.run).toBe(first.privacy.run);
  });

  it.each([
    ['without noise', undefined],
    ['with noise from a seed', { ...settings.privacy, insecureSeed: 1 }],
  ])('that started from one trained %s promises nothing for its data, and is not confirmed', async (_, privacy) => {
    const [one, two, three] = [fresh(), fresh(), fresh()];
    await fineTune({ model, data, epochs: 1, batchSize: 8, folder: one, ...(privacy && { privacy }) });
    for (const [from, to] of [
      [one, two],
      [two, three],
    ] as const) {
      const { privacy: found } = await run(to, { model: join(from, 'model'), epochs: 1 });
      expect(found.statement.at(-1)).toContain('for data that it was trained on, nothing is promised');
      expect((await verifyModels([join(to, 'model')])).models[0]).toMatchObject({ status: 'unconfirmed' });
    }
  });

  it('with a record that cannot be read is refused before anything is trained', async () => {
    const folder = fresh();
    await (await loadModel(model)).save(folder);
    writeFileSync(join(folder, 'privacy.json'), '{}');
    const stages: string[] = [];
    const begun = fineTune({ ...settings, model: folder, onProgress: ({ stage }) => void stages.push(stage) });
    await expect(begun).rejects.toThrow('expected a privacy record of version 1');
    expect(stages).not.toContain('training');
  });

  it('leaves no statement of other weights behind', async () => {
    const folder = fresh();
    await (await fineTune({ ...settings, epochs: 1 })).model.save(folder);
    await savePlainModel(folder, await loadPlainModel(model));
    expect(readdirSync(folder)).not.toContain('privacy.json');
    expect(readdirSync(folder)).not.toContain('README.md');
  });

  it('marks in result.json what the guarantee does not cover', async () => {
    const folder = fresh();
    await run(folder);
    const { notAccounted, ...result } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
    expect(notAccounted.note).toContain('do not publish');
    for (const field of notAccounted.fields) {
      const value = field.split('.').reduce((one: Record<string, unknown>, key: string) => one?.[key], result);
      expect(value, field).toBeDefined();
    }
  });
});

describe('verifyModels', () => {
  it('confirms a model, also one that was resumed, and a copy of it elsewhere', async () => {
    const folder = fresh();
    await interrupted(folder);
    const { privacy } = await run(folder, { resume: true });
    const found = await verifyModels([join(folder, 'model')]);
    expect(found).toMatchObject({ confirmed: true, oneRun: [], models: [{ status: 'confirmed', run: privacy.run }] });
    expect(found.models[0]?.counted).toEqual(privacy.guarantee);
    const copy = fresh();
    cpSync(join(folder, 'model'), copy, { recursive: true });
    expect((await verifyModels([join(folder, 'model'), copy])).oneRun).toEqual([]);
    expect((await verifyModels([copy])).models[0]).toMatchObject({ status: 'unconfirmed' });
    expect(await verifyModels([copy], { ledger: ledgerOf(folder) })).toMatchObject({ confirmed: true });
  });

  it('names two models of a run whose folder was copied, and says what both cost together', async () => {
    const [one, two] = [fresh(), fresh()];
    await interrupted(one);
    cpSync(one, two, { recursive: true });
    const { privacy } = await run(one, { resume: true });
    await run(two, { resume: true });
    const folders = [join(one, 'model'), join(two, 'model')];
    const { models, oneRun, confirmed } = await verifyModels(folders);
    expect(models.map(({ status }) => status)).toEqual(['confirmed', 'confirmed']);
    expect(confirmed).toBe(false);
    expect(oneRun).toMatchObject([{ run: privacy.run, models: folders }]);
    const [alone, together] = [privacy.guarantee?.epsilon as number, oneRun[0]?.together?.epsilon as number];
    // Five common steps and fifteen more of each: less than twice the steps, more than one run.
    expect(together).toBeGreaterThan(alone);
    expect(together).toBeLessThan(2 * alone);
  });

  it('finds a fork of a run behind a model that was trained further', async () => {
    const [one, two, further] = [fresh(), fresh(), fresh()];
    await interrupted(one);
    cpSync(one, two, { recursive: true });
    const { privacy } = await run(one, { resume: true });
    await run(two, { resume: true });
    await run(further, { model: join(two, 'model'), epochs: 1 });
    const { oneRun } = await verifyModels([join(one, 'model'), join(further, 'model')]);
    expect(oneRun).toMatchObject([{ run: privacy.run }]);
    expect(oneRun[0]?.together).toBeUndefined();
  });

  it('adds up the guarantees of different runs on the same data', async () => {
    const [one, two, other] = [fresh(), fresh(), fresh()];
    const [a, b] = [await run(one), await run(two, { epochs: 2 })];
    await run(other, { maxTokens: 4 });
    const folders = [one, two, other].map((folder) => join(folder, 'model'));
    const { models, sameData, confirmed } = await verifyModels(folders);
    expect(models.map(({ status }) => status)).toEqual(['confirmed', 'confirmed', 'confirmed']);
    expect(confirmed).toBe(false);
    expect(sameData.map(({ models: names }) => names)).toEqual([folders.slice(0, 2)]);
    const sum = (a.privacy.guarantee?.epsilon ?? 0) + (b.privacy.guarantee?.epsilon ?? 0);
    expect(sameData[0]?.together?.epsilon).toBeCloseTo(sum, 10);
  });

  it('does not confirm an approximation', async () => {
    const folder = fresh();
    await run(folder, { epochs: 1, privacy: { noiseMultiplier: 2, accountant: 'gdp' } });
    expect((await verifyModels([join(folder, 'model')])).models[0]).toMatchObject({ status: 'no promise' });
  });

  it('finds a run that went on after its model was saved', async () => {
    const folder = fresh();
    await run(folder);
    edit(ledgerOf(folder), (text) => `${text}{"step":20,"session":"later"}\n`);
    const { models } = await verifyModels([join(folder, 'model')]);
    expect(models[0]).toMatchObject({ status: 'unconfirmed' });
    expect(models[0]?.findings[0]).toContain('The ledger counts 21 steps, the statement 20: the run went on');
  });

  it.each<[string, (folder: string) => void, string]>([
    [
      'a smaller epsilon',
      (at) => editRecord(at, (r) => Object.assign(r.guarantee as never, { epsilon: 0.1 })),
      'states epsilon 0.1',
    ],
    [
      'a smaller delta',
      (at) => editRecord(at, (r) => Object.assign(r.guarantee as never, { delta: 1e-9 })),
      'states delta 1e-9',
    ],
    [
      'another sentence',
      (at) => editRecord(at, (r) => Object.assign(r, { statement: ['Epsilon is 0.1.'] })),
      'sentences',
    ],
    [
      'a sentence before the others',
      (at) =>
        editRecord(at, (r) =>
          Object.assign(r, { statement: ['Epsilon is 0.1.', ...(r.statement as unknown as string[])] }),
        ),
      'README.md does not list the sentences',
    ],
    [
      'a better upper bound',
      (at) => editRecord(at, (r) => Object.assign(r.guarantee as never, { upper: -1, epsilon: 0.01 })),
      'states epsilon 0.01',
    ],
    [
      'another README',
      (at) => edit(join(at, 'model', 'README.md'), (text) => text.replace(/Epsilon is [\d.]+/, 'Epsilon is 0.01')),
      'README.md does not list the sentences',
    ],
    [
      'another plan',
      (at) => editRecord(at, (r) => Object.assign(r.plan as never, { noiseMultiplier: 9 })),
      'another plan',
    ],
    ['another run', (at) => editRecord(at, (r) => Object.assign(r, { run: 'x' })), 'the model is of run x'],
    [
      'other weights',
      (at) => edit(join(at, 'model', 'privacy.json'), (text) => text.replace(/"weights": "./, '"weights": "_')),
      'other weights',
    ],
    [
      'a ledger that was cut',
      (at) => edit(ledgerOf(at), (text) => text.split('\n').slice(0, 15).join('\n').concat('\n')),
      'the ledger was cut',
    ],
    [
      'secret noise that was not',
      (at) => edit(ledgerOf(at), (text) => text.replace('"insecure":false', '"insecure":true')),
      'came from a seed',
    ],
  ])('contradicts %s', async (_, damage, finding) => {
    const folder = fresh();
    await run(folder, { epochs: 3 });
    damage(folder);
    const { models, confirmed } = await verifyModels([join(folder, 'model')]);
    expect(models[0]).toMatchObject({ status: 'contradicted' });
    expect(models[0]?.findings.join(' ')).toContain(finding);
    expect(confirmed).toBe(false);
  });

  it('takes no plan from a ledger whose plan was changed', async () => {
    const folder = fresh();
    await run(folder, { epochs: 1 });
    edit(ledgerOf(folder), (text) => text.replace('"noiseMultiplier":2', '"noiseMultiplier":9'));
    await expect(verifyModels([join(folder, 'model')])).rejects.toThrow(
      'ledger.jsonl: invalid plan: its event does not fit the rest: the ledger was changed',
    );
  });

  it('says that noise from a seed promises nothing', async () => {
    const folder = fresh();
    await run(folder, { epochs: 1, privacy: { ...settings.privacy, insecureSeed: 1 } });
    const { models } = await verifyModels([join(folder, 'model')]);
    expect(models[0]).toMatchObject({ status: 'no promise' });
    expect(models[0]?.findings[0]).toContain('do not release this model');
  });

  it('refuses what is no model, and a ledger for several', async () => {
    await expect(verifyModels([])).rejects.toThrow(ArgumentError);
    await expect(verifyModels([root])).rejects.toThrow(FileError);
    await expect(verifyModels([model, model], { ledger: 'x' })).rejects.toThrow('ledger belongs to one model');
    await expect(verifyModels([model], { ledger: join(root, 'none') })).rejects.toThrow('no such file');
    await expect(verifyModels([model], { ledgers: 'x' } as never)).rejects.toThrow('ledgers');
  });
});

describe('the steps of two ledgers', () => {
  it('count what they have in common once', () => {
    const entry = (step: number, session: string) => ({ step, session });
    const common = [entry(0, 'a'), entry(1, 'a')];
    const [one, two] = [
      [...common, entry(2, 'b')],
      [...common, entry(2, 'c'), entry(3, 'c')],
    ];
    expect(union(one, two)).toEqual([...one, entry(2, 'c'), entry(3, 'c')]);
    expect(union(one, one)).toEqual(one);
    // Lines without a session may be anybody's.
    expect(union([{ step: 0 }], [{ step: 0 }])).toHaveLength(2);
  });
});
