// The training loop and its checkpoints: stopped anywhere and resumed, it computes the same numbers.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ArgumentError, FileError } from '../../src/checks/index.js';
import { openSafetensors, writeSafetensors } from '../../src/models/index.js';
import {
  adam,
  adamW,
  type CheckpointOptions,
  type LoopOptions,
  linearSchedule,
  loadTraining,
  type Optimizer,
  runLoop,
  saveTraining,
  sgd,
} from '../../src/training/index.js';

const root = mkdtempSync(join(tmpdir(), 'epsilens-test-'));
afterAll(() => rmSync(root, { recursive: true }));
let files = 0;
const fresh = () => join(root, `${++files}.safetensors`);

/** Rosenbrock-like: the gradient depends on the parameters and on the step, in numbers that float32 must round. */
function problem() {
  const parameters = { a: Float32Array.of(-1.2, 1, 0.3), 'b.weight': Float32Array.of(0.1, -0.7) };
  const steps: number[] = [];
  const compute = async (step: number) => {
    steps.push(step);
    const [x, y, z] = parameters.a as unknown as [number, number, number];
    const [u, v] = parameters['b.weight'] as unknown as [number, number];
    const tilt = Math.sin(step + 1) / 3;
    return {
      loss: (1 - x) ** 2 + 3 * (y - x * x) ** 2 + (z - u) ** 2 + v * v,
      gradients: {
        a: Float32Array.of(-2 * (1 - x) - 12 * x * (y - x * x) + tilt, 6 * (y - x * x), 2 * (z - u) - tilt),
        'b.weight': Float32Array.of(2 * (u - z) + tilt / 7, 2 * v),
      },
    };
  };
  return { parameters, compute, steps };
}
type Problem = ReturnType<typeof problem>;
const numbersOf = ({ parameters }: Problem) => Object.values(parameters).map((array) => [...array]);

const configuration = { model: 'bundled:x', optimizer: { name: 'sgd', rate: 0.01 }, seed: 3 };
const checkpointAt = (path: string, rest: Partial<CheckpointOptions> = {}): CheckpointOptions => ({
  path,
  every: 100,
  configuration,
  resume: true,
  ...rest,
});
const optimizers: Readonly<Record<string, Optimizer>> = {
  'SGD with momentum': sgd({ learningRate: 0.01, momentum: 0.9, weightDecay: 0.01 }),
  Adam: adam({ learningRate: 0.03 }),
  'AdamW with a schedule': adamW({ learningRate: linearSchedule(0.05, { warmup: 3, steps: 10 }) }),
};
const plain = sgd({ learningRate: 0.01 });
const run = (own: Problem, options: Partial<LoopOptions>) =>
  runLoop({ parameters: own.parameters, compute: own.compute, optimizer: plain, steps: 10, ...options });
/** A signal that stops after some steps. */
function stopAfter(steps: number) {
  const controller = new AbortController();
  const onStep = ({ step }: { step: number }) => {
    if (step >= steps) controller.abort();
  };
  return { signal: controller.signal, onStep };
}

describe.each(Object.entries(optimizers))('%s', (_, optimizer) => {
  it.each([1, 4, 9])('stopped after %i steps and resumed gives the same bits as without a stop', async (steps) => {
    const whole = problem();
    const { state } = await run(whole, { optimizer });
    const path = fresh();
    const checkpoint = checkpointAt(path);
    const first = problem();
    const stopped = await run(first, { optimizer, checkpoint, ...stopAfter(steps) });
    expect(stopped).toMatchObject({ step: steps, finished: false });
    const second = problem();
    const resumed = await run(second, { optimizer, checkpoint });
    expect(resumed).toMatchObject({ step: 10, finished: true });
    expect(second.steps).toEqual(whole.steps.slice(steps));
    expect(numbersOf(second)).toEqual(numbersOf(whole));
    expect(resumed.state.optimizer).toEqual(state.optimizer);
  });
});

describe('the loop', () => {
  it('reports every step, with the loss before its update', async () => {
    const own = problem();
    const said: [number, number][] = [];
    const first = await own.compute(0);
    await run(own, { steps: 3, onStep: ({ step, loss }) => void said.push([step, loss]) });
    expect(said.map(([step]) => step)).toEqual([1, 2, 3]);
    expect(said[0]?.[1]).toBe(first.loss);
  });

  it('waits for onStep', async () => {
    const order: string[] = [];
    const own = problem();
    await run(own, {
      steps: 2,
      compute: async (step) => {
        order.push(`compute ${step}`);
        return own.compute(step);
      },
      onStep: async ({ step }) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push(`said ${step}`);
      },
    });
    expect(order).toEqual(['compute 0', 'said 1', 'compute 1', 'said 2']);
  });

  it('does nothing if the signal comes before it starts, or if all steps are done', async () => {
    const own = problem();
    const path = fresh();
    const stopped = await run(own, { signal: AbortSignal.abort(), checkpoint: checkpointAt(path) });
    expect(stopped).toMatchObject({ step: 0, finished: false });
    expect([own.steps, existsSync(path)]).toEqual([[], false]);
    await run(own, { steps: 4, checkpoint: checkpointAt(path) });
    const again = problem();
    expect(await run(again, { steps: 4, checkpoint: checkpointAt(path) })).toMatchObject({ step: 4, finished: true });
    expect(again.steps).toEqual([]);
    expect(numbersOf(again)).toEqual(numbersOf(own));
  });

  it('saves after every so many steps, and at the end', async () => {
    const path = fresh();
    const [recorded, said]: (string | undefined)[][] = [[], []];
    const note = (into: (string | undefined)[] | undefined) => async () =>
      void into?.push(existsSync(path) ? (await openSafetensors(path)).metadata.step : undefined);
    const checkpoint = checkpointAt(path, { every: 3 });
    await run(problem(), { steps: 8, checkpoint, record: note(recorded), onStep: note(said) });
    // Records are written before the checkpoint, so that they are never behind it; a step is reported when it is saved.
    expect(recorded).toEqual([undefined, undefined, undefined, '3', '3', '3', '6', '6']);
    expect(said).toEqual([undefined, undefined, '3', '3', '3', '6', '6', '8']);
    expect((await openSafetensors(path)).metadata.step).toBe('8');
    expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('saves by the time worked, but not at the end, unless a signal stops it', async () => {
    const path = fresh();
    const said: boolean[] = [];
    const rarely = checkpointAt(path, { every: { seconds: 1000 } });
    await run(problem(), { checkpoint: rarely, onStep: () => void said.push(existsSync(path)) });
    expect([said.includes(true), existsSync(path)]).toEqual([false, false]);
    const often = checkpointAt(path, { every: { seconds: 1e-9 } });
    await run(problem(), { steps: 8, checkpoint: often });
    expect((await openSafetensors(path)).metadata.step).toBe('7');
    await run(problem(), { checkpoint: rarely, ...stopAfter(9) });
    expect((await openSafetensors(path)).metadata.step).toBe('9');
  });

  it('keeps totals with the checkpoint, so that each step counts once', async () => {
    const path = fresh();
    const fail = async ({ step }: { step: number }) => {
      if (step === 6) throw new Error('killed');
    };
    const totals = async (rest: Partial<LoopOptions>) => {
      const tally = { steps: 0, thirds: 0 };
      const record = ({ step }: { step: number }) => {
        tally.steps += 1;
        tally.thirds += step / 3;
      };
      await run(problem(), { checkpoint: checkpointAt(path, { every: 4, tally }), record, ...rest });
      return tally;
    };
    await expect(totals({ onStep: fail })).rejects.toThrow('killed');
    expect((await openSafetensors(path)).metadata.step).toBe('4');
    const resumed = await totals({});
    rmSync(path);
    expect(resumed).toEqual(await totals({}));
    expect(resumed.steps).toBe(10);
  });

  it('does not continue from a checkpoint without the totals that it needs', async () => {
    const path = fresh();
    await run(problem(), { steps: 5, checkpoint: checkpointAt(path) });
    const own = problem();
    await run(own, { steps: 7, checkpoint: checkpointAt(path, { tally: { steps: 0 } }) });
    expect(own.steps).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('starts again over an old checkpoint unless asked to resume', async () => {
    const path = fresh();
    await run(problem(), { steps: 5, checkpoint: checkpointAt(path) });
    const own = problem();
    await run(own, { steps: 2, checkpoint: checkpointAt(path, { resume: false, configuration: { other: 1 } }) });
    expect(own.steps).toEqual([0, 1]);
    expect((await openSafetensors(path)).metadata.step).toBe('2');
  });

  it('stops at a loss that is not finite and keeps the last checkpoint and the parameters', async () => {
    for (const loss of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const path = fresh();
      const own = problem();
      const compute = async (step: number) => ({ ...(await own.compute(step)), ...(step === 6 && { loss }) });
      const running = run(own, { compute, checkpoint: checkpointAt(path, { every: 4 }) });
      await expect(running).rejects.toThrow(`training diverged: the loss of step 7 is ${loss}`);
      expect((await openSafetensors(path)).metadata.step).toBe('4');
      expect(numbersOf(own).flat().every(Number.isFinite)).toBe(true);
      const again = problem();
      await run(again, { checkpoint: checkpointAt(path) });
      expect(again.steps).toEqual([4, 5, 6, 7, 8, 9]);
    }
  });

  it('does not save parameters that are not finite', async () => {
    const path = fresh();
    const own = problem();
    const compute = async (step: number) => {
      const { loss, gradients } = await own.compute(step);
      if (step === 5) gradients.a[1] = Number.NaN;
      return { loss: 1 + 0 * loss, gradients };
    };
    const running = run(own, { compute, checkpoint: checkpointAt(path, { every: 2 }), steps: 6 });
    await expect(running).rejects.toThrow(
      'tensor parameter.a holds NaN at element 1: expected finite numbers; nothing was written',
    );
    expect((await openSafetensors(path)).metadata.step).toBe('4');
  });

  it('passes on the error of a step, and keeps the last checkpoint', async () => {
    const path = fresh();
    const own = problem();
    const compute = async (step: number) => {
      if (step === 3) throw new Error('no more data');
      return own.compute(step);
    };
    await expect(run(own, { compute, checkpoint: checkpointAt(path, { every: 2 }) })).rejects.toThrow('no more data');
    expect((await openSafetensors(path)).metadata.step).toBe('2');
  });

  it('checks its options', async () => {
    await expect(run(problem(), { steps: 0 })).rejects.toThrow('invalid steps: expected a whole number >= 1, got 0');
    const checkpoint = checkpointAt(fresh(), { every: 0.5 });
    await expect(run(problem(), { checkpoint })).rejects.toThrow('invalid every: expected a whole number >= 1');
    const never = checkpointAt(fresh(), { every: { seconds: 0 } });
    await expect(run(problem(), { checkpoint: never })).rejects.toThrow('invalid seconds: expected > 0');
  });
});

describe('a checkpoint', () => {
  const save = async (): Promise<string> => {
    const path = fresh();
    await run(problem(), { optimizer: optimizers.Adam as Optimizer, steps: 4, checkpoint: checkpointAt(path) });
    return path;
  };
  /** The loop must not start or change anything. */
  async function expectRefused(checkpoint: CheckpointOptions, message: string | RegExp, optimizer = optimizers.Adam) {
    const own = problem();
    const running = run(own, { optimizer: optimizer as Optimizer, checkpoint });
    await expect(running).rejects.toThrow(message);
    await expect(running).rejects.toThrow(checkpoint.path);
    await expect(running).rejects.toBeInstanceOf(FileError);
    expect(own.steps).toEqual([]);
    expect(numbersOf(own)).toEqual(numbersOf(problem()));
  }

  it.each<[string, Record<string, unknown>, string]>([
    ['changed', { ...configuration, seed: 4 }, 'made with seed = 3, this run has 4'],
    [
      'missing',
      { model: configuration.model, optimizer: configuration.optimizer },
      'made with seed = 3, this run has undefined',
    ],
    ['added', { ...configuration, clipNorm: 1 }, 'made with clipNorm = undefined, this run has 1'],
    [
      'changed inside',
      { ...configuration, optimizer: { name: 'sgd', rate: 0.1 } },
      'made with optimizer = {"name":"sgd","rate":0.01}',
    ],
  ])('of a configuration that is %s is refused with the key', async (_, other, message) => {
    await expectRefused(checkpointAt(await save(), { configuration: other }), message);
  });

  it('of version 0.1 is refused with advice', async () => {
    const before = { model: 'bundled:x', plan: { mechanism: 'vmf', lotSize: 128 } };
    const path = join(root, 'before.safetensors');
    const checkpoint = checkpointAt(path, { resume: false, configuration: before });
    await run(problem(), { optimizer: optimizers.Adam as Optimizer, steps: 2, checkpoint });
    const now = { model: 'bundled:x', plan: { mechanism: 'directional', batchSize: 128 } };
    await expectRefused(
      checkpointAt(path, { configuration: now }),
      'the checkpoint was written by epsilens 0.1, whose settings have other names: finish the run with that version',
    );
  });

  it('fits the same configuration in another order of keys', async () => {
    const path = await save();
    const own = problem();
    const { seed, model } = configuration;
    const other = { seed, optimizer: { rate: 0.01, name: 'sgd' }, model, extra: undefined };
    await run(own, {
      optimizer: optimizers.Adam as Optimizer,
      checkpoint: checkpointAt(path, { configuration: other }),
    });
    expect(own.steps[0]).toBe(4);
  });

  it('that is truncated anywhere is refused', async () => {
    const path = await save();
    const whole = readFileSync(path);
    for (const length of [0, 5, 8, 100, whole.length >> 1, whole.length - 1]) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      await expectRefused(checkpointAt(path), /expected|not JSON/);
    }
  });

  it('that is another kind of file is refused', async () => {
    const path = fresh();
    writeFileSync(path, 'no checkpoint at all, but long enough to have a header');
    await expectRefused(checkpointAt(path), 'expected a header');
    const tensor = { shape: [1], data: Float32Array.of(1) };
    await writeSafetensors(path, { w: tensor });
    await expectRefused(checkpointAt(path), 'expected a training checkpoint, got a file without a configuration');
    for (const text of ['null', '3', '[]', '"seed"']) {
      await writeSafetensors(path, { w: tensor }, { configuration: text, step: '1' });
      await expectRefused(checkpointAt(path), /expected a training checkpoint|made with/);
    }
    for (const step of ['-1', '1.5', 'many', '']) {
      await writeSafetensors(path, { w: tensor }, { configuration: JSON.stringify(configuration), step });
      await expectRefused(checkpointAt(path), `expected a step number, got ${step}`);
    }
  });

  it('of another optimizer or of other parameters is refused with the name of the array', async () => {
    const path = await save();
    await expectRefused(checkpointAt(path), 'no tensor optimizer.velocity.a', optimizers['SGD with momentum']);
    const state = { parameters: { a: new Float32Array(2) }, optimizer: plain.init({}) };
    await expect(loadTraining(path, state, configuration)).rejects.toThrow(
      'tensor parameter.a: expected 2 numbers, got 3',
    );
    const more = { parameters: { c: new Float32Array(2) }, optimizer: plain.init({}) };
    await expect(loadTraining(path, more, configuration)).rejects.toThrow('no tensor parameter.c');
  });

  it('that does not exist yet is not read', async () => {
    const state = { parameters: { a: Float32Array.of(5) }, optimizer: plain.init({}) };
    expect(await loadTraining(fresh(), state, configuration)).toBe(false);
    expect(state.parameters.a[0]).toBe(5);
  });

  it('that cannot be written leaves the last one unchanged', async () => {
    const path = await save();
    const before = readFileSync(path);
    const state = { parameters: { a: Float32Array.of(Number.NaN) }, optimizer: plain.init({}) };
    await expect(saveTraining(path, state, configuration)).rejects.toBeInstanceOf(ArgumentError);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
