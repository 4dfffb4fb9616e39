// Random settings of DP-SGD and the accountants that count it, for property tests.

import fc from 'fast-check';
import {
  type Accountant,
  advancedAccountant,
  basicAccountant,
  dpSgd,
  gdpAccountant,
  momentsAccountant,
  pldAccountant,
  rdpAccountant,
  zcdpAccountant,
} from '../../src/privacy/index.js';

/** The fast accountants: about a millisecond per call. */
export const quickAccountants = [
  basicAccountant,
  advancedAccountant,
  momentsAccountant,
  zcdpAccountant,
  rdpAccountant,
  gdpAccountant,
] as const;

export const allAccountants = [...quickAccountants, pldAccountant] as const;

export interface Setting {
  readonly sampleRate: number;
  readonly noiseMultiplier: number;
  readonly steps: number;
  readonly delta: number;
}

const power = (least: number, most: number) =>
  fc.double({ min: least, max: most, noNaN: true }).map((exponent) => 10 ** exponent);

export const settings: fc.Arbitrary<Setting> = fc.record({
  sampleRate: power(-4, -0.01),
  noiseMultiplier: power(-0.2, 1.3),
  steps: fc.integer({ min: 1, max: 3000 }),
  delta: power(-8, -2),
});

/** Fixed seeds; the slow accountant gets fewer settings. */
export const runs = (make: () => Accountant, count: number) => ({
  seed: 20_260_806,
  numRuns: make().name === 'pld' ? Math.max(3, Math.floor(count / 12)) : count,
});

export const accountantOf = (make: () => Accountant, { sampleRate, noiseMultiplier, steps }: Setting): Accountant =>
  make().compose(dpSgd({ sampleRate, noiseMultiplier, steps }));

/** The range that holds the truth by this accountant: one number unless it gives a range. */
export function epsilonRange(
  make: () => Accountant,
  setting: Setting,
): { readonly lower: number; readonly upper: number } {
  const { epsilon, lower = epsilon, upper = epsilon } = accountantOf(make, setting).epsilon(setting.delta);
  return { lower, upper };
}
