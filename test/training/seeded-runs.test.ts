// Runs of experiments, whose noise is seeded: without a ledger, with totals, and many on the same open data.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanOptions } from '../../src/mechanisms/index.js';
import { openSafetensors, selectParameters } from '../../src/models/index.js';
import {
  guaranteeOf,
  makePlan,
  openTrainer,
  type Plan,
  sgd,
  type Tally,
  type TrainOptions,
  trainClassifier,
} from '../../src/training/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { flat, loadTiny, readParameters, sentences } from './tiny-task.js';

const root = makeRoot();
const model = await loadTiny(root, 'bert');
const trainable = selectParameters(model, 'pooler+classifier');
const examples = 40;
const data = { train: sentences(model, examples), test: sentences(model, 10) };
const planOf = (options: object): Plan =>
  makePlan({ examples, epochs: 2, batchSize: 10, ...options } as PlanOptions) as Plan;
const gaussian = planOf({ mechanism: 'gaussian', noiseMultiplier: 1, accountant: 'pld' });
const directional = planOf({ mechanism: 'directional', concentration: 300 });
const settings = { optimizer: sgd({ learningRate: 0.5 }), seed: 1 };
const train = (plan: Plan, rest: Partial<TrainOptions> = {}) =>
  trainClassifier({ model, trainable, data, plan, ...settings, ...rest });

let folders = 0;
function freshRun(rest: Partial<NonNullable<TrainOptions['run']>> = {}): NonNullable<TrainOptions['run']> {
  const folder = join(root, `run ${++folders}`);
  mkdirSync(folder);
  return { folder, resume: true, configuration: {}, ledger: false, ...rest };
}

describe('a run without a ledger', () => {
  it('does not work in the folder of a run that has one', async () => {
    const { ledger: _, ...run } = freshRun();
    const stop = new AbortController();
    await train(gaussian, {
      run,
      signal: stop.signal,
      onStep: ({ step }) => {
        if (step === 3) stop.abort();
      },
    });
    const before = readdirSync(run.folder).sort();
    await expect(train(gaussian, { run: { ...run, resume: false, ledger: false }, insecureSeed: 7 })).rejects.toThrow(
      'the folder has a ledger: a run without one would leave steps out of it',
    );
    expect(readdirSync(run.folder).sort()).toEqual(before);
  });

  it('is not continued with secret noise, nor with that of another seed', async () => {
    const run = freshRun({ checkpointEvery: 1 });
    const stop = new AbortController();
    const onStep = ({ step }: { readonly step: number }) => {
      if (step === 3) stop.abort();
    };
    await train(gaussian, { run, insecureSeed: 7, signal: stop.signal, onStep });
    await expect(train(gaussian, { run, insecureSeed: 8 })).rejects.toThrow('seededNoise');
    expect((await train(gaussian, { run, insecureSeed: 7 })).finished).toBe(true);
    const { ledger: _, ...secret } = run;
    await expect(train(gaussian, { run: secret })).rejects.toThrow('seededNoise');
  });

  it.each([
    ['gaussian', gaussian],
    ['directional', directional],
    ['none', planOf({ mechanism: 'none' })],
  ])('is refused if its noise is secret: %s', async (_, plan) => {
    const run = freshRun();
    await expect(train(plan, { run })).rejects.toThrow('only runs with an insecureSeed may do without');
    const trainer = await openTrainer({ model, trainable, data });
    await expect(trainer.train({ plan, ...settings, run })).rejects.toThrow('only runs with an insecureSeed');
    await trainer.close();
    expect(readdirSync(run.folder)).toEqual([]);
  });

  it.each([
    ['gaussian', gaussian],
    ['directional', directional],
  ])('counts every step once after a crash, and says that there is no guarantee: %s', async (_, plan) => {
    const tally = (): Tally & { sums: { steps: number; members: number; cosines: number } } => {
      const sums = { steps: 0, members: 0, cosines: 0 };
      return {
        sums,
        add: ({ members, diagnostics }) => {
          sums.steps += 1;
          sums.members += members;
          sums.cosines += diagnostics?.cosineToSum as number;
        },
      };
    };
    const run = freshRun({ checkpointEvery: 3 });
    const crash = async ({ step }: { step: number }) => {
      if (step === 5) throw new Error('crash');
    };
    const seeded = { insecureSeed: 5, diagnose: true };
    await expect(train(plan, { ...seeded, run: { ...run, tally: tally() }, onStep: crash })).rejects.toThrow('crash');
    expect(readdirSync(run.folder)).toEqual(['checkpoint.safetensors']);
    expect((await openSafetensors(join(run.folder, 'checkpoint.safetensors'))).metadata.step).toBe('3');
    const steps: number[] = [];
    const resumed = { ...run, tally: tally() };
    const result = await train(plan, { ...seeded, run: resumed, onStep: ({ step }) => void steps.push(step) });
    expect(steps).toEqual([4, 5, 6, 7, 8]);
    const whole = { ...freshRun(), tally: tally() };
    const expected = await train(plan, { ...seeded, run: whole });
    expect([...flat(result.parameters)]).toEqual([...flat(expected.parameters)]);
    expect(resumed.tally.sums).toEqual(whole.tally.sums);
    expect(resumed.tally.sums.steps).toBe(8);
    expect(result.privacy).toMatchObject({ insecure: true, stepsCounted: 8 });
    expect(result.privacy.statement[0]).toContain('do not release this model');
    expect(result.privacy.run).toBeUndefined();
  });

  it('has the guarantee of its plan once all steps are counted, as an accountant gives it', async () => {
    const { privacy } = await train(gaussian, { insecureSeed: 5, run: freshRun() });
    const entries = Array.from({ length: gaussian.steps }, (_, step) => ({ step }));
    expect(privacy.guarantee).toEqual(guaranteeOf(gaussian, entries));
    const stop = new AbortController();
    const part = await train(gaussian, {
      insecureSeed: 5,
      run: freshRun(),
      signal: stop.signal,
      onStep: ({ step }) => (step === 3 ? stop.abort() : undefined),
    });
    expect(part.privacy.guarantee).toEqual(guaranteeOf(gaussian, entries.slice(0, 3)));
    // All steps were done before: nothing is left, and all count.
    const run = freshRun();
    const last = new AbortController();
    const onStep = ({ step }: { step: number }) => (step === gaussian.steps ? last.abort() : undefined);
    await train(gaussian, { insecureSeed: 5, run, signal: last.signal, onStep });
    expect((await train(gaussian, { insecureSeed: 5, run })).privacy.stepsCounted).toBe(gaussian.steps);
  });

  it('leaves a checkpoint with which a run with a ledger does not go on', async () => {
    const run = freshRun({ checkpointEvery: 1 });
    await train(gaussian, { insecureSeed: 5, run });
    const { ledger: _, ...kept } = run;
    await expect(train(gaussian, { insecureSeed: 5, run: kept })).rejects.toThrow('its ledger.jsonl counts 0');
  });
});

describe('a trainer', () => {
  it('gives in every run what a training run of its own gives', async () => {
    const trainer = await openTrainer({ model, trainable, data });
    const start = await readParameters(model, trainable);
    for (const array of Object.values(start)) array.reverse();
    const before = flat(start);
    for (const plan of [gaussian, directional, gaussian]) {
      const own = { insecureSeed: 3, diagnose: true };
      const { parameters, train: scores, test } = await train(plan, own);
      const again = await trainer.train({ plan, ...settings, ...own });
      expect([...flat(again.parameters)]).toEqual([...flat(parameters)]);
      expect([again.train, again.test]).toEqual([scores, test]);
      await trainer.train({ plan, ...settings, ...own, start });
      expect(flat(start)).toEqual(before);
    }
    await trainer.close();
  });

  it('starts from the numbers it is given', async () => {
    const trainer = await openTrainer({ model, trainable, data });
    const zeros = Object.fromEntries(
      Object.entries(await readParameters(model, trainable)).map(([name, { length }]) => [
        name,
        new Float32Array(length),
      ]),
    );
    const options = { plan: gaussian, ...settings, insecureSeed: 3, optimizer: sgd({ learningRate: 1e-30 }) };
    const { parameters } = await trainer.train({ ...options, start: zeros });
    expect(flat(parameters).every((number) => Math.abs(number) < 1e-20)).toBe(true);
    await trainer.close();
  });

  it('refuses a plan for other data', async () => {
    const trainer = await openTrainer({ model, trainable, data });
    const plan = makePlan({ mechanism: 'none', examples: 41, epochs: 1, batchSize: 10 }) as Plan;
    await expect(trainer.train({ plan, ...settings })).rejects.toThrow('the plan is for 41 examples, the data has 40');
    await trainer.close();
  });
});
