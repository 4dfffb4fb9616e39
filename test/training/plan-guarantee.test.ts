// The guarantee of a plan after some of its steps, in numbers and in sentences.

import { describe, expect, it } from 'vitest';
import { gaussian, poissonSampled, selfComposed } from '../../src/privacy/index.js';
import { eventOf, guaranteeOf, makePlan, type PlanOptionsFor, planStatement } from '../../src/training/index.js';
import { quickAccountant } from '../../src/training/plan-guarantee.js';

const common = { examples: 1000, epochs: 3, batchSize: 64 };
const gaussianPlan = (rest: Partial<PlanOptionsFor<'gaussian'>> = {}) =>
  makePlan({ mechanism: 'gaussian', ...common, noiseMultiplier: 1, accountant: 'rdp', ...rest });
const steps = (...list: number[]) => list.map((step) => ({ step }));
const upTo = (count: number) => steps(...Array(count).keys());

describe('steps that were begun', () => {
  it('each count with Poisson batches, repeated ones too', () => {
    const plan = gaussianPlan();
    expect(eventOf(plan, steps(0, 1, 1, 2))).toEqual(selfComposed(4, poissonSampled(0.064, gaussian(1))));
    expect(guaranteeOf(plan, upTo(48))).toEqual(plan.guarantee);
    expect(guaranteeOf(plan, [])?.epsilon).toBe(0);
  });

  it('count with shuffled batches by the most used batch of each epoch', () => {
    const plan = makePlan({ mechanism: 'directional', ...common, concentration: 10 });
    const epsilon = (...list: number[]) => guaranteeOf(plan, steps(...list))?.epsilon;
    expect(epsilon(0)).toBe(20);
    expect(epsilon(0, 1, 15)).toBe(20);
    expect(epsilon(0, 1, 1, 2)).toBe(40);
    expect(epsilon(0, 1, 1, 16)).toBe(60);
    expect(epsilon(3, 3, 3, 20, 20)).toBe(100);
    expect(guaranteeOf(plan, upTo(48))?.epsilon).toBe(60);
  });

  it('can be counted by a quicker accountant', () => {
    const plan = gaussianPlan({ accountant: 'pld', delta: 1e-5 });
    const quick = guaranteeOf(plan, upTo(48), 'rdp');
    expect(quick?.accountant).toBe('rdp');
    expect(quick?.epsilon).toBeGreaterThan(plan.guarantee?.epsilon as number);
  });
});

describe('the statement', () => {
  const said = (insecure: boolean) => planStatement(gaussianPlan(), upTo(48), { insecure });

  it('says what is guaranteed, for which unit, and what is not covered', () => {
    const text = said(false).join('\n');
    expect(text).toMatch(/^Epsilon is [\d.]+ with delta 5\.012e-4 for adding or removing one example, by the rdp/);
    expect(text).toContain('Each record went through this at most 48 times');
    expect(text).toContain('A person behind several examples is protected less');
    expect(text).toContain('Not covered: data used before this, as in pretraining, and other runs on the same data');
    expect(text).toContain(
      'Not covered: losses, scores and counts shown while training; whether and when the run was stopped',
    );
    expect(text).toContain('Note: delta was not given');
    for (const sentence of said(false)) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  it('begins with a warning if the noise came from a seed', () => {
    expect(said(true)[0]).toMatch(/^The noise came from a seed: .*do not release this model\.$/);
    expect(said(true).slice(1)).toEqual(said(false));
  });
});

describe('a plan', () => {
  it('cannot be changed, and has no statement if it was assembled by hand', () => {
    const plan = gaussianPlan();
    expect(() => Object.assign(plan.sampler, { sampleRate: 1e-6 })).toThrow('read only');
    const changed = { ...plan, noiseMultiplier: 0.01 };
    expect(() => planStatement(changed, upTo(1), { insecure: false })).toThrow('invalid plan: its');
  });

  it('is not made if ε is infinite', () => {
    expect(() => gaussianPlan({ noiseMultiplier: 1e-3, accountant: 'gdp' })).toThrow(
      'epsilon is infinite by the gdp accountant',
    );
  });

  it('has live figures: Rényi bounds for PLD, except without a δ', () => {
    expect(quickAccountant(gaussianPlan({ accountant: 'pld' }))).toBe('rdp');
    expect(quickAccountant(gaussianPlan({ accountant: 'zcdp' }))).toBe('zcdp');
    const directions = makePlan({ mechanism: 'directional', ...common, concentration: 1, accountant: 'pld' });
    expect(guaranteeOf(directions, upTo(3), quickAccountant(directions))?.epsilon).toBeLessThan(7);
  });
});
