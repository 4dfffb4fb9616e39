// What every accountant must do with the events it supports.

import { describe, expect, it } from 'vitest';
import { type Accountant, composed, none, type PrivacyEvent, selfComposed } from '../../src/privacy/index.js';

/** `eventFor` gives an event that leaks less for more noise. */
export function describeAccountant(make: () => Accountant, eventFor: (noise: number) => PrivacyEvent): void {
  describe(`${make().name} as an accountant`, () => {
    const epsilon = (event: PrivacyEvent, delta: number) => make().compose(event).epsilon(delta).epsilon;

    it('gives 0 when nothing was released', () => {
      expect(make().epsilon(1e-5).epsilon).toBe(0);
      expect(make().compose(none).delta(0.5).delta).toBe(0);
      expect(make().compose(eventFor(1), 0).epsilon(1e-5).epsilon).toBe(0);
    });

    it('gives the same for any order and grouping of events', () => {
      const [a, b] = [eventFor(2), eventFor(3)];
      const one = epsilon(composed([a, b, a]), 1e-5);
      const other = make().compose(b).compose(selfComposed(2, a)).epsilon(1e-5).epsilon;
      expect(Math.abs(one / other - 1)).toBeLessThan(1e-3);
    });

    it('gives more ε for more steps and less noise, less for a larger δ', () => {
      const slack = 1 + 1e-3; // bounds have a width of their own
      expect(epsilon(selfComposed(3, eventFor(2)), 1e-5)).toBeLessThanOrEqual(
        epsilon(selfComposed(9, eventFor(2)), 1e-5) * slack,
      );
      expect(epsilon(eventFor(4), 1e-5)).toBeLessThanOrEqual(epsilon(eventFor(2), 1e-5) * slack);
      expect(epsilon(eventFor(2), 1e-3)).toBeLessThanOrEqual(epsilon(eventFor(2), 1e-6) * slack);
    });

    it('goes from ε to δ and back without improving', () => {
      const accountant = make().compose(selfComposed(5, eventFor(1.5)));
      const { epsilon: there } = accountant.epsilon(1e-4);
      expect(accountant.delta(there).delta).toBeLessThanOrEqual(1e-4 * 1.02);
    });

    it('carries neighbours, unit, bound and name with every number', () => {
      const guarantee = make().compose(eventFor(2)).epsilon(1e-5);
      const { name, neighbours, unit } = make();
      expect(guarantee).toMatchObject({ accountant: name, neighbours, unit, delta: 1e-5 });
      expect(['exact', 'upper', 'approximate']).toContain(guarantee.bound);
      expect(Object.isFrozen(guarantee)).toBe(true);
    });

    it('refuses bad numbers in one sentence', () => {
      expect(() => make().epsilon(1)).toThrow('invalid delta: expected at least 0 and below 1, got 1');
      expect(() => make().epsilon(Number.NaN)).toThrow('invalid delta');
      expect(() => make().delta(-1)).toThrow('invalid epsilon: expected a number >= 0, got -1');
      expect(() => make().compose(eventFor(1), 1.5)).toThrow('invalid count');
    });
  });
}
