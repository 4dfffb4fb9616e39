// The measurement ⟨m, u⟩ of a token, whose vector u the feed-forwards read. Its quantiles are the thresholds of their units, so that
// few tokens fall between two thresholds.

import { check } from '../../checks/index.js';
import { bisect, normalCdf } from '../../math/index.js';
import type { ModelCore } from '../../models/index.js';
import { fillNormal, integerBelow, type RandomSource } from '../../random/index.js';
import type { Settings } from './settings.js';
import { soughtPart, type Tables } from './tables.js';

/** Draws m with unit length and mean 0. It is 0 in the key and in the last coordinate, where the rest of the network writes. */
export function drawMeasurement(source: RandomSource, hidden: number, keyLength: number): Float64Array {
  const count = hidden - keyLength - 1;
  check({ 'width of the model': hidden }, `at least ${keyLength + 3}`, () => count >= 2);
  const normal = fillNormal(source, new Float64Array(count));
  const mean = normal.reduce((sum, x) => sum + x, 0) / count;
  const length = Math.hypot(...normal.map((x) => x - mean));
  const measurement = new Float64Array(hidden);
  for (let i = 0; i < count; i++) measurement[keyLength + i] = ((normal[i] as number) - mean) / length;
  return measurement;
}

/** Sentences of random tokens, for a server without text of its own. */
export function randomRows(source: RandomSource, { vocabulary, positions }: ModelCore['config']): number[][] {
  const length = Math.min(positions, 32);
  return Array.from({ length: 64 }, () => Array.from({ length }, () => integerBelow(source, vocabulary)));
}

/** ⟨m, u⟩ for every token of these sentences, including the key that the first attention will write. */
export function measureRows(
  target: ModelCore,
  tables: Tables,
  settings: Settings,
  measurement: Float64Array,
  rows: readonly (readonly number[])[],
): number[] {
  const { hidden, epsilon, vocabulary, positions } = target.config;
  const { embeddings, normPlacement } = target.layout;
  const { keyLength, keyPosition } = settings;
  const sought = soughtPart(tables, settings, hidden);
  const inputOf = (token: number, place: number): Float64Array => {
    const x = Float64Array.from(
      { length: hidden },
      (_, i) => (tables.words[token * hidden + i] as number) + (tables.positions[place * hidden + i] as number),
    );
    return embeddings.norm !== undefined ? standardised(x, epsilon) : x;
  };
  return rows.flatMap((row) => {
    check({ 'length of a row': row.length }, `from 1 to ${positions}`, (length) => length >= 1 && length <= positions);
    check({ token: Math.max(...row) }, `below the vocabulary's ${vocabulary}`, (token) => token < vocabulary);
    const inputs = row.map(inputOf);
    const first = inputs[Math.min(keyPosition, row.length - 1)] as Float64Array;
    const seen = normPlacement === 'pre' ? standardised(first, epsilon) : first;
    return inputs.map((x) => {
      const keyed = x.slice();
      for (let i = 0; i < keyLength; i++)
        keyed[i] = (x[i] as number) + (seen[keyLength + i] as number) - (sought[i] as number);
      return standardised(keyed, epsilon).reduce((sum, u, i) => sum + u * (measurement[i] as number), 0);
    });
  });
}

/** Rising quantiles of the normal distribution with the mean and standard deviation of these values. */
export function makeThresholds(values: readonly number[], count: number): Float64Array {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return Float64Array.from({ length: count }, (_, i) => {
    const share = (i + 0.5) / count;
    return mean + deviation * bisect((x) => normalCdf(x) >= share, -10, 10, { absolute: 1e-9 });
  });
}

/** Shifts and scales to mean 0 and variance 1, as layer norms do. */
function standardised(x: Float64Array, epsilon: number): Float64Array {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  const rate = 1 / Math.sqrt(variance + epsilon);
  return x.map((value) => (value - mean) * rate);
}
