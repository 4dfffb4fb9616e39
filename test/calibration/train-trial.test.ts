// The training trial of a study: its figures over the steps, and that a crash in the middle of it changes none of them.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openStudyInputs } from '../../src/calibration/study/inputs.js';
import { levelsOf } from '../../src/calibration/study/levels.js';
import { expandStudy } from '../../src/calibration/trials/expand.js';
import type { Trial } from '../../src/calibration/trials/trial.js';
import { openKept } from '../../src/calibration/trials/work/kept.js';
import { makeOpenTraining, type OpenTraining } from '../../src/calibration/trials/work/open-training.js';
import { makeStepTally } from '../../src/calibration/trials/work/step-tally.js';
import { workOn } from '../../src/calibration/trials/work/work.js';
import type { PlanOptions } from '../../src/mechanisms/index.js';
import { makePlan, type Plan, type TrainOptions } from '../../src/training/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
const study = await tinyStudy(root, 'description: one trial');
const inputs = await openStudyInputs(study);
const trials = expandStudy(inputs, levelsOf(inputs)).filter(({ kind }) => kind === 'train');
const kept = openKept();
const { training } = kept;
afterAll(() => kept.close());
const trialOf = (mechanism: string, seed = 1): Trial =>
  trials.find(({ settings }) => {
    const own = settings as { readonly level: { readonly mechanism: string }; readonly seed: number };
    return own.level.mechanism === mechanism && own.seed === seed;
  }) as Trial;

let folders = 0;
function freshFolder(): string {
  const folder = join(root, `trial ${++folders}`);
  mkdirSync(folder);
  return folder;
}

async function measure(trial: Trial, folder: string, own: OpenTraining = training): Promise<Record<string, number>> {
  const encoder = () => Promise.reject(new Error('not for training'));
  const outcomeOf = () => ({ measurements: [], details: {} });
  const outcome = await workOn(trial, {
    inputs,
    encoder,
    kept: { ...kept, training: own },
    folder,
    folderOf: () => '',
    outcomeOf,
  });
  return Object.fromEntries(outcome.measurements.map(({ name, value }) => [name, value]));
}

/** The same training with other options. */
const changed = (change: (options: { run?: TrainOptions['run'] }) => Partial<TrainOptions>): OpenTraining => ({
  ...training,
  setUp: async (...given) => {
    const made = await training.setUp(...given);
    const train: typeof made.trainer.train = (options) => made.trainer.train({ ...options, ...change(options) });
    return { ...made, trainer: { ...made.trainer, train } };
  },
});

describe('a training trial', () => {
  it.each(['none', 'normalised', 'gaussian', 'directional'])(
    '%s: gives the same figures after a crash, from the checkpoint',
    async (mechanism) => {
      const trial = trialOf(mechanism);
      const whole = await measure(trial, freshFolder());
      const folder = freshFolder();
      const crashing = changed(({ run }) => ({
        ...(run && { run: { ...run, checkpointEvery: 2 } }),
        onStep: ({ step }) => {
          if (step === 5) throw new Error('crash');
        },
      }));
      await expect(measure(trial, folder, crashing)).rejects.toThrow('crash');
      expect(readdirSync(folder)).toEqual(['checkpoint.safetensors']);
      const steps: number[] = [];
      const watched = changed(() => ({ onStep: ({ step }) => void steps.push(step) }));
      expect(await measure(trial, folder, watched)).toEqual(whole);
      expect(steps).toEqual([5, 6]);
      expect(readdirSync(folder)).toEqual(['trained.safetensors']);
    },
  );

  it('has the figures of its mechanism', async () => {
    const figures = ['accuracy', 'matthews', 'macroF1', 'loss', 'trainAccuracy', 'gap'];
    const overSteps = ['cosineToSum', 'cosineToGradient', 'expectedCosine', 'sumNorm'];
    const gaussian = await measure(trialOf('gaussian'), freshFolder());
    expect(Object.keys(gaussian)).toEqual([...figures, ...overSteps]);
    const directional = await measure(trialOf('directional'), freshFolder());
    expect(Object.keys(directional)).toEqual([...figures, ...overSteps, 'uniformDraws', 'exampleVisits']);
    // Two epochs of shuffled batches.
    expect(directional.exampleVisits).toBe(2 * inputs.train.inputIds.length);
    expect(directional.uniformDraws).toBe(0);
    const none = await measure(trialOf('none'), freshFolder());
    expect([none.cosineToSum, none.expectedCosine]).toEqual([expect.closeTo(1, 6), 1]);
  });

  it('is the same whichever trials ran before it in the same process', async () => {
    const alone = makeOpenTraining();
    const trial = trialOf('directional', 2);
    const expected = await measure(trial, freshFolder(), alone);
    await alone.close();
    expect(await measure(trial, freshFolder())).toEqual(expected);
    const other = { ...inputs };
    const { trainer } = await training.setUp(other, { level: { mechanism: 'none' }, seed: 1, epochs: 2 });
    expect((await training.setUp(other, { level: { mechanism: 'none' }, seed: 2, epochs: 2 })).trainer).toBe(trainer);
    expect(await measure(trial, freshFolder())).toEqual(expected);
  });
});

describe('the tally of steps', () => {
  const sizes = { examples: 10, epochs: 1, batchSize: 5 };
  const planOf = (options: object): Plan => makePlan({ ...sizes, ...options } as PlanOptions) as Plan;
  const directional = planOf({ mechanism: 'directional', concentration: 10 });
  const gaussian = planOf({ mechanism: 'gaussian', noiseMultiplier: 1, accountant: 'rdp' });
  const step = (members: number, zero: number, nonFinite: number, expectedCosine?: number) => ({
    step: 1,
    members,
    zero,
    nonFinite,
    diagnostics: {
      norm: 1,
      cosineToSum: 0.5,
      cosineToGradient: -0.25,
      sumNorm: members,
      ...(expectedCosine !== undefined && { expectedCosine }),
    },
  });

  it('adds up uniform draws, example visits, means and the root of the mean square', () => {
    const tally = makeStepTally();
    tally.add(step(3, 1, 0, 0.2));
    tally.add(step(4, 0, 2, 0.4));
    const figures = Object.fromEntries(tally.figures(directional));
    expect(figures).toMatchObject({ uniformDraws: 3, exampleVisits: 7, cosineToSum: 0.5, cosineToGradient: -0.25 });
    expect(figures.expectedCosine).toBeCloseTo(0.3, 12);
    expect(figures.sumNorm).toBeCloseTo(Math.sqrt(25 / 2), 12);
    // A mechanism that draws no directions has no use for the counts.
    expect(Object.keys(Object.fromEntries(tally.figures(gaussian)))).not.toContain('uniformDraws');
  });

  it('counts examples at every step, and takes means over those that were compared', () => {
    const tally = makeStepTally();
    expect(() => tally.figures(directional)).toThrow('diagnostics of some of its steps');
    tally.add(step(3, 1, 0, 0.2));
    const { diagnostics: _, ...unobserved } = step(40, 2, 1, 0.9);
    tally.add(unobserved);
    const figures = Object.fromEntries(tally.figures(directional));
    expect(figures).toMatchObject({
      uniformDraws: 4,
      exampleVisits: 43,
      cosineToSum: 0.5,
      expectedCosine: 0.2,
      sumNorm: 3,
    });
  });

  it('leaves out an expected cosine that some step lacks', () => {
    const tally = makeStepTally();
    tally.add(step(3, 0, 0, 0.2));
    tally.add(step(3, 0, 0));
    expect(Object.keys(Object.fromEntries(tally.figures(directional)))).not.toContain('expectedCosine');
  });
});
