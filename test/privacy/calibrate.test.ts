// Noise for a target: every accountant meets it, with almost nothing to spare.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Accountant,
  calibrateNoise,
  dpSgd,
  laplace,
  metric,
  metricAccountant,
  pldAccountant,
  rdpAccountant,
} from '../../src/privacy/index.js';
import { quickAccountants, runs, settings } from './settings.js';

const targets = fc.double({ min: -1, max: 2.3, noNaN: true }).map((exponent) => 10 ** exponent);

describe('calibrateNoise', () => {
  it.each(quickAccountants.map((make) => [make().name, make] as const))('%s keeps the target, just', (name, make) => {
    fc.assert(
      fc.property(settings, targets, ({ sampleRate, steps, delta }, epsilon) => {
        const eventFor = (noiseMultiplier: number) => dpSgd({ sampleRate, noiseMultiplier, steps });
        const target = { epsilon, delta };
        // With 32 moments no noise is enough for an ε below ln(1/δ)/32; the same for orders up to 1024.
        const least = name === 'moments' ? -Math.log(delta) / 32 : name === 'rdp' ? -Math.log(delta) / 1024 : 0;
        fc.pre(epsilon > 1.01 * least);
        checkCalibration(make, eventFor, target, { tolerance: 1e-4 });
      }),
      runs(make, 12),
    );
  });

  it('meets the target with loss distributions', () => {
    const cases = [
      [0.02, 300, 1e-5, 1],
      [0.3, 10, 1e-6, 8],
    ] as const;
    for (const [sampleRate, steps, delta, epsilon] of cases) {
      const eventFor = (noiseMultiplier: number) => dpSgd({ sampleRate, noiseMultiplier, steps });
      const { parameter: start } = calibrateNoise({
        makeAccountant: rdpAccountant,
        eventFor,
        target: { epsilon, delta },
      });
      const found = checkCalibration(pldAccountant, eventFor, { epsilon, delta }, { start, tolerance: 1e-3 });
      expect(found).toBeLessThan(start);
    }
  });

  it('finds the exact parameter of events with an ε of their own', () => {
    const target = { epsilon: 0.4, delta: 0 };
    const { parameter } = calibrateNoise({ makeAccountant: pldAccountant, eventFor: laplace, target });
    expect(parameter).toBeCloseTo(2.5, 5);
    const eventFor = (noise: number) => metric({ factor: 1 / noise });
    expect(calibrateNoise({ makeAccountant: metricAccountant, eventFor, target }).parameter).toBeCloseTo(5, 5);
  });

  it('finds the noise of the paper for CoLA', () => {
    const eventFor = (noiseMultiplier: number) => dpSgd({ sampleRate: 128 / 5056, noiseMultiplier, steps: 400 });
    const target = { epsilon: 0.9947, delta: 1 / 5056 };
    expect(calibrateNoise({ makeAccountant: rdpAccountant, eventFor, target }).parameter).toBeCloseTo(1.91, 3);
  });

  it('stops at the least noise allowed, and says when none is enough', () => {
    const eventFor = (noiseMultiplier: number) => dpSgd({ sampleRate: 0.01, noiseMultiplier, steps: 1 });
    const most = { makeAccountant: rdpAccountant, eventFor, target: { epsilon: 1e12, delta: 1e-5 } };
    expect(calibrateNoise(most).parameter).toBe(1e-3);
    expect(() => calibrateNoise({ ...most, target: { epsilon: 1e-9, delta: 1e-5 } })).toThrow(
      'invalid target epsilon: no parameter up to 1000000 is enough for 1e-9 with the rdp accountant, which then gives 0.003502 at delta 0.00001: raise epsilon or delta, or use the pld accountant',
    );
  });

  it.each([1e-3, 0.5, 1e6, 1e300])('finds the same from a start of %d, soon', (start) => {
    const eventFor = (noiseMultiplier: number) => dpSgd({ sampleRate: 0.01, noiseMultiplier, steps: 1000 });
    let asked = 0;
    const makeAccountant = () => {
      asked += 1;
      return rdpAccountant();
    };
    const { parameter } = calibrateNoise({ makeAccountant, eventFor, target: { epsilon: 1, delta: 1e-5 }, start });
    expect(parameter).toBeCloseTo(1.51312, 4);
    // Plain doubling would take 41 evaluations from the far ends.
    expect(asked).toBeLessThan(36);
  });

  it('goes below the lower limit of the accountant that guides it', () => {
    const eventFor = (noiseMultiplier: number) => dpSgd({ sampleRate: 0.01, noiseMultiplier, steps: 100 });
    const target = { epsilon: 0.005, delta: 1e-9 };
    expect(() => calibrateNoise({ makeAccountant: rdpAccountant, eventFor, target })).toThrow(/gives 0\.01\d+ at/);
    checkCalibration(pldAccountant, eventFor, target, { start: 1e6, tolerance: 1e-2 });
  });
});

/** The parameter found: it meets the target, and slightly less noise would not. */
function checkCalibration(
  makeAccountant: () => Accountant,
  eventFor: (noise: number) => ReturnType<typeof dpSgd>,
  target: { readonly epsilon: number; readonly delta: number },
  options: { readonly start?: number; readonly tolerance: number },
): number {
  const { parameter, guarantee } = calibrateNoise({ makeAccountant, eventFor, target, ...options });
  expect(guarantee.epsilon).toBeLessThanOrEqual(target.epsilon);
  const epsilonAt = (noise: number) => makeAccountant().compose(eventFor(noise)).epsilon(target.delta).epsilon;
  expect(epsilonAt(parameter)).toBe(guarantee.epsilon);
  if (parameter > 1e-3) expect(epsilonAt(parameter * (1 - 1.01 * options.tolerance))).toBeGreaterThan(target.epsilon);
  return parameter;
}
