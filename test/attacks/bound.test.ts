// Which guarantees bound a membership attack.

import { expect, it } from 'vitest';
import { boundOn, isBounded } from '../../src/attacks/index.js';
import { groupPrivacy } from '../../src/privacy/index.js';

const given = { epsilon: 1.5, delta: 1e-5, neighbours: 'add-or-remove-one', bound: 'upper' };

it('adding an example costs ε, replacing one twice that and more of δ', () => {
  expect(boundOn(given, 'added', false)).toEqual({ epsilon: 1.5, delta: 1e-5 });
  const twice = boundOn(given, 'replaced', false);
  expect(twice).toEqual(groupPrivacy({ epsilon: 1.5, delta: 1e-5 }, 2));
  expect(twice?.epsilon).toBe(3);
  expect(twice?.delta).toBeCloseTo(1e-5 * (1 + Math.exp(1.5)), 15);
});

it('a guarantee for replacing one holds for that as it is, and says nothing of adding one', () => {
  const replacing = { ...given, neighbours: 'replace-one' };
  expect(boundOn(replacing, 'replaced', false)).toEqual({ epsilon: 1.5, delta: 1e-5 });
  expect(boundOn(replacing, 'added', false)).toBeUndefined();
});

it('neither groups nor approximations are bounded', () => {
  expect(boundOn(given, 'added', true)).toBeUndefined();
  expect(boundOn({ ...given, bound: 'approximate' }, 'added', false)).toBeUndefined();
});

it('an infinite ε, or a δ that has grown to 1, says nothing', () => {
  const bounded = (epsilon: number) => isBounded(boundOn({ ...given, epsilon }, 'replaced', false));
  expect([1.5, 20, Number.POSITIVE_INFINITY].map(bounded)).toEqual([true, false, false]);
  expect(isBounded(undefined)).toBe(false);
});
