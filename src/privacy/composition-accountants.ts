// Basic and advanced composition (Dwork, Rothblum, Vadhan 2010), which need an (ε, δ) for every release. Normal noise has
// a whole curve of them, so this rule chooses: δ that no other release uses is shared evenly among the releases with normal
// noise; each takes the exact ε of its noise at its share over q, then sampling with rate q amplifies it. Advanced composition
// keeps half of δ for its own slack.

import { type Accountant, type AccountantOptions, deltaFromEpsilon, makeAccountant, type Rules } from './accountant.js';
import { amplify, amplifyBySampling, type EpsilonDelta, ownGuarantee, parallelComposition } from './amplification.js';
import { gaussianEpsilon } from './analytic-gaussian.js';
import { refuseReplaceOneSampling, refuseUnknownSampling } from './refusals.js';
import { type Release, releases, type SimpleEvent, sampledOnce } from './releases.js';

/** Basic composition: the ε and the δ of all releases add up. The loosest bound, and the simplest to check by hand. */
export const basicAccountant = (options: AccountantOptions = {}): Accountant => makeAccountant(basic, options);
/** Advanced composition: ε grows with the square root of the number of releases, at the cost of half of δ. */
export const advancedAccountant = (options: AccountantOptions = {}): Accountant => makeAccountant(advanced, options);

const isGaussian = (event: SimpleEvent) => sampledOnce(event)?.event.kind === 'gaussian';

/** The (ε, δ) of one release, where normal noise gets `share` of δ. */
function each(event: SimpleEvent, share: number): EpsilonDelta {
  if (event.kind === 'parallel') return parallelComposition(event.events.map((part) => sum(releases(part), share)));
  const { sampleRate, event: inner } = sampledOnce(event) ?? { sampleRate: 1, event };
  if (inner.kind !== 'gaussian') {
    return amplify(inner, sampleRate) ?? ownGuarantee(inner) ?? { epsilon: Number.POSITIVE_INFINITY, delta: 0 };
  }
  // A share of at least q allows any output, because the record takes part with no greater probability.
  if (share >= sampleRate) return { epsilon: 0, delta: share };
  const epsilon = gaussianEpsilon(share / sampleRate, 1 / inner.noiseMultiplier);
  if (epsilon === Number.POSITIVE_INFINITY) return { epsilon, delta: share };
  return { epsilon: amplifyBySampling({ epsilon, delta: 0 }, sampleRate).epsilon, delta: share };
}

function sum(events: readonly Release[], share: number): EpsilonDelta {
  let [epsilon, delta] = [0, 0];
  for (const { event, count } of events) {
    const one = each(event, share);
    epsilon += count * one.epsilon;
    delta += count * one.delta;
  }
  return { epsilon, delta };
}

/** The share of δ for each release with normal noise, after events with a δ of their own; negative when those use too much. */
function shareOf(events: readonly Release[], delta: number): number {
  const steps = events.reduce((count, release) => count + (isGaussian(release.event) ? release.count : 0), 0);
  const spent = sum(
    events.filter(({ event }) => !isGaussian(event)),
    0,
  ).delta;
  const left = delta - spent;
  return left < -1e-12 * spent ? -1 : Math.max(0, left) / Math.max(1, steps);
}

const refuse: Rules['refuse'] = (event, relation) =>
  refuseReplaceOneSampling(event, relation) ??
  refuseUnknownSampling(event) ??
  (event.kind === 'parallel' && event.events.some((part) => releases(part).some((release) => isGaussian(release.event)))
    ? 'different events with normal noise on disjoint parts would need a rule for sharing δ'
    : undefined);

function basicEpsilon(events: readonly Release[], delta: number): number {
  const share = shareOf(events, delta);
  return share < 0 ? Number.POSITIVE_INFINITY : sum(events, share).epsilon;
}

/** √(2 ln(1/δ') Σ ε²) + Σ ε (e^ε − 1). */
function advancedEpsilon(events: readonly Release[], delta: number): number {
  if (events.length === 0) return 0;
  const slack = delta / 2;
  const share = shareOf(events, delta - slack);
  if (share < 0 || slack === 0) return Number.POSITIVE_INFINITY;
  let [squares, drift] = [0, 0];
  for (const { event, count } of events) {
    const { epsilon } = each(event, share);
    squares += count * epsilon ** 2;
    drift += count * epsilon * Math.expm1(epsilon);
  }
  return Math.sqrt(2 * -Math.log(slack) * squares) + drift;
}

const rulesOf = (name: 'basic' | 'advanced', epsilonOf: typeof basicEpsilon): Rules => ({
  name,
  refuse,
  epsilon: (events, delta) => ({ value: epsilonOf(events, delta), bound: 'upper' }),
  delta: (events, epsilon) => ({
    value: deltaFromEpsilon((delta) => epsilonOf(events, delta), epsilon),
    bound: 'upper',
  }),
});

const basic = rulesOf('basic', basicEpsilon);
const advanced = rulesOf('advanced', advancedEpsilon);
