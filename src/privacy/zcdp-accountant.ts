// Zero-concentrated differential privacy (Bun, Steinke 2016): ρ adds up, ε = ρ + 2√(ρ ln(1/δ)). Sampling is
// not amplified here: a sampled event counts in full.

import { type Accountant, type AccountantOptions, makeAccountant, type Rules } from './accountant.js';
import { ownGuarantee } from './amplification.js';
import { innermost, type Release, releases, type SimpleEvent } from './releases.js';

/** Zero-concentrated differential privacy. Sampling counts in full, so it is loose for DP-SGD. */
export const zcdpAccountant = (options: AccountantOptions = {}): Accountant => makeAccountant(rules, options);

/** ρ = 1/(2σ²) for normal noise, ε²/2 for pure ε. */
function rho(event: SimpleEvent): number {
  if (event.kind === 'gaussian') return 1 / (2 * event.noiseMultiplier ** 2);
  if (event.kind === 'poissonSampled') return total(releases(event.event));
  if (event.kind === 'parallel') return Math.max(...event.events.map((part) => total(releases(part))));
  return (ownGuarantee(event)?.epsilon ?? Number.POSITIVE_INFINITY) ** 2 / 2;
}

const total = (events: readonly Release[]) => events.reduce((sum, { event, count }) => sum + count * rho(event), 0);

const label = (events: readonly Release[]) => ({
  bound: 'upper' as const,
  warnings: events.some(({ event }) => event.kind === 'poissonSampled')
    ? ['sampling is not amplified by this accountant: its bound is as if every record took part in every step']
    : [],
});

const hasDelta = (event: SimpleEvent) => event.kind === 'approximate' && event.delta > 0;

const rules: Rules = {
  name: 'zcdp',
  refuse: (event) => (innermost(event).some(hasDelta) ? 'an event with a δ of its own has no ρ' : undefined),
  epsilon(events, delta) {
    const sum = total(events);
    const slack = delta === 0 && sum > 0 ? Number.POSITIVE_INFINITY : 2 * Math.sqrt(sum * -Math.log(delta || 1));
    return { value: sum + slack, ...label(events) };
  },
  delta(events, epsilon) {
    const sum = total(events);
    // The formula solved for δ; it says nothing up to ε = ρ.
    const value = sum === 0 ? 0 : epsilon <= sum ? 1 : Math.exp(-((epsilon - sum) ** 2) / (4 * sum));
    return { value, ...label(events) };
  },
};
