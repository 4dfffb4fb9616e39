// Metric privacy (as in directional DP-SGD): the probability of any output changes by at most exp(factor · distance). Factors of
// passes over the same records add up; disjoint batches within a pass are one parallel event. Records are at most a
// diameter apart, so factor · diameter is an ordinary pure ε for replace-one neighbours. The two are different
// quantities and have different names.

import { type Accountant, makeAccountant, type Rules, type Unit } from './accountant.js';
import { type Release, releases, type SimpleEvent } from './releases.js';

/** Metric privacy: the factor per unit of distance, and factor · diameter as a pure ε for replace-one neighbours. */
export const metricAccountant = (options: { readonly unit?: Unit } = {}): Accountant =>
  makeAccountant(rules, { ...options, neighbours: 'replace-one' });

interface Total {
  readonly factor: number;
  readonly epsilon: number;
  readonly angleOnly: boolean;
}

function total(events: readonly Release[]): Total {
  let [factor, epsilon, angleOnly] = [0, 0, false];
  for (const { event, count } of events) {
    const parts =
      event.kind === 'parallel'
        ? event.events.map((part) => total(releases(part)))
        : event.kind === 'metric'
          ? [{ factor: event.factor, epsilon: event.factor * event.diameter, angleOnly: event.distance === 'angle' }]
          : [];
    factor += count * Math.max(0, ...parts.map((part) => part.factor));
    epsilon += count * Math.max(0, ...parts.map((part) => part.epsilon));
    angleOnly ||= parts.some((part) => part.angleOnly);
  }
  return { factor, epsilon, angleOnly };
}

/** A chord is never longer than its angle, so a bound per euclidean distance also holds per angle. */
const metricOf = ({ factor, angleOnly }: Total) => ({
  factor,
  distances: angleOnly ? ['angle'] : ['euclidean', 'angle'],
});

const known = (event: SimpleEvent): boolean =>
  event.kind === 'metric' ||
  (event.kind === 'parallel' && event.events.flatMap((part) => releases(part)).every((inner) => known(inner.event)));

const rules: Rules = {
  name: 'metric',
  refuse: (event) => (known(event) ? undefined : 'it counts only metric events, composed or on disjoint parts'),
  epsilon(events) {
    const sum = total(events);
    return { value: sum.epsilon, bound: 'upper', metric: metricOf(sum) };
  },
  delta(events, epsilon) {
    const sum = total(events);
    // The best δ of a pure guarantee E at a smaller ε: (e^E − e^ε)/(e^E + 1).
    const value = epsilon >= sum.epsilon ? 0 : -Math.expm1(epsilon - sum.epsilon) / (1 + Math.exp(-sum.epsilon));
    return { value, bound: 'upper', metric: metricOf(sum) };
  },
};
