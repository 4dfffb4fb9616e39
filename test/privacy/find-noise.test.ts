// The noise for a target: never too little, hardly too much, and the same for plans and the command line.

import { describe, expect, it } from 'vitest';
import { accountantNames, accountantOf, dpSgd, findNoise, noiseTolerance } from '../../src/privacy/index.js';

const eventOf = (steps: number, sampleRate: number) => (noiseMultiplier: number) =>
  dpSgd({ sampleRate, noiseMultiplier, steps });
const target = { epsilon: 8, delta: 4861 ** -1.1 };
const eventFor = eventOf(76, 128 / 4861);

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('findNoise', () => {
  it.each(['pld', 'rdp', 'zcdp', 'moments'] as const)('keeps the target by %s, and little less would not', (name) => {
    const noise = findNoise({ accountant: name, eventFor, target });
    const epsilonAt = (parameter: number) =>
      accountantOf(name).compose(eventFor(parameter)).epsilon(target.delta).epsilon;
    expect(epsilonAt(noise)).toBeLessThanOrEqual(8);
    expect(epsilonAt(noise * (1 - 2 * noiseTolerance))).toBeGreaterThan(8);
    // As found by bisection.
    if (name === 'pld') expect(Math.abs(noise / 0.5143271628548973 - 1)).toBeLessThan(noiseTolerance);
  });

  it('goes below the limit of the accountant that guides it, and says where its own accountant cannot', () => {
    const small = { eventFor: eventOf(2250, 0.04), target: { epsilon: 0.001, delta: 1e-5 } };
    const noise = findNoise({ accountant: 'pld', ...small });
    expect(accountantOf('pld').compose(small.eventFor(noise)).epsilon(1e-5).epsilon).toBeLessThanOrEqual(0.001);
    expect(() => findNoise({ accountant: 'rdp', ...small })).toThrow('no parameter up to 1000000 is enough for 0.001');
    expect(() => findNoise({ accountant: 'rdp', ...small })).toThrow(
      /: raise epsilon or delta, or use the pld accountant$/,
    );
  });

  it.each(['pld', 'rdp'] as const)('reaches the largest ε of the paper by %s', (accountant) => {
    const large = { accountant, eventFor: eventOf(76, 128 / 4861), target: { epsilon: 1e6, delta: 1e-4 } };
    const noise = findNoise(large);
    expect(noise).toBeGreaterThan(0.001);
    const { epsilon } = accountantOf(accountant).compose(large.eventFor(noise)).epsilon(1e-4);
    expect([epsilon <= 1e6, epsilon > 0.5e6]).toEqual([true, true]);
  });

  it('refuses an ε for which even the least noise that it tries is too much, and says which it could keep', () => {
    const huge = (epsilon: number) => ({ accountant: 'rdp' as const, eventFor, target: { epsilon, delta: 1e-5 } });
    const [, most] = /expected at most (\S+), which the least noise multiplier tried, 0\.001,/.exec(
      messageOf(() => findNoise(huge(1e12))),
    ) as unknown as [string, string];
    expect(messageOf(() => findNoise(huge(1e12)))).toMatch(
      /with the rdp accountant, got 1000000000000: lower epsilon, or give the noise itself$/,
    );
    expect(findNoise(huge(Number(most)))).toBeCloseTo(0.001, 5);
  });

  it('accepts the published orders, which never need less noise', () => {
    const own = findNoise({ accountant: 'rdp', eventFor, target: { epsilon: 0.5, delta: 1e-5 } });
    const options = { orders: 'published' } as const;
    const published = findNoise({ accountant: 'rdp', options, eventFor, target: { epsilon: 0.5, delta: 1e-5 } });
    expect(published).toBeGreaterThanOrEqual(own * (1 - noiseTolerance));
  });
});

describe('accountants by name', () => {
  it.each(accountantNames)('%s is called so', (name) => {
    expect(accountantOf(name).name).toBe(name);
    expect(accountantOf(name, { neighbours: 'replace-one' }).neighbours).toBe('replace-one');
  });
});
