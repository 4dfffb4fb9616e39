// A whole study on a tiny model: its rows, what is run again and what is reused, and failing trials.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  collectResults,
  type Leakage,
  runStudy,
  type Study,
  type StudyProgress,
  type StudyResults,
} from '../../src/calibration/index.js';
import { openStudyInputs } from '../../src/calibration/study/inputs.js';
import { levelsOf } from '../../src/calibration/study/levels.js';
import { expandStudy } from '../../src/calibration/trials/expand.js';
import { openStore } from '../../src/calibration/trials/store.js';
import { type Trial, taskOf } from '../../src/calibration/trials/trial.js';
import { openKept } from '../../src/calibration/trials/work/kept.js';
import { workOn } from '../../src/calibration/trials/work/work.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
const folder = join(root, 'out');
let study: Study;
let results: StudyResults;
const progress: StudyProgress[] = [];
const run = (changes: Partial<Parameters<typeof runStudy>[0]> = {}) => runStudy({ study, folder, jobs: 0, ...changes });
const withoutTime = ({ finished: _, ...rest }: StudyResults) => rest;

beforeAll(async () => {
  study = await tinyStudy(root);
  // Features, then for each of four levels two runs with membership, and an attack.
  expect(await run({ onProgress: (one) => progress.push(one) })).toEqual({
    trials: 26,
    reused: 0,
    ran: 26,
    failed: 0,
    left: 0,
    skipped: 0,
  });
  results = await collectResults(folder);
}, 120_000);

describe('a study', () => {
  it('measures every level', () => {
    expect(results.levels.map(({ level }) => level)).toEqual([
      { mechanism: 'none', startOf: ['gaussian'] },
      { mechanism: 'normalised', startOf: ['directional'], label: 'normalised' },
      { mechanism: 'gaussian', parameter: 0.001 },
      { mechanism: 'gaussian', parameter: 1 },
      { mechanism: 'directional', parameter: 10000 },
    ]);
    for (const { utility, leakage } of results.levels) {
      expect(utility?.accuracy.values).toHaveLength(2);
      expect(leakage.span?.main.values).toHaveLength(3);
      expect(leakage.span?.comparisons).toHaveLength(3);
      expect(leakage.membership?.main.values).toHaveLength(2);
      const { main } = leakage.membership as Leakage;
      expect(main.lower).toBeLessThan(main.mean);
      expect(main.upper).toBeGreaterThan(main.mean);
    }
    expect(results).toMatchObject({ failures: [], missing: 0, data: { train: 48, test: 12, majority: 8 / 12 } });
  });

  it('recovers everything without noise, and nothing under strong noise', () => {
    const [none, scaled, , much] = results.levels.map(({ leakage }) => leakage.span);
    expect(none?.main.mean).toBe(1);
    expect(none?.cosine?.mean).toBeCloseTo(1, 6);
    // The attack does not depend on the length of a gradient.
    expect([scaled?.main.mean, scaled?.cosine?.mean]).toEqual([1, expect.closeTo(1, 6)]);
    expect(much?.main.mean).toBeLessThan(0.4);
    expect(much?.cosine?.mean).toBeLessThan(0.1);
  });

  it('states what would hold with secret noise, and that it does not hold for seeded noise', () => {
    const [none, scaled, , normal, direction] = results.levels.map(({ guarantee }) => guarantee);
    expect([none, scaled]).toEqual([undefined, undefined]);
    expect(normal).toMatchObject({ neighbours: 'add-or-remove-one', bound: 'upper' });
    expect(normal?.epsilon).toBeGreaterThan(0);
    expect(normal?.statement.join(' ')).toContain('seed');
    // Two epochs of disjoint batches: 2κ for each.
    expect(direction?.epsilon).toBeCloseTo(2 * 2 * 10000, 3);
  });

  it('shows how far it has come', () => {
    expect(progress.at(-1)).toMatchObject({ done: 26, all: 26, running: [] });
    expect(progress.map(({ done }) => done)).toEqual([...progress.map(({ done }) => done)].sort((a, b) => a - b));
    expect(progress.at(-5)?.secondsLeft).toBeGreaterThan(0);
  });

  it('is not run twice, and gives the same results in another folder', async () => {
    expect(await run()).toMatchObject({ reused: 26, ran: 0 });
    const other = join(root, 'again');
    await run({ folder: other });
    expect(withoutTime(await collectResults(other))).toEqual(withoutTime(results));
  });

  it('reuses what a change does not affect', async () => {
    const noisier = {
      ...study,
      name: 'more',
      mechanisms: { gaussian: { noise: [0.001, 2] }, directional: { concentration: [10000] } },
    };
    expect(await run({ study: noisier })).toMatchObject({ trials: 26, reused: 21, ran: 5 });
    const more = { ...study, attacks: { ...study.attacks, span: { ...study.attacks.span, count: 2 } } };
    expect(await run({ study: more, folder: join(root, 'again') })).toMatchObject({ reused: 21, ran: 5 });
    expect(withoutTime(await collectResults(folder, 'tiny'))).toEqual(withoutTime(results));
    await expect(collectResults(folder, 'absent')).rejects.toThrow('expected a study called absent, got tiny, more');
  });

  it('runs only the chosen trials, and repeats them if forced', async () => {
    const other = join(root, 'parts');
    expect(await run({ folder: other, only: ['span'] })).toMatchObject({ ran: 5, left: 0 });
    expect((await collectResults(other)).missing).toBe(21);
    expect(await run({ folder: other, only: ['span'], force: true })).toMatchObject({ ran: 5, reused: 0 });
    expect(await run({ folder: other, only: ['span'] })).toMatchObject({ ran: 0, reused: 5 });
    await expect(run({ folder: other, only: ['decepticons'] })).rejects.toThrow('no trials of decepticons');
    await expect(run({ folder: other, only: ['span', 'decepticons'] })).rejects.toThrow('no trials of decepticons');
  });

  it('stops at a signal, and resumes', async () => {
    const other = join(root, 'stopped');
    const stop = new AbortController();
    const first = await run({
      folder: other,
      signal: stop.signal,
      onProgress: ({ done }) => done >= 3 && stop.abort(),
    });
    expect(first.left).toBeGreaterThan(10);
    expect(await run({ folder: other })).toMatchObject({ left: 0 });
    expect(withoutTime(await collectResults(other))).toEqual(withoutTime(results));
  });

  it('trains an interrupted run again, with the same results and without a ledger', async () => {
    const other = join(root, 'cut');
    await run({ folder: other, only: ['train'] });
    const store = openStore(join(other, 'store.db'));
    const trained = store
      .studies()[0]
      ?.trials.filter((id) => existsSync(join(other, 'artefacts', id, 'trained.safetensors'))) as string[];
    expect(trained).toHaveLength(10);
    for (const id of trained) {
      expect(readdirSync(join(other, 'artefacts', id))).toEqual(['trained.safetensors']);
      store.forget(id);
      rmSync(join(other, 'artefacts', id, 'trained.safetensors'));
    }
    store.close();
    expect(await run({ folder: other })).toMatchObject({ failed: 0, left: 0 });
    expect(withoutTime(await collectResults(other))).toEqual(withoutTime(results));
  });
});

describe('a trial', () => {
  it('has another id for other weights, sizes, texts or seeds', async () => {
    const ids = async (changed: Study) => {
      const inputs = await openStudyInputs(changed);
      return expandStudy(inputs, levelsOf(inputs)).map(({ id }) => id);
    };
    const usual = await ids(study);
    expect(await ids({ ...study, name: 'other', description: 'other' })).toEqual(usual);
    const copy = join(root, 'copy');
    cpSync(study.model, copy, { recursive: true });
    expect(await ids({ ...study, model: copy })).toEqual(usual);
    const config = JSON.parse(readFileSync(join(copy, 'config.json'), 'utf8'));
    writeFileSync(join(copy, 'config.json'), JSON.stringify({ ...config, layer_norm_eps: 1e-3 }));
    for (const changed of [
      { ...study, model: copy },
      { ...study, data: { ...study.data, limit: 40 } },
      { ...study, training: { ...study.training, newHead: true } },
    ]) {
      const trials = await ids(changed);
      const attack = trials.findIndex((_, place) => place > 5);
      expect(trials[attack]).not.toBe(usual[attack]);
    }
  });

  it('has the splits of the paper if the study asks for them', async () => {
    const folder = join(root, 'in-parts');
    mkdirSync(folder);
    const rows = (count: number) =>
      Array.from({ length: count }, (_, i) => `${i % 2 ? 'aa bb' : 'cc dd'} ${i},${i % 2}`).join('\n');
    writeFileSync(join(folder, 'train.csv'), `text,label\n${rows(100)}\n`);
    writeFileSync(join(folder, 'test.csv'), `text,label\n${rows(20)}\n`);
    const data = { ...study.data, source: folder };
    const { dataSet, train, test, outsiders } = await openStudyInputs({
      ...study,
      data: { ...data, split: 'calibration-paper' },
    });
    // As for IMDb: a tenth of the training data is held out.
    expect([train.inputIds.length, dataSet.splits.validation?.length, test.inputIds.length]).toEqual([90, 10, 20]);
    // Non-members are drawn like the members: a separate trial, which does not use the test data.
    expect(outsiders.inputIds).toHaveLength(10);
    const paper: Study = { ...study, data: { ...data, split: 'calibration-paper' } };
    const inputs = await openStudyInputs(paper);
    const one = expandStudy(inputs, levelsOf(inputs)).find((trial) => taskOf(trial) === 'membership') as Trial;
    const same = expandStudy({ ...inputs, study: { ...study, data } }, levelsOf(inputs));
    expect(same.some(({ id }) => id === one.id)).toBe(false);
    const papers = join(root, 'papers');
    await run({ study: paper, folder: papers, only: ['train'] });
    const blind = { ...inputs, test: { inputIds: [], labels: [] } };
    const kept = openKept();
    const none = () => Promise.reject(new Error('none'));
    const { measurements } = await workOn(one, {
      inputs: blind,
      folder: papers,
      folderOf: (id: string) => join(papers, 'artefacts', id),
      outcomeOf: () => ({ measurements: [], details: {} }),
      encoder: none,
      kept,
    });
    await kept.close();
    expect(measurements.find(({ name }) => name === 'auc')?.value).toBeGreaterThan(0);
    const plain = await openStudyInputs({ ...study, data });
    expect([plain.train.inputIds.length, plain.outsiders.inputIds.length]).toEqual([100, 20]);
    const other = join(root, 'other-data');
    expect(await run({ folder: other, only: ['features'] })).not.toHaveProperty('replaces');
    expect(await run({ folder: other, only: ['features'] })).not.toHaveProperty('replaces');
    expect(await run({ study: { ...study, data }, folder: other, only: ['features'] })).toMatchObject({
      replaces: true,
    });
  });

  it('is not trained from a model that changed in the meantime', async () => {
    const moved = join(root, 'moved');
    cpSync(study.model, moved, { recursive: true });
    const { modelFor, weights } = await openStudyInputs({ ...study, model: moved });
    expect((await modelFor(2)).newlyInitialized).toEqual((await modelFor(1)).newlyInitialized);
    const config = JSON.parse(readFileSync(join(moved, 'config.json'), 'utf8'));
    writeFileSync(join(moved, 'config.json'), JSON.stringify({ ...config, layer_norm_eps: 1e-3 }));
    await expect(modelFor(2)).rejects.toThrow('the model changed while the study ran');
    expect((await openStudyInputs({ ...study, model: moved })).weights).not.toBe(weights);
  });

  it('is run again when its artefacts are gone', async () => {
    const other = join(root, 'cleaned');
    await run({ folder: other, only: ['span'] });
    rmSync(join(other, 'artefacts'), { recursive: true });
    expect((await collectResults(other)).levels[0]?.leakage).toEqual({});
    expect(await run({ folder: other, only: ['span'] })).toMatchObject({ ran: 5, reused: 0 });
  });

  it('is refused when the data changed in the meantime', async () => {
    const path = join(root, 'changing.csv');
    cpSync(study.data.source, path);
    const changing = { ...study, data: { ...study.data, source: path } };
    const other = join(root, 'changing');
    let changed = false;
    const onProgress = () => {
      if (!changed) writeFileSync(path, `${readFileSync(path, 'utf8')}one more,yes\n`);
      changed = true;
    };
    expect(await run({ study: changing, folder: other, onProgress })).toMatchObject({ ran: 0 });
    const store = openStore(join(other, 'store.db'));
    const [first] = store.studies()[0]?.trials ?? [];
    expect(store.find(first as string)?.error).toContain('changed while the study ran');
    store.close();
  });
});

describe('decepticons in a study', () => {
  it('meets the same server at every level, and is scored against another batch for its floor', async () => {
    const model = await writeTiny(join(root, 'masked'), 'bert', { golden: 'tiny-bert-mlm', without: /^classifier/ });
    const attacks = {
      decepticons: { count: 4, batchSize: 2, maxTokens: 8, attacker: 'noise-aware' },
    };
    const other = join(root, 'decepticons');
    const attacked = { ...study, model, mechanisms: { gaussian: { noise: [1] } }, attacks };
    expect(await run({ study: attacked, folder: other, only: ['decepticons'] })).toMatchObject({ ran: 2, failed: 0 });
    const { levels } = await collectResults(other);
    const [clean, noisy] = levels.map(({ leakage }) => leakage.decepticons as Leakage);
    expect(clean?.comparisons.map(({ truth }) => truth)).toEqual(noisy?.comparisons.map(({ truth }) => truth));
    expect(clean?.comparisons).toHaveLength(4);
    expect(clean?.main.mean).toBeGreaterThan(noisy?.main.mean as number);
    expect(noisy?.cosine?.mean).toBeLessThan(0.5);
    const store = openStore(join(other, 'store.db'));
    const found = (store.studies()[0]?.trials ?? []).flatMap((id) => store.find(id) ?? []);
    const servers = found.flatMap(({ details }) => ('changes' in details ? [JSON.stringify(details.changes)] : []));
    expect(servers).toHaveLength(2);
    expect(new Set(servers).size).toBe(1);
    expect(found.some(({ measurements }) => measurements.some(({ name }) => name === 'floor'))).toBe(true);
    store.close();
  });
});

describe('what goes wrong', () => {
  it('in one trial is recorded, does not stop the others, and the trial is run again', async () => {
    const other = join(root, 'failing');
    const inputs = await openStudyInputs(study);
    const [broken] = expandStudy(inputs, levelsOf(inputs)).filter((trial) => taskOf(trial) === 'span');
    // A file is where the artefacts should go.
    const place = join(other, 'artefacts', broken?.id as string);
    mkdirSync(join(other, 'artefacts'), { recursive: true });
    writeFileSync(place, '');
    expect(await run({ folder: other })).toMatchObject({ ran: 25, failed: 1, left: 0 });
    const { failures, missing, levels } = await collectResults(other);
    expect(missing).toBe(0);
    expect(failures[0]?.what).toBe('span, no noise');
    expect(failures[0]?.error).toContain(broken?.id);
    expect(levels[0]?.utility?.accuracy.values).toHaveLength(2);
    rmSync(place);
    expect(await run({ folder: other })).toMatchObject({ reused: 25, ran: 1, failed: 0 });
    expect((await collectResults(other)).failures).toEqual([]);
  });

  it('with two processes at once is reported', async () => {
    const other = join(root, 'locked');
    const outcomes = await Promise.allSettled([run({ folder: other }), run({ folder: other })]);
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [`${one.reason}`] : []));
    expect(refused).toHaveLength(1);
    expect(refused[0]).toContain('another process is working in this folder');
  });

  it('with a file that is no store is reported', async () => {
    const other = join(root, 'strange');
    await run({ folder: other, only: ['features'] });
    writeFileSync(
      join(other, 'store.db'),
      'not a database at all, just text, and more of it than a header takes up.'.repeat(9),
    );
    await expect(run({ folder: other })).rejects.toThrow('store.db: not a store of studies');
    await expect(collectResults(join(root, 'nothing'))).rejects.toThrow(
      'expected a folder that epsilens calibrate wrote',
    );
  });

  it('with labels of one class, or too few texts, is reported', async () => {
    const path = join(root, 'one.csv');
    writeFileSync(path, `text,label\n${'aa bb,yes\n'.repeat(20)}`);
    const single = { ...study, data: { ...study.data, source: path } };
    await expect(run({ study: single, folder: join(root, 'single') })).rejects.toThrow('at least two classes');
    const many = { ...study, attacks: { span: { count: 1000, batchSize: 1, maxTokens: 8 } } };
    await expect(run({ study: many, folder: join(root, 'many') })).rejects.toThrow(
      /^invalid attacks.span: expected 1000 texts .* lower attacks.span.count, or/,
    );
    expect(existsSync(join(root, 'many'))).toBe(false);
    expect(await run({ study: many, folder: join(root, 'many'), only: ['features'] })).toMatchObject({ ran: 1 });
    const unseen = { ...study, sharing: { ...study.sharing, parameters: 'head' } };
    await expect(run({ study: unseen, folder: join(root, 'many') })).rejects.toThrow(
      'which is not among the shared parameters: add it to sharing.parameters',
    );
  });
});
