// Holding out in training, and membership attacks that find again what was held out.

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { attack, type FineTuneRun, fineTune, loadDataSet, loadModel } from '../../src/index.js';
import { groupPrivacy } from '../../src/privacy/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const [model, plainFile, both] = [join(root, 'model'), join(root, 'plain.csv'), join(root, 'both')];

/** Distinct texts, from a place on, most of which are cut at 9 tokens; texts that begin with a are good, with b bad. */
const rows = (count: number, start = 0) =>
  Array.from({ length: count }, (_, i) => {
    const letters = [...(start + i).toString(8)].map((digit) => 'cdefghij'[Number(digit)]);
    return `${i % 2 === 0 ? 'a' : 'b'} ${letters.join(' ')} c c c c,${i % 2 === 0 ? 'good' : 'bad'}`;
  });
const table = (lines: readonly string[]) => ['text,label', ...lines].join('\n');
const settings = { epochs: 2, batchSize: 20, learningRate: 0.01 };
const readRun = (folder: string) => JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
const cached = () => {
  const folder = join(root, 'cache', 'features');
  return Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs]));
};

beforeAll(async () => {
  await writeTiny(model, 'bert', { without: /^classifier/ });
  writeFileSync(plainFile, table(rows(300)));
  mkdirSync(both);
  writeFileSync(join(both, 'train.csv'), table(rows(300)));
  writeFileSync(join(both, 'test.csv'), table(rows(120, 4096)));
});

describe('fineTune holds out', () => {
  it('a tenth by default where there is nothing to score on, as validation, and plans for the rest', async () => {
    const run = await fineTune({ model, data: plainFile, ...settings, privacy: { noiseMultiplier: 1 } });
    const { holdOut, plan, scores } = run;
    expect(holdOut).toMatchObject({
      share: 0.1,
      seed: 1,
      examples: 300,
      omitted: 0,
      byDefault: true,
      asValidation: true,
    });
    expect(holdOut.heldOut).toBeGreaterThan(10);
    expect(holdOut.heldOut).toBeLessThan(60);
    expect(Object.keys(scores)).toEqual(['train', 'validation']);
    const left = 300 - holdOut.heldOut;
    expect(plan).toMatchObject({ examples: left, sampler: { kind: 'poisson', sampleRate: 20 / left } });
    expect(plan.delta).toBeCloseTo(left ** -1.1, 9);
    const whole = await fineTune({ model, data: plainFile, ...settings, holdOut: 0 });
    expect(whole).toMatchObject({ plan: { examples: 300 }, holdOut: { share: 0, heldOut: 0 } });
    expect(Object.keys(whole.scores)).toEqual(['train']);
  });

  it('nothing by default where there is a test split; what is asked for is validation then', async () => {
    const usual = await fineTune({ model, data: both, ...settings });
    expect(usual).toMatchObject({ plan: { examples: 300 }, holdOut: { share: 0, heldOut: 0 } });
    const asked = await fineTune({ model, data: both, ...settings, holdOut: 0.5, seed: 3 });
    expect(asked.holdOut).toMatchObject({ share: 0.5, seed: 3, byDefault: false, asValidation: true });
    expect(asked.plan.examples).toBe(300 - asked.holdOut.heldOut);
    expect(Object.keys(asked.scores)).toEqual(['train', 'validation', 'test']);
  });

  it('nothing that cannot be', async () => {
    await expect(fineTune({ model, data: both, holdOut: 0.6 })).rejects.toThrow('expected a share from 0 to 0.5');
    await expect(fineTune({ model, data: both, holdOut: '0.1' as never })).rejects.toThrow('invalid holdOut');
    await expect(fineTune({ model, data: both, holdOut: 1e-9 })).rejects.toThrow(
      'would hold out 0 of 300 examples: choose another share or seed, or 0 to train on all',
    );
  });

  it('the same examples when it resumes, and refuses another share', async () => {
    const folder = join(root, 'resumed');
    const options = { model, data: both, ...settings, folder, holdOut: 0.2 };
    const stop = new AbortController();
    const stopping = fineTune({
      ...options,
      signal: stop.signal,
      checkpointEvery: 1,
      onProgress: ({ stage }) => stage === 'training' && stop.abort(),
    });
    await expect(stopping).rejects.toThrow();
    await expect(fineTune({ ...options, holdOut: 0.25, resume: true })).rejects.toThrow(
      'run.json: the run was started with holdOut = 0.2, this one has 0.25',
    );
    const { holdOut } = await fineTune({ ...options, resume: true });
    const { holdOut: share, seed, train } = readRun(folder);
    expect([share, seed, train.examples]).toEqual([0.2, 1, 300]);
    expect(JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')).holdOut).toEqual(holdOut);
    // The digest of private texts is neither in the model's folder nor in the checkpoint.
    for (const place of ['model/config.json', 'model/model.safetensors', 'checkpoint.safetensors', 'result.json']) {
      expect(readFileSync(join(folder, place), 'latin1')).not.toContain(train.digest);
    }
  });
});

describe('membership', () => {
  const folder = join(root, 'run');
  let run: FineTuneRun;
  let afterTraining: Record<string, number>;
  beforeAll(async () => {
    run = await fineTune({ model, data: both, ...settings, folder, holdOut: 0.4, maxTokens: 9 });
    afterTraining = cached();
  });

  it('compares those trained on with those held out, found from the run or from its folder', async () => {
    const counts = { members: run.plan.examples, others: run.holdOut.heldOut, othersFrom: 'held-out', warnings: [] };
    const fromRun = await attack('membership', { model: run.model, data: both });
    expect(fromRun).toMatchObject(counts);
    expect(fromRun).not.toHaveProperty('kind');
    const fromFolder = await attack('membership', { model: join(folder, 'model'), data: await loadDataSet(both) });
    expect(fromFolder).toMatchObject({ ...counts, auc: fromRun.auc, lossGap: fromRun.lossGap });
    const loaded = await attack('membership', { model: await loadModel(join(folder, 'model')), data: both });
    expect(loaded).toMatchObject({ ...counts, auc: fromRun.auc });
    // The mean loss of the members is that of the split train in training: these are the same examples, cut alike.
    expect(fromRun.accuracy.members).toBe(run.scores.train.accuracy);
    expect(fromRun.accuracy.others).toBe(run.scores.validation?.accuracy);
  });

  it('computes nothing that training has cached', async () => {
    await attack('membership', { model: join(folder, 'model'), data: both });
    await attack('membership', { model: run.model, data: both });
    expect(cached()).toEqual(afterTraining);
  });

  it('takes a split if told to, still without those held out, and tests its kind', async () => {
    const report = await attack('membership', { model: run.model, data: both, others: 'test' });
    expect(report).toMatchObject({ members: run.plan.examples, others: 120, othersFrom: 'test' });
    // Numbers from 4096 on have other first letters than those below 300.
    expect(report.kind).toMatchObject({ different: true });
    expect(report.warnings[0]).toContain('are of different kinds');
    expect(report.verdict).toMatch(/^Cannot be judged/);
    expect(report.tprAt1).not.toBeNull();
    expect(report.tprAt01).toBeNull();
  });

  it('reads data by name as the run read it, groups included', async () => {
    const file = join(root, 'grouped.csv');
    const rows = Array.from(
      { length: 60 },
      (_, i) => `${i % 2 === 0 ? 'a' : 'b'} ${'c '.repeat(i % 30)},${i % 2},u${i % 15}`,
    );
    writeFileSync(file, ['message,topic,user', ...rows].join('\n'));
    const options = { textColumn: 'message', labelColumn: 'topic', groupColumn: 'user' };
    const folder = join(root, 'grouped');
    await fineTune({ model, data: await loadDataSet(file, options), epochs: 1, batchSize: 8, holdOut: 0.3, folder });
    const report = await attack('membership', { model: join(folder, 'model'), data: file });
    expect(report.othersFrom).toBe('held-out');
  });

  it('falls back to a split if nothing was held out, with a warning', async () => {
    const { model: trained } = await fineTune({ model, data: both, ...settings });
    const report = await attack('membership', { model: trained, data: both });
    expect(report).toMatchObject({ members: 300, others: 120, othersFrom: 'test' });
    expect(report.warnings).toHaveLength(1);
    await expect(attack('membership', { model: trained, data: both, others: 'held-out' })).rejects.toThrow(
      'expected examples that the run held out before training, found no run that did: set others to test',
    );
  });

  describe('has a bound', () => {
    const text = (count: number) => rows(count).map((row, i) => row.replace(',', ` ${'klmnopqr'[i % 8]},`));
    const train = async (name: string, lines: readonly string[], privacy: object) => {
      const file = join(root, `${name}.csv`);
      writeFileSync(file, table(lines));
      const out = join(root, name);
      const { privacy: made } = await fineTune({ model, data: file, ...settings, folder: out, holdOut: 0.4, privacy });
      return { made, given: { model: join(out, 'model'), data: file } };
    };

    it('of twice ε, if a private run held single examples out', async () => {
      const { made, given } = await train('bounded', text(300), { noiseMultiplier: 3 });
      const { bound, roc } = await attack('membership', given);
      const { epsilon, delta } = made.guarantee as { epsilon: number; delta: number };
      expect(bound).toEqual(groupPrivacy({ epsilon, delta }, 2));
      expect(bound?.delta).toBeLessThan(1);
      expect(roc.at(-1)).toEqual({ falsePositiveRate: 1, truePositiveRate: 1 });
      // Weights that the record does not belong to.
      const record = join(given.model, 'privacy.json');
      const saved = readFileSync(record, 'utf8');
      writeFileSync(record, saved.replace(/"weights": "./, '"weights": "x'));
      expect(await attack('membership', given)).not.toHaveProperty('bound');
      writeFileSync(record, '{}');
      expect(await attack('membership', given)).not.toHaveProperty('bound');
    });

    it('not where copies come together, or the noise was not secret', async () => {
      const copied = await train('copied', [...text(150), ...text(150)], { noiseMultiplier: 3 });
      expect(await attack('membership', copied.given)).not.toHaveProperty('bound');
      const seeded = await train('seeded', text(300), { noiseMultiplier: 3, insecureSeed: 5 });
      expect(await attack('membership', seeded.given)).not.toHaveProperty('bound');
    });
  });

  it('refuses other data than that of the run', async () => {
    const changed = join(root, 'changed');
    mkdirSync(changed);
    for (const name of ['train.csv', 'test.csv']) {
      writeFileSync(join(changed, name), readFileSync(join(both, name)));
    }
    const attacked = { model: join(folder, 'model'), data: changed };
    expect(await attack('membership', attacked)).toMatchObject({ othersFrom: 'held-out' });
    appendFileSync(join(changed, 'train.csv'), '\na z,good');
    await expect(attack('membership', attacked)).rejects.toThrow(
      `expected the data of the run, 300 examples of ${both}, got other texts, labels or groups (301 examples)`,
    );
    expect(existsSync(join(changed, 'run.json'))).toBe(false);
  });
});
