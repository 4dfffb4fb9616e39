// A privacy guarantee in plain sentences, including what it does not cover.

import { positiveInteger } from '../checks/index.js';
import type { Guarantee } from './accountant.js';
import type { PrivacyEvent } from './events.js';
import { type Release, releases } from './releases.js';
import { writeNumber } from './write-number.js';

/** Options of `privacyStatement`. */
export interface StatementOptions {
  /** The number of records. With it, the statement says whether δ is well below one over that number. */
  readonly records?: number;
  /** Whether the guarantee counts the runs that were tried in tuning. Default: false. */
  readonly countsTuning?: boolean;
}

/** Above this, the probability of any outcome may change by a factor of more than e^50: the number alone promises next to nothing. */
export const weakEpsilon = 50;

const number = (value: number) => writeNumber(value);
const times = (count: number) => (count === 1 ? 'once' : `${count} times`);

/** One release as a phrase. */
function phrase(event: PrivacyEvent): string {
  switch (event.kind) {
    case 'none':
      return 'nothing that depends on the data';
    case 'gaussian':
      return `normal noise of ${number(event.noiseMultiplier)} times the sensitivity`;
    case 'laplace':
      return `Laplace noise of ${number(event.noiseMultiplier)} times the sensitivity`;
    case 'randomizedResponse':
      return `a randomised answer that is true with probability ${number(event.truthProbability)}`;
    case 'pureEpsilon':
      return `a release with epsilon ${number(event.epsilon)}`;
    case 'approximate':
      return `a release with epsilon ${number(event.epsilon)} and delta ${number(event.delta)}`;
    case 'metric':
      return `a release whose probabilities change by at most exp(${number(event.factor)} × ${event.distance} distance)`;
    case 'poissonSampled':
      return `${phrase(event.event)}, on records that each take part with probability ${number(event.sampleRate)}`;
    case 'selfComposed':
      return `${times(event.count)} ${phrase(event.event)}`;
    case 'composed':
      return event.events.map(phrase).join(' and ');
    case 'parallel':
      return `one of these, on disjoint parts: ${event.events.map(phrase).join('; ')}`;
  }
}

const bounds = {
  exact: 'This is exact.',
  upper: 'This is an upper bound: the truth is at most this.',
  approximate: 'This is an approximation, not a bound: the truth may be larger.',
} as const;

/** The guarantee in sentences, the most important first. Upper bounds are rounded up. */
export function privacyStatement(event: PrivacyEvent, guarantee: Guarantee, options: StatementOptions = {}): string[] {
  if (options.records !== undefined) positiveInteger({ records: options.records });
  const { epsilon, delta, neighbours, unit, bound, accountant, metric } = guarantee;
  const change = neighbours === 'replace-one' ? `replacing one ${unit}` : `adding or removing one ${unit}`;
  const [epsilonText, deltaText] = [epsilon, delta].map((value) =>
    writeNumber(value, 4, bound === 'approximate' ? 'near' : 'up'),
  );
  const sentences = [
    `Epsilon is ${epsilonText} with delta ${deltaText} for ${change}, by the ${accountant} accountant.`,
    bounds[bound],
    ...judgeEpsilon(epsilon),
    ...released(releases(event)),
  ];
  if (metric) sentences.push(...metricTerms(metric));
  sentences.push(...guarantee.warnings.map((warning) => `Note: ${warning}.`));
  sentences.push(...judgeDelta(delta, options.records));
  if (unit === 'example') sentences.push('A person behind several examples is protected less: see group privacy.');
  sentences.push(
    options.countsTuning
      ? 'Not covered: data used before this, as in pretraining, and further runs on the same data.'
      : 'Not covered: data used before this, as in pretraining, and other runs on the same data, as in tuning.',
  );
  return sentences;
}

/** From the view of one record: all Poisson batches, though it is in few of them, but only its own of disjoint batches. */
function released(list: readonly Release[]): string[] {
  if (list.length === 0) return ['Nothing that depends on the data was released.'];
  return list.map(({ event, count }) => `Each record went through this at most ${times(count)}: ${phrase(event)}.`);
}

/** Releases of different parts of a vector see different distances, and none sees that of the whole vector. */
function metricTerms({ factor, distances }: NonNullable<Guarantee['metric']>): string[] {
  return [
    `In metric terms the factor is ${writeNumber(factor, 4, 'up')} per unit of ${distances.join(' or ')} distance, which cannot be compared with epsilon.`,
    'The distance is the largest between what any single release reads of two records: each part of a vector with its own direction is a separate release.',
    'A record, or part, without a direction counts as the diameter away from all others.',
  ];
}

const judgeEpsilon = (epsilon: number): string[] =>
  epsilon > weakEpsilon
    ? [
        `An epsilon above ${weakEpsilon} promises next to nothing by itself: the probability of an outcome may change by more than a factor of e^${weakEpsilon}.`,
      ]
    : [];

/** δ permits publishing each record in full with probability δ. */
function judgeDelta(delta: number, records: number | undefined): string[] {
  const expected = records === undefined ? 0 : delta * records;
  if (expected >= 1) {
    return [
      `Delta is not below one over the ${records} records: even publishing whole records now and then would be within it.`,
    ];
  }
  // The usual choice, examples^-1.1, stays below this from 200 examples on.
  if (expected <= 0.6) return [];
  return [`Delta times the ${records} records is ${Number(expected.toPrecision(2))}: well below 1 would be better.`];
}
