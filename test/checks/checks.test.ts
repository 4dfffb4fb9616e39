// Argument checks: the values each accepts at its boundary, and the one sentence it throws.

import { describe, expect, it } from 'vitest';
import {
  ArgumentError,
  check,
  FileError,
  finite,
  nonNegative,
  nonNegativeInteger,
  positive,
  positiveInteger,
} from '../../src/checks/index.js';

const { MAX_SAFE_INTEGER, MIN_VALUE, MAX_VALUE, NaN: nan, POSITIVE_INFINITY: infinity } = Number;

describe.each([
  {
    name: 'positive',
    test: positive,
    expectation: '> 0',
    good: [MIN_VALUE, 0.5, 1, MAX_VALUE],
    bad: [0, -0, -MIN_VALUE, -1],
  },
  {
    name: 'nonNegative',
    test: nonNegative,
    expectation: 'a finite number >= 0',
    good: [0, -0, MIN_VALUE, MAX_VALUE],
    bad: [-MIN_VALUE, -1],
  },
  {
    name: 'finite',
    test: finite,
    expectation: 'a finite number',
    good: [-MAX_VALUE, -1, 0, MAX_VALUE],
    bad: [],
  },
  {
    name: 'positiveInteger',
    test: positiveInteger,
    expectation: 'a whole number >= 1',
    good: [1, 2, MAX_SAFE_INTEGER],
    bad: [0, -1, 0.5, 1.5, MAX_SAFE_INTEGER + 1],
  },
  {
    name: 'nonNegativeInteger',
    test: nonNegativeInteger,
    expectation: 'a whole number >= 0',
    good: [0, 1, MAX_SAFE_INTEGER],
    bad: [-1, 0.5, MAX_SAFE_INTEGER + 1],
  },
])('$name', ({ test, expectation, good, bad }) => {
  it.each(good)('accepts %d', (value) => {
    expect(() => test({ value })).not.toThrow();
  });

  it.each([...bad, nan, infinity, -infinity])('refuses %d by its name', (clipNorm) => {
    const refused = () => test({ clipNorm });
    expect(refused).toThrow(new ArgumentError(`invalid clipNorm: expected ${expectation}, got ${clipNorm}`));
  });

  it('checks every argument it is given', () => {
    expect(() => test({ steps: 1, delta: nan })).toThrow('invalid delta: ');
    expect(() => test({ steps: nan, delta: nan })).toThrow('invalid steps: ');
    expect(() => test({})).not.toThrow();
  });
});

describe('check', () => {
  it('takes any expectation, and values that are not numbers', () => {
    const short = (text: string) => text.length < 3;
    expect(() => check({ name: 'ab' }, 'a short name', short)).not.toThrow();
    expect(() => check({ name: 'abc' }, 'a short name', short)).toThrow('invalid name: expected a short name, got abc');
    expect(() => check({ seed: undefined }, 'a seed', (value) => value !== undefined)).toThrow('got undefined');
  });
});

describe('errors', () => {
  it('have names and classes of their own', () => {
    for (const Kind of [ArgumentError, FileError]) {
      const error = new Kind('what is wrong');
      expect(error).toBeInstanceOf(Error);
      expect(`${error}`).toBe(`${Kind.name}: what is wrong`);
    }
    expect(new FileError('')).not.toBeInstanceOf(ArgumentError);
  });
});
