// What `epsilens account` prints, from answers that are made up: rounding, rows that wrap, and which number is quoted.

import { describe, expect, it } from 'vitest';
import { type AccountFlags, type AccountResult, type Answer, accountDocument } from '../../src/cli/account-figures.js';
import { describeAccount } from '../../src/cli/account-text.js';
import type { Guarantee } from '../../src/privacy/index.js';

const flags: AccountFlags = {
  sampleRate: 0.1,
  steps: 100,
  delta: 1e-5,
  noise: 1,
  accountant: 'pld',
  orders: 'default',
};
const answer = (epsilon: number, more: Partial<Guarantee> = {}): Guarantee => ({
  accountant: 'rdp',
  neighbours: 'add-or-remove-one',
  unit: 'example',
  epsilon,
  delta: 1e-5,
  bound: 'upper',
  warnings: [],
  ...more,
});
const sorry: Answer = { error: `pld cannot: ${'because '.repeat(20)}so` };
const result: AccountResult = {
  noiseMultiplier: 1.0000001,
  answers: {
    pld: answer(1.000001, { lower: 0.99999, upper: 1.000001 }),
    rdp: answer(2, { order: 3.5 }),
    moments: answer(3),
    zcdp: answer(4),
    advanced: answer(5),
    basic: answer(6),
    gdp: answer(0.987654, { bound: 'approximate' }),
  },
  quoted: 'pld',
  shuffled: { epochs: 10, epsilon: 33.33333 },
  statement: ['First sentence.', 'Not covered: the rest.'],
};
const tell = (changes: Partial<AccountResult> = {}, more: Partial<AccountFlags> = {}) =>
  describeAccount({ ...flags, ...more }, { ...result, ...changes });
const withoutPld = { answers: { ...result.answers, pld: sorry }, quoted: 'rdp' } as const;

describe('the table of accountants', () => {
  it('never rounds a bound down, and marks what is not to be quoted', () => {
    const text = tell();
    expect(text).toMatch(/^ {2}pld +1\.0001 +upper .*between\n {39}0\.99999 and 1\.0001$/m);
    expect(text).toMatch(/^ {2}gdp +0\.98765 +approximate .*may be too low:\n {39}do not quote$/m);
    expect(text).toMatch(/^ {2}rdp +2 +upper .*order 3\.5$/m);
    expect(text).toContain('noise multiplier 1.00001, 100 steps, delta 1e-5');
    expect(text.replace(/\s+/g, ' ')).toContain('at most 33.334 over 10 epochs');
  });

  it('says which number to quote, and why', () => {
    const unfolded = (text: string) => text.replace(/\s+/g, ' ');
    expect(unfolded(tell())).toContain(
      'Quote the pld number, with delta and the neighbours: it is proved, and the tightest',
    );
    expect(unfolded(tell(withoutPld))).toContain('Quote the rdp number, with delta and the neighbours');
    const { quoted: _, ...unquoted } = result;
    expect(describeAccount(flags, unquoted)).toContain('There is no number to quote: neither pld nor rdp');
  });

  it('hangs long reasons beside their row, on lines that fit', () => {
    const lines = tell(withoutPld).split('\n');
    const row = lines.findIndex((line) => line.startsWith('  pld'));
    expect(lines[row]).toMatch(/^ {2}pld +– {3}– +pld cannot: because/);
    expect(lines[row + 1]).toMatch(/^ {39}because/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('mentions a target only if there is one, and uses the singular', () => {
    expect(tell()).not.toContain('The noise is the least');
    const target = tell({ shuffled: { epochs: 1, epsilon: 1 } }, { epsilon: 3, accountant: 'rdp', steps: 1 });
    expect(target).toContain('The noise is the least that keeps epsilon 3 by rdp.\n');
    expect(target).toContain('1 step, ');
    expect(target).toContain('over 1 epoch:');
  });

  it('shows epsilon during training, even where there is none', () => {
    expect(tell()).not.toContain('       step');
    const text = tell({
      series: [
        { step: 50, ...answer(0.5) },
        { step: 100, error: 'too far' },
      ],
    });
    expect(text).toContain('       step     epsilon\n         50         0.5\n        100           –');
    expect(text).toMatch(/100 +– +too far$/m);
  });

  it('ends with the statement', () => {
    expect(tell().endsWith('\n\nFirst sentence.\nNot covered: the rest.\n')).toBe(true);
  });
});

describe('the JSON document', () => {
  it('keeps the request and the figures, without absent ones', () => {
    const document = accountDocument(flags, result);
    expect(document).toMatchObject({ sampleRate: 0.1, steps: 100, quoted: 'pld', unit: 'example' });
    expect(document.epsilon.pld).toEqual({ epsilon: 1.000001, bound: 'upper', lower: 0.99999, upper: 1.000001 });
    expect(document.shuffled).toEqual({ epochs: 10, epsilon: 33.33333, neighbours: 'replace-one', bound: 'upper' });
    expect(document).not.toHaveProperty('series');
  });

  it('has an error where an accountant or a step has no answer, and a warning beside infinity', () => {
    const series = [
      { step: 1, ...answer(0.5) },
      { step: 2, error: 'too far' },
    ];
    const gdp = answer(Number.POSITIVE_INFINITY, { warnings: ['first'] });
    const answers = { ...withoutPld.answers, gdp };
    const document = accountDocument(flags, { ...result, answers, series });
    expect(document.series).toEqual([
      { step: 1, epsilon: 0.5 },
      { step: 2, error: 'too far' },
    ]);
    expect(document.epsilon.pld).toEqual(sorry);
    expect(document.epsilon.gdp?.warnings).toEqual(['first', 'this accountant gives no finite epsilon']);
  });
});
