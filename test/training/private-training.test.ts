// Private training from end to end: what a step releases, from which batches, and what is counted.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { poissonBatch } from '../../src/data/index.js';
import { openSafetensors, selectParameters } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { makePlan, type Plan, sgd, type TrainOptions, trainClassifier } from '../../src/training/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { flat, lengthOf, loadTiny, openTask, readParameters, relativeDistance, sentences } from './tiny-task.js';

const root = makeRoot();
const model = await loadTiny(root, 'bert');
const examples = 40;
const data = { train: sentences(model, examples) };

interface Choice {
  readonly noiseMultiplier: number;
  readonly clipNorm?: number;
  readonly batchSize?: number;
  readonly epochs?: number;
}
const planOf = ({ batchSize = 10, epochs = 2, ...rest }: Choice): Plan =>
  makePlan({ mechanism: 'gaussian', examples, epochs, batchSize, accountant: 'rdp', ...rest });
const train = (plan: Plan, rest: Partial<TrainOptions> = {}) =>
  trainClassifier({
    model,
    trainable: selectParameters(model, 'pooler+classifier'),
    data,
    optimizer: sgd({ learningRate: 0.5 }),
    plan,
    seed: 1,
    ...rest,
  });

describe('private training', () => {
  it.each(['pooler+classifier', 'all'])(
    '%s: without noise and clipping is SGD on the same batches',
    async (selector) => {
      const trained = selectParameters(model, selector);
      const plan = planOf({ noiseMultiplier: 0, clipNorm: 1e6 });
      const result = await train(plan, { trainable: trained, insecureSeed: 7 });
      const { classifier, parameters } = await openTask(model, selector, { data: data.train });
      for (let step = 0; step < plan.steps; step++) {
        const batch = poissonBatch(examples, 10 / examples, seededSource(7).stream(`lot ${step}`));
        const { gradients } = await classifier.sums(parameters, batch);
        for (const [name, x] of Object.entries(parameters)) {
          for (let i = 0; i < x.length; i++) x[i] = (x[i] as number) - (0.5 / 10) * (gradients[name]?.[i] as number);
        }
      }
      await classifier.close();
      const start = flat(await readParameters(model, trained));
      const moved = (to: Float64Array) => to.map((x, i) => x - (start[i] as number));
      expect(lengthOf(moved(flat(parameters)))).toBeGreaterThan(0.1);
      expect(relativeDistance(flat(result.parameters), flat(parameters))).toBeLessThan(1e-6);
      expect(result.privacy).toMatchObject({ stepsCounted: 0, nonFinite: 0, zero: 0 });
      expect(result.privacy.guarantee).toBeUndefined();
      expect(result.privacy.statement.join(' ')).toContain('There is no privacy guarantee');
    },
  );

  it('repeats to the bit with a seed and differs without one', async () => {
    const plan = planOf({ noiseMultiplier: 1 });
    const numbers = async (rest: Partial<TrainOptions>) => [...flat((await train(plan, rest)).parameters)];
    const one = await numbers({ insecureSeed: 3 });
    expect(await numbers({ insecureSeed: 3 })).toEqual(one);
    expect(await numbers({ insecureSeed: 4 })).not.toEqual(one);
    const parts = await numbers({ insecureSeed: 3, microBatchSize: 3 });
    expect(relativeDistance(Float64Array.from(parts), Float64Array.from(one))).toBeLessThan(1e-5);
    // The other seed decides only the order of shuffled batches.
    expect(await numbers({ insecureSeed: 3, seed: 9 })).toEqual(one);
    const secret = await numbers({});
    expect(await numbers({})).not.toEqual(secret);
  });

  it('counts every step, those with an empty batch included', async () => {
    const folder = join(root, 'empty');
    mkdirSync(folder);
    const plan = planOf({ noiseMultiplier: 1, batchSize: 1, epochs: 1 });
    const members: number[] = [];
    const result = await train(plan, {
      insecureSeed: 2,
      run: { folder, resume: false, configuration: {} },
      onStep: (report) => void members.push(report.members),
    });
    expect(members.filter((count) => count === 0).length).toBeGreaterThan(5);
    expect(result.privacy.stepsCounted).toBe(40);
    expect(readFileSync(join(folder, 'ledger.jsonl'), 'utf8').trim().split('\n').length).toBe(1 + 40);
    expect(result.privacy.guarantee).toEqual(plan.guarantee);
  });

  it('records a step before its checkpoint is saved, and reports it afterwards', async () => {
    const folder = join(root, 'said');
    mkdirSync(folder);
    const plan = planOf({ noiseMultiplier: 1 });
    const path = join(folder, 'checkpoint.safetensors');
    const savedStep = async () => (existsSync(path) ? Number((await openSafetensors(path)).metadata.step) : 0);
    const events: string[] = [];
    const note = (what: string) => async (report: { readonly step: number; readonly epoch?: number }) =>
      void events.push(
        `${what}${report.epoch === undefined ? '' : ' epoch'} ${report.step}, saved ${await savedStep()}`,
      );
    await train(plan, {
      run: { folder, resume: false, configuration: {}, checkpointEvery: 2 },
      record: note('record'),
      onStep: note('said'),
      onEpoch: note('said'),
    });
    const { steps, stepsPerEpoch } = plan;
    const expected = Array.from({ length: steps }, (_, i) => i + 1).flatMap((step) => {
      const [before, after] = [2 * Math.floor((step - 1) / 2), step === steps ? steps : 2 * Math.floor(step / 2)];
      const kinds = step % stepsPerEpoch === 0 ? ['', ' epoch'] : [''];
      return [
        ...kinds.map((kind) => `record${kind} ${step}, saved ${before}`),
        ...kinds.map((kind) => `said${kind} ${step}, saved ${after}`),
      ];
    });
    expect(events).toEqual(expected);
  });

  it('continues its ledger after an interruption', async () => {
    const folder = join(root, 'resumed');
    mkdirSync(folder);
    const plan = planOf({ noiseMultiplier: 1 });
    const stop = new AbortController();
    const run = { folder, configuration: { what: 'test' } };
    const first = await train(plan, {
      insecureSeed: 5,
      run: { ...run, resume: false },
      signal: stop.signal,
      onStep: ({ step }) => (step === 3 ? stop.abort() : undefined),
    });
    expect([first.finished, first.steps, first.privacy.stepsCounted]).toEqual([false, 3, 3]);
    expect(first.privacy.guarantee?.epsilon).toBeLessThan(plan.guarantee?.epsilon as number);
    await expect(train(plan, { insecureSeed: 5, run: { ...run, resume: false } })).rejects.toThrow(
      'a ledger exists already',
    );
    const other = planOf({ noiseMultiplier: 2 });
    await expect(train(other, { insecureSeed: 5, run: { ...run, resume: true } })).rejects.toThrow(
      'started with noiseMultiplier = 1, this one has 2',
    );
    const second = await train(plan, { insecureSeed: 5, run: { ...run, resume: true } });
    expect([second.finished, second.steps, second.privacy.stepsCounted]).toEqual([true, 8, 8]);
    expect(second.privacy.guarantee).toEqual(plan.guarantee);
    const whole = await train(plan, { insecureSeed: 5 });
    expect([...flat(second.parameters)]).toEqual([...flat(whole.parameters)]);
  });

  const reversed = {
    train: { inputIds: [...data.train.inputIds].reverse(), labels: [...data.train.labels].reverse() },
  };
  const relabelled = { train: { ...data.train, labels: data.train.labels.map((label) => 1 - label) } };
  it.each([
    ['gaussian', 'in another order', reversed],
    ['gaussian', 'with other labels', relabelled],
    ['directional', 'in another order', reversed],
    ['none', 'in another order', reversed],
  ] as const)('%s: refuses to resume on the data %s', async (mechanism, what, other) => {
    const folder = join(root, `other data ${mechanism} ${what}`);
    mkdirSync(folder);
    const sizes = { examples, epochs: 2, batchSize: 10 };
    const plan =
      mechanism === 'gaussian'
        ? planOf({ noiseMultiplier: 1 })
        : makePlan(mechanism === 'none' ? { mechanism, ...sizes } : { mechanism, concentration: 50, ...sizes });
    const stop = new AbortController();
    const run = { folder, resume: true, configuration: {} };
    const halfway = {
      signal: stop.signal,
      onStep: ({ step }: { step: number }) => (step === 2 ? stop.abort() : undefined),
    };
    await train(plan, { run, ...halfway });
    const files = ['ledger.jsonl', 'checkpoint.safetensors'].filter((name) => existsSync(join(folder, name)));
    const before = files.map((name) => readFileSync(join(folder, name), 'latin1'));
    await expect(train(plan, { run, data: other })).rejects.toThrow(
      'the training data has changed since the run began (texts, labels, or their order): resume with the same data',
    );
    expect(files.map((name) => readFileSync(join(folder, name), 'latin1'))).toEqual(before);
    expect((await train(plan, { run })).finished).toBe(true);
  });

  it('counts a step again after a crash undid it', async () => {
    const folder = join(root, 'undone');
    mkdirSync(folder);
    const plan = planOf({ noiseMultiplier: 1 });
    const run = { folder, resume: true, configuration: {}, checkpointEvery: 3 };
    const crash = async ({ step }: { step: number }) => {
      if (step === 5) throw new Error('crash');
    };
    await expect(train(plan, { insecureSeed: 5, run, onStep: crash })).rejects.toThrow('crash');
    const { privacy, steps } = await train(plan, { insecureSeed: 5, run });
    // Five begun, three saved, five more.
    expect([steps, privacy.stepsCounted]).toEqual([8, 10]);
    expect(privacy.guarantee?.epsilon).toBeGreaterThan(plan.guarantee?.epsilon as number);
  });

  it.each([0, 4])('refuses a checkpoint that is ahead of its ledger (%i steps left to do)', async (left) => {
    const folder = join(root, `ahead ${left}`);
    mkdirSync(folder);
    const plan = planOf({ noiseMultiplier: 1 });
    const run = { folder, resume: true, configuration: {} };
    const stop = new AbortController();
    const onStep = ({ step }: { step: number }) => (step === plan.steps - left ? stop.abort() : undefined);
    await train(plan, { run, signal: stop.signal, onStep });
    const path = join(folder, 'ledger.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${lines.slice(0, 3).join('\n')}\n`);
    const message = `the checkpoint holds ${plan.steps - left} steps, its ledger.jsonl counts 2`;
    await expect(train(plan, { run })).rejects.toThrow(message);
    rmSync(path);
    await expect(train(plan, { run })).rejects.toThrow('counts 0');
  });
});
