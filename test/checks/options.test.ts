// Option schemas: defaults, checks and error messages.

import { describe, expect, it } from 'vitest';
import { expectationOf, type OptionSchema, readOptions } from '../../src/checks/index.js';

const schema = {
  size: { type: 'integer', least: 2, default: 4, help: 'how many' },
  rate: { type: 'positive', below: 1, help: 'how often' },
  kind: { type: 'choice', choices: ['one', 'other'], default: 'one', help: 'which' },
  loud: { type: 'boolean', default: false, help: 'whether' },
  name: { type: 'text', help: 'what it is called' },
} as const satisfies OptionSchema;

describe('options', () => {
  it('are filled in with defaults, and absent where they have none', () => {
    expect(readOptions(schema, {})).toEqual({ size: 4, kind: 'one', loud: false });
    const given = { size: 2, rate: 0.5, kind: 'other', loud: true, name: 'x' };
    expect(readOptions(schema, given)).toEqual(given);
    expect(readOptions(schema, { rate: undefined })).toEqual({ size: 4, kind: 'one', loud: false });
  });

  it.each([
    [{ size: 1 }, 'invalid size: expected a whole number >= 2, got 1'],
    [{ size: 2.5 }, 'invalid size: expected a whole number >= 2, got 2.5'],
    [{ size: '3' }, 'invalid size: expected a whole number >= 2, got 3'],
    [{ rate: 0 }, 'invalid rate: expected a number > 0 and < 1, got 0'],
    [{ rate: 1 }, 'invalid rate: expected a number > 0 and < 1, got 1'],
    [{ rate: Number.NaN }, 'invalid rate: expected a number > 0 and < 1, got NaN'],
    [{ kind: 'none' }, 'invalid kind: expected one or other, got none'],
    [{ loud: 1 }, 'invalid loud: expected true or false, got 1'],
    [{ name: '' }, 'invalid name: expected text, got '],
    [{ sise: 3 }, 'unknown option sise: expected size, rate, kind, loud, name'],
  ])('%j are refused', (given, message) => {
    expect(() => readOptions(schema, given)).toThrow(message);
  });

  it("have the caller's names in errors", () => {
    expect(() => readOptions(schema, { size: 0 }, (name) => `--${name}`)).toThrow('invalid --size');
    expect(() => readOptions({}, { any: 1 })).toThrow('unknown option any: expected none');
  });

  it('have an expectation in words', () => {
    expect(expectationOf({ type: 'positive', help: '' })).toBe('a number > 0');
    expect(expectationOf(schema.name)).toBe('text');
  });
});
