import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  typesetNumber,
  writeCosine,
  writeCount,
  writeInterval,
  writeNoise,
  writePercent,
  writePoints,
  writeRate,
  writeScore,
  writeShare,
} from '../../src/report/numbers.js';
import { estimate, single } from './fixtures.js';

const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const read = (text: string): number => {
  const plain = [...text.replaceAll('−', '-').replaceAll(',', '').replace(/\s/gu, '')]
    .map((sign) => (digits.includes(sign) ? `${digits.indexOf(sign)}` : sign === '⁻' ? '-' : sign))
    .join('');
  const power = /^(-?[\d.]+×)?10([⁻-]?\d+)$/.exec(plain);
  return power && /[⁰-⁹¹²³⁻]/u.test(text) ? Number(`${power[1]?.slice(0, -1) ?? 1}e${power[2]}`) : Number(plain);
};

describe('numbers', () => {
  it('are short, with powers of ten where they are very small or large', () => {
    expect([0, 0.60012, 12.345, 99999, 1e6, 2.5e-7, -0.5].map((x) => typesetNumber(x))).toEqual([
      '0',
      '0.6',
      '12.3',
      '10⁵',
      '10⁶',
      '2.5\u202f×\u202f10⁻⁷',
      '−0.5',
    ]);
    expect([1e-5, 0.001, 0.05, 3e-4, 100, 1000, 3e5].map(writeNoise)).toEqual([
      '10⁻⁵',
      '10⁻³',
      '0.05',
      '3\u202f×\u202f10⁻⁴',
      '100',
      '10³',
      '3\u202f×\u202f10⁵',
    ]);
    expect(writeCount(3_236_354)).toBe('3,236,354');
    expect([Number.POSITIVE_INFINITY, Number.NaN].map((x) => typesetNumber(x))).toEqual(['∞', '–']);
  });

  it('that bound something are rounded up', () => {
    expect(typesetNumber(8.0001, 3, 'up')).toBe('8.01');
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e15, noNaN: true }), (value) => {
        const printed = read(typesetNumber(value, 3, 'up'));
        expect(printed).toBeGreaterThanOrEqual(value * (1 - 1e-15));
        expect(printed).toBeLessThanOrEqual(value * 1.0101);
      }),
    );
  });

  it('that are lower bounds are rounded down, except for rounding errors', () => {
    expect(
      [1.799, 31.62, 1000, 10 ** (Math.log10(1) - Math.log10(1e-3))].map((x) => typesetNumber(x, 2, 'down')),
    ).toEqual(['1.7', '31', '1,000', '1,000']);
  });

  it('have intervals, unless there is one value only', () => {
    expect(writeInterval(estimate(0.95, 0.01), writePercent)).toBe('94.0–96.0\u00a0%');
    expect(writeInterval(estimate(-0.9, 0.05), writeScore)).toBe('−0.95 to −0.85');
    expect(writeInterval(single(0.9), writePercent)).toBe('');
  });

  it('are learning rates in full, and shares that are never rounded to 0', () => {
    expect([0.0005, 2e-6, 1, 3e-8].map(writeRate)).toEqual(['0.0005', '0.000002', '1', '3\u202f×\u202f10⁻⁸']);
    expect([1e-6, 0.001, 0.034, 0.0996, 0.12, 1].map((share) => writeShare(share).replace('\u00a0', ' '))).toEqual([
      'under 0.1 %',
      '0.1 %',
      '3.4 %',
      '10 %',
      '12 %',
      '100 %',
    ]);
  });

  it('are never minus zero', () => {
    expect([writeScore(-0.001), writePoints(-0.0001), writeCosine(0)]).toEqual(['0.00', '0.0', '0.00']);
  });
});
