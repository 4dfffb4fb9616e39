// Noise levels found from the ε or cosine that they are to reach.

import { describe, expect, it } from 'vitest';
import { studyFromYaml } from '../../src/calibration/index.js';
import { describeLevel, levelsOf, planOf, protectionOf } from '../../src/calibration/study/levels.js';
import { drawCosine, meanCosine, mechanisms, planSizes } from '../../src/mechanisms/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { guaranteeOf, makePlan } from '../../src/training/index.js';

const inputs = (mechanisms: string, scope = 'joint') =>
  ({
    study: studyFromYaml(`name: a\nsharing: {scope: ${scope}}\nmechanisms: ${mechanisms}`, 'a'),
    train: { inputIds: Array.from({ length: 2000 }, () => [1]), labels: [] },
    shared: { numbers: 5000 },
    trained: { numbers: 100 },
  }) as unknown as Parameters<typeof levelsOf>[0];

describe('levels', () => {
  it('come from the least to the most noise, and begin without any', () => {
    const levels = levelsOf(inputs('{gaussian: {noise: [1, 0.1]}, directional: {concentration: [10, 1000, 100]}}'));
    expect(levels.map(({ parameter: noise }) => noise)).toEqual([undefined, undefined, 0.1, 1, 1000, 100, 10]);
    // Directional noise begins at normalised gradients; a study without it has no such level.
    expect(levels.slice(0, 2)).toEqual([
      { mechanism: 'none', startOf: ['gaussian'] },
      { mechanism: 'normalised', startOf: ['directional'], label: 'normalised' },
    ]);
    expect(levelsOf(inputs('{gaussian: {noise: [1]}}')).map(({ mechanism }) => mechanism)).toEqual([
      'none',
      'gaussian',
    ]);
  });

  it('reach the ε that was asked for', () => {
    const [, first, second] = levelsOf(inputs('{gaussian: {epsilon: [8, 1]}}'));
    expect([first?.target?.value, second?.target?.value]).toEqual([8, 1]);
    const plan = makePlan({
      mechanism: 'gaussian',
      examples: 2000,
      epochs: 10,
      batchSize: 256,
      noiseMultiplier: first?.parameter as number,
    });
    const steps = Array.from({ length: plan.steps }, (_, step) => ({ step }));
    expect(guaranteeOf(plan, steps)?.epsilon).toBeLessThanOrEqual(8);
    expect(guaranteeOf(plan, steps)?.epsilon).toBeGreaterThan(7.9);
  });

  it('reach the cosine that was asked for', () => {
    const [, , normal, direction] = levelsOf(inputs('{gaussian: {cosine: [0.5]}, directional: {cosine: [0.5]}}'));
    expect(meanCosine({ dimension: 5000, concentration: direction?.parameter as number })).toBeCloseTo(0.5, 7);
    // A unit vector with noise, drawn 200 times: the mean cosine has a standard error below .001.
    const random = seededSource('cosine');
    let sum = 0;
    for (let draw = 0; draw < 200; draw++) {
      const noise = new Float64Array(5000);
      fillNormal(random, noise);
      const noisy = noise.map((x, i) => x * (normal?.parameter as number) + (i === 0 ? 1 : 0));
      sum += (noisy[0] as number) / Math.sqrt(noisy.reduce((square, x) => square + x * x, 0));
    }
    expect(Math.abs(sum / 200 - 0.5)).toBeLessThan(0.005);
    expect(drawCosine(random, { dimension: 5000, concentration: direction?.parameter as number }).cosine).toBeCloseTo(
      0.5,
      1,
    );
  });

  it.each([0.01, 0.3, 0.9, 0.999])('κ and σ of a cosine of %s fit any size', (cosine) => {
    for (const numbers of [10, 66306, 5e6]) {
      const sizes = planSizes({ examples: 100, epochs: 1, batchSize: 10 });
      const context = { sizes, training: { clipNorm: 1 }, numbers, scope: 'joint' as const };
      const concentration = mechanisms.directional.grids.cosine.parameterFor(cosine, context);
      expect(meanCosine({ dimension: numbers, concentration })).toBeCloseTo(cosine, 6);
      const noise = mechanisms.gaussian.grids.cosine.parameterFor(cosine, context);
      expect(1 / Math.sqrt(1 + numbers * noise ** 2)).toBeCloseTo(cosine, 12);
    }
  });

  it('of a noisy mechanism are refused without an amount, and never pass for no noise', () => {
    const given = inputs('{gaussian: {noise: [1]}}');
    for (const mechanism of ['gaussian', 'directional']) {
      for (const use of [
        () => planOf(given as unknown as Parameters<typeof planOf>[0], { mechanism }, 1),
        () => protectionOf({ mechanism }, given.study),
        () => describeLevel({ mechanism }),
      ]) {
        expect(use).toThrow(/^invalid level: expected a (noiseMultiplier|concentration) for/);
      }
    }
    expect(describeLevel({ mechanism: 'none' })).toBe('no noise');
  });

  it('have no common cosine where each tensor has its own', () => {
    expect(() => levelsOf(inputs('{directional: {cosine: [0.5]}}', 'tensor'))).toThrow('needs sharing.scope joint');
  });
});
