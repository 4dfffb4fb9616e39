// Bad input to every public function: one sentence that names the argument.

import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { parallelComposition } from '../../src/privacy/index.js';
import * as privacy from '../../src/privacy/public.js';

const { gaussian, laplace, metric, none, poissonSampled, dpSgd, composed, selfComposed, parallel, approximate } =
  privacy;
const guarantee = privacy.basicAccountant().epsilon(0);
const calibration = {
  makeAccountant: () => privacy.rdpAccountant(),
  eventFor: gaussian,
  target: { epsilon: 1, delta: 1e-5 },
};
const search = { accountant: 'pld', eventFor: gaussian, target: { epsilon: 1, delta: 1e-5 } } as const;
const bad = <T = number>(value: unknown) => value as T;

const table: Readonly<Record<string, readonly [() => unknown, string][]>> = {
  gaussian: [
    [() => gaussian(0), 'invalid noiseMultiplier: expected > 0, got 0'],
    [() => gaussian(-1), 'invalid noiseMultiplier: expected > 0, got -1'],
    [() => gaussian(Number.NaN), 'invalid noiseMultiplier: expected > 0, got NaN'],
    [() => gaussian(bad('1')), 'invalid noiseMultiplier: expected > 0, got 1'],
  ],
  laplace: [[() => laplace(Number.POSITIVE_INFINITY), 'invalid noiseMultiplier: expected > 0, got Infinity']],
  randomizedResponse: [
    [() => privacy.randomizedResponse(0.4), 'invalid truthProbability: expected at least 0.5 and below 1, got 0.4'],
    [() => privacy.randomizedResponse(1), 'invalid truthProbability'],
  ],
  pureEpsilon: [[() => privacy.pureEpsilon(-1), 'invalid epsilon: expected a finite number >= 0, got -1']],
  approximate: [
    [() => approximate(Number.NaN, 0), 'invalid epsilon'],
    [() => approximate(1, 1), 'invalid delta: expected at least 0 and below 1, got 1'],
  ],
  metric: [
    [() => metric({ factor: 0 }), 'invalid factor: expected > 0, got 0'],
    [() => metric({ factor: 1, diameter: -2 }), 'invalid diameter'],
    [
      () => metric({ factor: 1, distance: 'cosine' as 'angle' }),
      'invalid distance: expected euclidean or angle, got cosine',
    ],
  ],
  poissonSampled: [
    [() => poissonSampled(-0.1, none), 'invalid sampleRate: expected at least 0 and at most 1, got -0.1'],
    [() => poissonSampled(1.5, none), 'invalid sampleRate: expected at least 0 and at most 1, got 1.5'],
    [() => poissonSampled(bad('0.5'), none), 'invalid sampleRate'],
  ],
  selfComposed: [[() => selfComposed(2.5, none), 'invalid count: expected a whole number >= 0, got 2.5']],
  dpSgd: [
    [() => dpSgd({ sampleRate: 2, noiseMultiplier: 1, steps: 1 }), 'invalid sampleRate'],
    [() => dpSgd({ sampleRate: 0.1, noiseMultiplier: 0, steps: 1 }), 'invalid noiseMultiplier'],
    [
      () => dpSgd({ sampleRate: 0.1, noiseMultiplier: 1, steps: 0.5 }),
      'invalid steps: expected a whole number >= 0, got 0.5',
    ],
  ],
  composed: [[() => composed([gaussian(0)]), 'invalid noiseMultiplier']],
  parallel: [[() => parallel([gaussian(0)]), 'invalid noiseMultiplier']],
  amplifyBySampling: [
    [() => privacy.amplifyBySampling({ epsilon: -1, delta: 0 }, 0.5), 'invalid epsilon'],
    [() => privacy.amplifyBySampling({ epsilon: 1, delta: 1 }, 0.5), 'invalid delta'],
    [() => privacy.amplifyBySampling({ epsilon: 1, delta: 0 }, 2), 'invalid sampleRate'],
  ],
  groupPrivacy: [
    [() => privacy.groupPrivacy({ epsilon: Number.NaN, delta: 0 }, 2), 'invalid epsilon'],
    [() => privacy.groupPrivacy({ epsilon: 1, delta: -1 }, 2), 'invalid delta'],
    [() => privacy.groupPrivacy({ epsilon: 1, delta: 0 }, 1.5), 'invalid size: expected a whole number >= 1, got 1.5'],
  ],
  parallelComposition: [
    [() => parallelComposition([{ epsilon: Number.NaN, delta: 0 }]), 'invalid epsilon'],
    [() => parallelComposition([{ epsilon: 1, delta: 1 }]), 'invalid delta'],
  ],
  analyticGaussianNoise: [
    [() => privacy.analyticGaussianNoise(-1, 0.1), 'invalid epsilon'],
    [() => privacy.analyticGaussianNoise(1, 0), 'invalid delta: expected above 0 and below 1, got 0'],
    [() => privacy.analyticGaussianNoise(1, 0.1, 0), 'invalid sensitivity'],
  ],
  classicGaussianNoise: [
    [() => privacy.classicGaussianNoise(1, 0.1), 'invalid epsilon'],
    [() => privacy.classicGaussianNoise(0.5, 1), 'invalid delta'],
    [() => privacy.classicGaussianNoise(0.5, 0.1, Number.NaN), 'invalid sensitivity'],
  ],
  gaussianDelta: [
    [() => privacy.gaussianDelta(-1, 1), 'invalid epsilon'],
    [() => privacy.gaussianDelta(1, Number.NaN), 'invalid mu'],
  ],
  gaussianEpsilon: [
    [() => privacy.gaussianEpsilon(1, 1), 'invalid delta'],
    [() => privacy.gaussianEpsilon(0.1, -1), 'invalid mu: expected a number >= 0, got -1'],
  ],
  membershipBound: [
    [() => privacy.membershipBound(0, 1, 0), 'invalid lowestRate: expected above 0 and at most 1, got 0'],
    [() => privacy.membershipBound(0.1, -1, 0), 'invalid epsilon: expected a number from 0 on, got -1'],
    [() => privacy.membershipBound(0.1, 1, 2), 'invalid delta: expected from 0 to 1, got 2'],
  ],
  mostTruePositives: [
    [() => privacy.mostTruePositives(-0.1, 1, 0), 'invalid falsePositiveRate: expected from 0 to 1, got -0.1'],
    [() => privacy.mostTruePositives(0.1, Number.NaN, 0), 'invalid epsilon: expected a number from 0 on, got NaN'],
    [() => privacy.mostTruePositives(0.1, 1, 2), 'invalid delta: expected from 0 to 1, got 2'],
  ],
  rdpToEpsilon: [
    [() => privacy.rdpToEpsilon(Number.NaN, 2, 0.1), 'invalid bound'],
    [() => privacy.rdpToEpsilon(1, 1, 0.1), 'invalid order: expected a finite number above 1, got 1'],
    [() => privacy.rdpToEpsilon(1, 2, 1), 'invalid delta'],
  ],
  rdpToDelta: [
    [() => privacy.rdpToDelta(-1, 2, 1), 'invalid bound'],
    [() => privacy.rdpToDelta(1, 0.5, 1), 'invalid order'],
    [() => privacy.rdpToDelta(1, 2, Number.NaN), 'invalid epsilon'],
  ],
  sampledGaussianRdp: [
    [() => privacy.sampledGaussianRdp(1.1, 1, 2), 'invalid sampleRate'],
    [() => privacy.sampledGaussianRdp(0.1, 0, 2), 'invalid noiseMultiplier'],
    [() => privacy.sampledGaussianRdp(0.1, 1, Number.NaN), 'invalid order'],
  ],
  accountantOf: [
    [
      () => privacy.accountantOf(bad('magic')),
      'invalid accountant: expected basic, advanced, moments, zcdp, rdp, pld,',
    ],
    [() => privacy.accountantOf(bad('toString')), 'invalid accountant'],
    [() => privacy.accountantOf('pld', { neighbours: bad('all') }), 'invalid neighbours'],
  ],
  findNoise: [
    [() => privacy.findNoise({ ...search, target: { epsilon: 0, delta: 0.1 } }), 'invalid epsilon'],
    [() => privacy.findNoise({ ...search, target: { epsilon: 1, delta: 1 } }), 'invalid delta'],
    [() => privacy.findNoise({ ...search, accountant: bad('magic') }), 'invalid accountant'],
  ],
  calibrateNoise: [
    [() => privacy.calibrateNoise({ ...calibration, target: { epsilon: 0, delta: 0.1 } }), 'invalid epsilon'],
    [() => privacy.calibrateNoise({ ...calibration, target: { epsilon: 1, delta: 1 } }), 'invalid delta'],
    [() => privacy.calibrateNoise({ ...calibration, tolerance: 0 }), 'invalid tolerance'],
    [() => privacy.calibrateNoise({ ...calibration, start: Number.NaN }), 'invalid start'],
    [() => privacy.calibrateNoise({ ...calibration, limits: { least: 0, most: 1 } }), 'invalid least'],
    [
      () => privacy.calibrateNoise({ ...calibration, limits: { least: 2, most: 1 } }),
      'invalid most: expected a finite number above 2, got 1',
    ],
  ],
  privacyStatement: [[() => privacy.privacyStatement(none, guarantee, { records: 0.5 }), 'invalid records']],
  rdpAccountant: [
    [() => privacy.rdpAccountant({ orders: [1] }), 'invalid orders: expected finite numbers above 1, got 1'],
  ],
};

const accountants = Object.entries(privacy).flatMap(([name, value]) =>
  name.endsWith('Accountant') ? [[name, value as () => privacy.Accountant] as const] : [],
);

/** Constants, which take no input. */
const harmless = ['none', 'accountantNames'];

describe('bad input', () => {
  it.each(Object.entries(table))('%s', (_, cases) => {
    for (const [call, message] of cases) expectSentence(call, message);
  });

  it.each(accountants)('%s', (_, make) => {
    const wrong = make as (options: object) => privacy.Accountant;
    expectSentence(() => wrong({ unit: 'household' }), 'invalid unit: expected example or user, got household');
    for (const delta of [1, -0.1, Number.NaN, bad('0.1')]) expectSentence(() => make().epsilon(delta), 'invalid delta');
    for (const epsilon of [-1, Number.NaN, bad('1')]) expectSentence(() => make().delta(epsilon), 'invalid epsilon');
    expectSentence(() => make().compose(none, -1), 'invalid count');
    expectSentence(() => make().compose(none, 1.5), 'invalid count');
  });

  it.each([
    [{ kind: 'selfComposed', count: -99, event: gaussian(1) }, 'invalid count: expected a whole number >= 0, got -99'],
    [{ kind: 'selfComposed', count: 0.5, event: gaussian(1) }, 'invalid count'],
    [{ kind: 'pureEpsilon', epsilon: -1 }, 'invalid epsilon: expected a finite number >= 0, got -1'],
    [{ kind: 'approximate', epsilon: 1, delta: -1e-6 }, 'invalid delta'],
    [{ kind: 'gaussian', noiseMultiplier: -1 }, 'invalid noiseMultiplier'],
    [{ kind: 'laplace' }, 'invalid noiseMultiplier: expected > 0, got undefined'],
    [{ kind: 'randomizedResponse', truthProbability: '0.6' }, 'invalid truthProbability'],
    [{ kind: 'metric', factor: 1, distance: 'euclidean', diameter: -2 }, 'invalid diameter'],
    [{ kind: 'poissonSampled', sampleRate: 2, event: none }, 'invalid sampleRate'],
    [{ kind: 'composed', events: 'none' }, 'invalid events: expected a list, got none'],
    [{ kind: 'toString' }, 'invalid kind of event: expected none, gaussian, '],
    [undefined, 'invalid event: expected an event, got undefined'],
  ])('an event made by hand, %j, wherever it stands', (made, sentence) => {
    const event = made as unknown as privacy.PrivacyEvent;
    for (const [, make] of accountants) {
      for (const hidden of [event, composed([none, event]), parallel([selfComposed(2, poissonSampled(0.5, event))])]) {
        expectSentence(() => make().compose(hidden), sentence);
        expectSentence(() => make().supports(hidden), sentence);
      }
    }
  });

  it('an event that cannot be counted, deep in a composition', () => {
    const hidden = composed([
      gaussian(1),
      parallel([none, selfComposed(2, poissonSampled(0.5, composed([gaussian(1), laplace(1)])))]),
    ]);
    for (const [, make] of accountants) {
      if (make().supports(hidden)) continue;
      expectSentence(() => make().compose(hidden), `the ${make().name} accountant cannot count `);
    }
    expect(privacy.rdpAccountant().supports(hidden)).toBe(false);
  });

  it('is in the table for every public function', () => {
    const tested = [...Object.keys(table), ...accountants.map(([name]) => name), ...harmless];
    expect(Object.keys(privacy).filter((name) => !tested.includes(name))).toEqual([]);
  });
});

function expectSentence(call: () => unknown, beginning: string): void {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  expect(thrown, beginning).toBeInstanceOf(ArgumentError);
  const { message } = thrown as ArgumentError;
  expect(message.slice(0, beginning.length)).toBe(beginning);
  expect(message).not.toContain('\n');
}
