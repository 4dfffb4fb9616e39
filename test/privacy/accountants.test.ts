import { describe, expect, it } from 'vitest';
import {
  advancedAccountant,
  amplifyBySampling,
  analyticGaussianNoise,
  approximate,
  basicAccountant,
  classicGaussianNoise,
  composed,
  dpSgd,
  gaussian,
  gaussianEpsilon,
  gdpAccountant,
  groupPrivacy,
  laplace,
  metric,
  metricAccountant,
  momentsAccountant,
  parallel,
  parallelComposition,
  pldAccountant,
  poissonSampled,
  pureEpsilon,
  randomizedResponse,
  rdpAccountant,
  selfComposed,
  zcdpAccountant,
} from '../../src/privacy/index.js';
import { describeAccountant } from './describe-accountant.js';
import { grid } from './golden.js';

const sampled = (noise: number) => poissonSampled(0.1, gaussian(noise));
describeAccountant(basicAccountant, sampled);
describeAccountant(advancedAccountant, sampled);
describeAccountant(momentsAccountant, sampled);
describeAccountant(zcdpAccountant, sampled);
describeAccountant(rdpAccountant, sampled);
describeAccountant(gdpAccountant, sampled);
describeAccountant(pldAccountant, sampled);
describeAccountant(pldAccountant, laplace);
describeAccountant(rdpAccountant, laplace);
describeAccountant(metricAccountant, (noise) => metric({ factor: 1 / noise }));

describe('the other accountants', () => {
  it('GDP and the analytic Gaussian have the golden values', () => {
    for (const { q, sigma, steps, delta, opacus_gdp_eps } of grid.subsampled_gaussian) {
      const event = dpSgd({ sampleRate: q, noiseMultiplier: sigma, steps });
      const { epsilon, bound } = gdpAccountant().compose(event).epsilon(delta);
      if (q === 1) {
        // Opacus uses the limit here too, which is not needed without sampling.
        expect([epsilon, bound]).toEqual([gaussianEpsilon(delta, Math.sqrt(steps) / sigma), 'exact']);
        expect(epsilon).toBeLessThan(opacus_gdp_eps);
        continue;
      }
      expect(Math.abs(epsilon / opacus_gdp_eps - 1)).toBeLessThan(1e-6);
      expect(bound).toBe('approximate');
    }
    for (const { epsilon, delta, sigma_l2_1 } of grid.analytic_gaussian) {
      expect(Math.abs(analyticGaussianNoise(epsilon, delta) / sigma_l2_1 - 1)).toBeLessThan(1e-6);
    }
    expect(() => classicGaussianNoise(1, 1e-5)).toThrow('below 1, where the classic formula is proved');
  });

  it('follow the textbook formulas', () => {
    const pure = pureEpsilon(0.1);
    expect(basicAccountant().compose(pure, 50).epsilon(0).epsilon).toBeCloseTo(5, 12);
    const advanced = 0.1 * Math.sqrt(2 * 50 * Math.log(2e5)) + 50 * 0.1 * Math.expm1(0.1);
    expect(advancedAccountant().compose(pure, 50).epsilon(1e-5).epsilon).toBeCloseTo(advanced, 12);
    const rho = 50 / (2 * 4 ** 2);
    expect(zcdpAccountant().compose(gaussian(4), 50).epsilon(1e-5).epsilon).toBeCloseTo(
      rho + 2 * Math.sqrt(rho * Math.log(1e5)),
      12,
    );
    const replaceOne = basicAccountant({ neighbours: 'replace-one' });
    expect(replaceOne.compose(randomizedResponse(0.75)).epsilon(0).epsilon).toBeCloseTo(Math.log(3), 12);
    expect(basicAccountant().compose(approximate(1, 1e-6), 3).delta(3).delta).toBeCloseTo(3e-6, 12);
    expect(amplifyBySampling({ epsilon: 1, delta: 1e-5 }, 0.1)).toEqual({
      epsilon: Math.log1p(0.1 * Math.expm1(1)),
      delta: 0.1 * 1e-5,
    });
    expect(groupPrivacy({ epsilon: 0.5, delta: 0 }, 3)).toEqual({ epsilon: 1.5, delta: 0 });
    // (e^{1.5} − 1)/(e^{0.5} − 1) times.
    expect(groupPrivacy({ epsilon: 0.5, delta: 1e-5 }, 3).delta).toBeCloseTo(5.367003098e-5, 13);
    expect(groupPrivacy({ epsilon: 0, delta: 1e-5 }, 3).delta).toBeCloseTo(3e-5, 15);
    expect(
      parallelComposition([
        { epsilon: 1, delta: 0 },
        { epsilon: 2, delta: 1e-6 },
      ]),
    ).toEqual({ epsilon: 2, delta: 1e-6 });
  });

  it('give δ = 1 where the exponential of ε overflows', () => {
    for (const epsilon of [400, 800, 1e300]) {
      expect(groupPrivacy({ epsilon, delta: 1e-5 }, 2)).toEqual({ epsilon: 2 * epsilon, delta: 1 });
      expect(groupPrivacy({ epsilon, delta: 1e-5 }, 1)).toEqual({ epsilon, delta: 1e-5 });
    }
    const makers = [momentsAccountant, rdpAccountant, zcdpAccountant, advancedAccountant, basicAccountant];
    for (const make of makers) {
      for (const event of [gaussian(1e-160), pureEpsilon(1e300), laplace(1e-300)]) {
        const accountant = make().compose(event, 3);
        expect(accountant.delta(Number.POSITIVE_INFINITY).delta, accountant.name).toBeLessThanOrEqual(1);
        expect(accountant.delta(1).delta, accountant.name).toBe(1);
        expect(accountant.epsilon(1e-5).epsilon, accountant.name).toBeGreaterThan(1e299);
      }
    }
  });

  it('metric: 2κ per pass for unit vectors, with the batches of a pass in parallel', () => {
    const pass = parallel([metric({ factor: 3 }), metric({ factor: 3 }), metric({ factor: 2 })]);
    const guarantee = metricAccountant().compose(pass, 5).epsilon(0);
    expect(guarantee).toMatchObject({ epsilon: 30, neighbours: 'replace-one', metric: { factor: 15 } });
    // Opposite unit vectors are π apart as an angle.
    const angle = metric({ factor: 3, distance: 'angle' });
    expect(metricAccountant().compose(angle).epsilon(0).epsilon).toBeCloseTo(3 * Math.PI, 12);
  });

  it('are ordered: PLD ≤ RDP ≤ moments', () => {
    const event = dpSgd({ sampleRate: 0.02, noiseMultiplier: 1.2, steps: 500 });
    const [pld, rdp, moments] = [pldAccountant, rdpAccountant, momentsAccountant].map(
      (make) => make().compose(event).epsilon(1e-5).epsilon,
    ) as [number, number, number];
    expect(pld).toBeLessThan(rdp);
    expect(rdp).toBeLessThan(moments);
  });

  it('name the event they cannot count, also inside a composition', () => {
    const hidden = composed([gaussian(1), selfComposed(2, laplace(1))]);
    expect(gdpAccountant().supports(hidden)).toBe(false);
    expect(() => gdpAccountant().compose(hidden)).toThrow(
      'the gdp accountant cannot count laplace: it counts only normal noise',
    );
    const replace = rdpAccountant({ neighbours: 'replace-one' });
    expect(() => replace.compose(sampled(1))).toThrow('groupPrivacy of size 2');
  });

  it('refuse replace-one events for add-or-remove-one neighbours, however deep they are nested', () => {
    const makers = [basicAccountant, advancedAccountant, momentsAccountant, zcdpAccountant, rdpAccountant];
    for (const make of [...makers, gdpAccountant, pldAccountant]) {
      for (const inner of [randomizedResponse(0.75), metric({ factor: 1 })]) {
        for (const event of [
          inner,
          selfComposed(3, inner),
          poissonSampled(0.1, inner),
          poissonSampled(0.1, composed([gaussian(1), inner])),
          parallel([gaussian(1), inner]),
          composed([gaussian(1), parallel([laplace(1), poissonSampled(0.5, selfComposed(2, inner))])]),
        ]) {
          const { name } = make();
          expect(make().supports(event)).toBe(false);
          expect(() => make().compose(event)).toThrow(
            `the ${name} accountant cannot count ${inner.kind}: its neighbours are replace-one, those of this accountant add-or-remove-one`,
          );
        }
        // Nobody was asked.
        expect(make().supports(poissonSampled(0, inner))).toBe(true);
      }
    }
    for (const make of [...makers, pldAccountant]) {
      const accountant = make({ neighbours: 'replace-one' });
      expect(accountant.compose(randomizedResponse(0.75)).epsilon(1e-5).epsilon).toBeGreaterThan(1);
      expect(accountant.compose(metric({ factor: 0.5 })).epsilon(1e-5).epsilon).toBeGreaterThan(0.9);
    }
  });

  it('events refuse bad numbers in one sentence', () => {
    expect(() => gaussian(0)).toThrow('invalid noiseMultiplier: expected > 0, got 0');
    expect(() => poissonSampled(1.5, gaussian(1))).toThrow(
      'invalid sampleRate: expected at least 0 and at most 1, got 1.5',
    );
    expect(() => dpSgd({ sampleRate: 0.1, noiseMultiplier: 1, steps: 2.5 })).toThrow('invalid steps');
    expect(() => approximate(1, 1)).toThrow('invalid delta');
    expect(() => randomizedResponse(1)).toThrow('invalid truthProbability');
  });
});
