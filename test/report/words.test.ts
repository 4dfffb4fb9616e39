import { describe, expect, it } from 'vitest';
import {
  attackOf,
  capital,
  epsilonOf,
  guaranteeTerms,
  levelName,
  list,
  mechanismOf,
  placeOf,
  plural,
  symbolsOf,
  targetName,
} from '../../src/report/words.js';
import { attacks, directional, gaussian, mechanisms, none, staircase, third } from './fixtures.js';

const results = { mechanisms: [...mechanisms, third], attacks };
const plain = (text: string | undefined) => text?.replaceAll('\u00a0', ' ');

describe('words', () => {
  it('name levels by the symbol of their mechanism', () => {
    const names = [none, gaussian(1e-3), directional(1e6), staircase(0.5)].map((level) => levelName(results, level));
    expect(names.map(plain)).toEqual(['no noise', 'σ = 10⁻³', 'κ = 10⁶', 'γ = 0.5']);
    expect(() => levelName({ mechanisms }, staircase(1))).toThrow('a description of the mechanism staircase');
    expect(levelName(results, { mechanism: 'gaussian' })).toBe('no noise');
  });

  it('name the target of a level', () => {
    expect(plain(targetName({ ...gaussian(1), target: { kind: 'epsilon', value: 8 } }))).toBe('for ε = 8');
    expect(plain(targetName({ ...gaussian(1), target: { kind: 'cosine', value: 0.5 } }))).toBe('for cosine = 0.5');
    expect(targetName(gaussian(1))).toBeUndefined();
  });

  it('find what results say about mechanisms and attacks', () => {
    expect(mechanismOf(results, 'staircase')).toBe(third);
    expect(attackOf(results, 'membership').goal).toBe('membership');
    expect(() => attackOf(results, 'other')).toThrow('a description of the attack other, got none');
    expect(['gaussian', 'directional', 'staircase', 'none'].map((name) => placeOf(results, name))).toEqual([
      0,
      1,
      2,
      undefined,
    ]);
  });

  it('list things', () => {
    expect([list([]), list(['a']), list(['a', 'b']), list(['a', 'b', 'c'])]).toEqual([
      '',
      'a',
      'a and b',
      'a, b and c',
    ]);
    expect(list(['a', 'b'], 'or')).toBe('a or b');
    expect(symbolsOf(results.mechanisms)).toBe('σ, κ and γ');
    // Two mechanisms may share a symbol.
    expect(symbolsOf([...mechanisms, { ...third, symbol: 'σ' }], 'or')).toBe('σ or κ');
    expect([plural(1, 'seed'), plural(2, 'seed'), plural(0, 'class', 'classes')]).toEqual([
      '1 seed',
      '2 seeds',
      '0 classes',
    ]);
    expect(capital('directional noise')).toBe('Directional noise');
  });

  it('give ε its terms, rounded up where it is a bound', () => {
    const guarantee = {
      epsilon: 1.2341,
      delta: 1.2341e-5,
      neighbours: 'replace-one',
      accountant: 'pld',
      bound: 'upper',
      statement: [],
    };
    const text = plain(guaranteeTerms(guarantee))?.replaceAll('\u202f', ' ');
    expect(text).toBe('δ = 1.24 × 10⁻⁵, replacing one example, pld accountant, upper bound');
    expect(epsilonOf(guarantee)).toBe('1.24');
    const near = { ...guarantee, bound: 'approximate', neighbours: 'zero-out-one' };
    expect(epsilonOf(near)).toBe('1.23');
    expect(guaranteeTerms(near)).toContain('zero-out-one, pld accountant, approximation, not a bound');
  });
});
