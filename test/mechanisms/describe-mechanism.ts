// The contract of every mechanism.

import { describe, expect, it } from 'vitest';
import type { Mechanism } from '../../src/mechanisms/index.js';
import { type Accountant, basicAccountant, metricAccountant } from '../../src/privacy/index.js';
import { cryptographicSource, seededSource } from '../../src/random/index.js';

export interface MechanismCase<In, Out> {
  readonly input: In;
  /** Inputs that must be refused, each with a piece of its sentence. */
  readonly bad: readonly (readonly [unknown, string])[];
  readonly checkOutput: (output: Out) => void;
}

/** Accountants for the neighbours a mechanism names. */
const accountantsFor = ({ neighbours }: Mechanism<never, unknown>): readonly Accountant[] => {
  if (neighbours === 'euclidean distance') return [metricAccountant()];
  const all = ['replace-one', 'add-or-remove-one'] as const;
  return (neighbours === 'those of its sensitivity' ? all : [neighbours]).map((name) =>
    basicAccountant({ neighbours: name }),
  );
};

export function describeMechanism<In, Out>(
  name: string,
  make: () => Mechanism<In, Out>,
  { input, bad, checkOutput }: MechanismCase<In, Out>,
): void {
  describe(`${name} as a mechanism`, () => {
    it('has a complete statement', () => {
      const { statement, neighbours } = make();
      for (const heading of ['releases', 'neighbours', 'formula', 'reference'] as const) {
        expect(statement[heading].trim(), heading).not.toBe('');
      }
      expect(Object.values(statement).join(' ')).not.toMatch(/undefined|NaN|Infinity/);
      expect(['proved', 'as published']).toContain(statement.status);
      expect(typeof statement.sound).toBe(statement.status === 'as published' ? 'string' : 'undefined');
      expect(neighbours).not.toBe('');
    });

    it('has a frozen event that accountants of its neighbours can count', () => {
      const mechanism = make();
      expect(Object.isFrozen(mechanism.event)).toBe(true);
      for (const accountant of accountantsFor(mechanism)) {
        expect(accountant.supports(mechanism.event), accountant.neighbours).toBe(true);
        expect(accountant.compose(mechanism.event).epsilon(1e-5).epsilon).toBeGreaterThan(0);
      }
    });

    it('releases something new each time, and the same from the same seed', () => {
      const { release } = make();
      const series = (source: Parameters<typeof release>[0]) =>
        Array.from({ length: 100 }, () => release(source, input));
      const source = seededSource(name);
      expect(series(source)).not.toEqual(series(source));
      expect(series(cryptographicSource())).not.toEqual(series(cryptographicSource()));
      expect(series(seededSource(name))).toEqual(series(seededSource(name)));
    });

    it('does not change its input, and gives a valid output', () => {
      const { release } = make();
      const copy = structuredClone(input);
      for (let i = 0; i < 100; i++) checkOutput(release(seededSource(name).stream(i), input));
      expect(input).toEqual(copy);
    });

    it.each(bad)('refuses %s in one sentence', (value, sentence) => {
      const { release } = make();
      expect(() => release(seededSource(1), value as In)).toThrow(sentence);
      expect(() => release(seededSource(1), value as In)).toThrow(/^invalid [^\n]*: expected [^\n]*, got [^\n]*$/);
    });
  });
}
