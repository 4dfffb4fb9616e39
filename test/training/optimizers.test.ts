// Optimizers against torch.optim, step by step.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adam, adamW, linearSchedule, type Optimizer, sgd } from '../../src/training/index.js';

const golden = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'optimizers.json'), 'utf8'));

const optimizers: Readonly<Record<string, Optimizer>> = {
  sgd: sgd({ learningRate: 0.1 }),
  sgdDecay: sgd({ learningRate: 0.1, weightDecay: 0.05 }),
  momentum: sgd({ learningRate: 0.1, momentum: 0.9 }),
  adam: adam({ learningRate: 0.01 }),
  adamDecay: adam({ learningRate: 0.01, weightDecay: 0.05 }),
  adamW: adamW({ learningRate: 0.01 }),
};

describe.each(Object.entries(optimizers))('%s', (name, optimizer) => {
  it('updates as PyTorch does, also from a state restored from JSON', () => {
    const parameters = { x: Float32Array.from(golden.start as number[]) };
    let state = optimizer.init(parameters);
    for (const [step, gradient] of (golden.gradients as number[][]).entries()) {
      optimizer.update(parameters, { x: Float32Array.from(gradient) }, state);
      for (const [i, number] of (golden[name][step] as number[]).entries())
        expect(parameters.x[i]).toBeCloseTo(number, 6);
      const memory = Object.entries(state.memory).map(([kind, { x }]) => [
        kind,
        { x: Float32Array.from([...(x as Float32Array)]) },
      ]);
      state = { step: JSON.parse(JSON.stringify(state.step)), memory: Object.fromEntries(memory) };
    }
    expect(state.step).toBe(5);
  });

  it('changes nothing if something is missing', () => {
    const parameters = { a: Float32Array.of(1), b: Float32Array.of(2) };
    const state = optimizer.init(parameters);
    const partial = { a: Float32Array.of(1) };
    expect(() => optimizer.update(parameters, partial, state)).toThrow('parameter b: expected a gradient');
    expect(() => optimizer.update(parameters, { ...partial, b: new Float32Array(2) }, state)).toThrow('of 1 numbers');
    expect([parameters.a[0], parameters.b[0], state.step]).toEqual([1, 2, 0]);
  });
});

describe('options', () => {
  it('are checked', () => {
    expect(() => sgd({ learningRate: 0 })).toThrow('invalid learningRate: expected > 0, got 0');
    expect(() => sgd({ learningRate: 1, momentum: -1 })).toThrow('invalid momentum');
    expect(() => adam({ learningRate: 1, beta2: 1 })).toThrow('expected below 1');
  });

  it('may include a schedule: up, then down to zero', () => {
    const usual = linearSchedule(1, { steps: 40 });
    expect([usual(0), usual(1), usual(2)]).toEqual([0.5, 1, 1]);
    const schedule = linearSchedule(1, { warmup: 4, steps: 12 });
    expect([0, 3, 4, 8, 12, 20].map(schedule)).toEqual([0.25, 1, 1, 0.5, 0, 0]);
    const parameters = { x: Float32Array.of(1) };
    const optimizer = sgd({ learningRate: schedule });
    optimizer.update(parameters, { x: Float32Array.of(1) }, optimizer.init(parameters));
    expect(parameters.x[0]).toBe(0.75);
  });
});
