// Exchanges between the sentences of a batch, on planted gradients that depend on neighbouring tokens.

import { expect, it } from 'vitest';
import { bestTogether, exchange, leftOf, type Part } from '../../src/attacks/likelihood/exchange.js';
import type { GradientView } from '../../src/attacks/view.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

/** Every pair of neighbours adds a random vector of its own, which depends on the label. */
function gradientOf(tokens: readonly number[], label: number): { one: Float32Array } {
  const one = new Float32Array(24);
  for (const [place, token] of tokens.entries()) {
    const random = seededSource(`${label} ${place} ${token} ${tokens[place + 1] ?? ''}`);
    const own = fillNormal(random, new Float64Array(24));
    for (let k = 0; k < 24; k++) one[k] = (one[k] as number) + (own[k] as number);
  }
  return { one };
}
const partOf = (tokens: readonly number[], label = 0): Part => ({
  tokens,
  label,
  gradients: gradientOf(tokens, label),
});
const computed = async (tokens: readonly number[], label: number) => gradientOf(tokens, label);

/** What is shared of these sentences. */
function viewOf(parts: readonly Part[], deviation = 0.01): GradientView {
  const one = fillNormal(seededSource('noise'), new Float32Array(24), { standardDeviation: deviation });
  for (const { gradients } of parts)
    for (let k = 0; k < 24; k++) one[k] = (one[k] as number) + (gradients.one?.[k] as number);
  return { gradients: { one }, noise: { one: deviation }, batchSize: parts.length } as unknown as GradientView;
}
const truth = [partOf([2, 5, 6, 7, 3]), partOf([2, 8, 9, 10, 11, 3], 1), partOf([2, 12, 13, 3])];
const tokensOf = (parts: readonly Part[]) => parts.map(({ tokens }) => [...tokens]);

it.each([
  [
    'one place',
    [
      [2, 5, 9, 7, 3],
      [2, 8, 6, 10, 11, 3],
      [2, 12, 13, 3],
    ],
  ],
  [
    'all up to a place',
    [
      [2, 8, 9, 7, 3],
      [2, 5, 6, 10, 11, 3],
      [2, 12, 13, 3],
    ],
  ],
])('finds tokens that are in each other\u2019s sentences: %s', async (_, mixed) => {
  const parts = mixed.map((tokens, k) => partOf(tokens, truth[k]?.label));
  const found = await exchange(viewOf(truth), parts, computed);
  expect(tokensOf(found)).toEqual(tokensOf(truth));
  expect(found.map(({ gradients }) => gradients)).toEqual(truth.map(({ gradients }) => gradients));
});

it('leaves sentences alone that explain the sum', async () => {
  expect(await exchange(viewOf(truth), truth, computed)).toBe(truth);
});

it('subtracts sentences from the sum, and changes nothing in place', () => {
  const view = viewOf(truth, 1e-6);
  const before = Float32Array.from(view.gradients.one as Float32Array);
  const { one } = leftOf(view, truth.slice(1));
  for (let k = 0; k < 24; k++) expect(one?.[k]).toBeCloseTo(truth[0]?.gradients.one?.[k] as number, 4);
  expect(view.gradients.one).toEqual(before);
  expect(leftOf(view, [])).toBe(view.gradients);
});

it.each([3, 13])('chooses the labels of %i sentences that explain the sum together', (count) => {
  const all = Array.from({ length: count }, (_, k) => partOf([2, 20 + k, 3], k % 2));
  const lists = all.map(({ tokens, label }) => [partOf(tokens, 1 - label), partOf(tokens, label)]);
  const found = bestTogether(viewOf(all), lists);
  // Beyond 4,096 combinations sentences choose one after the other, which need not be the best.
  if (count === 3) expect(found.map(({ label }) => label)).toEqual(all.map(({ label }) => label));
  else expect(tokensOf(found)).toEqual(tokensOf(all));
});
