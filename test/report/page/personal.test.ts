// Words that look personal, marked in recovered text.

import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../../src/calibration/index.js';
import { learnPersonal } from '../../../src/metrics/index.js';
import { renderReport } from '../../../src/report/index.js';
import { markPersonal, placesIn } from '../../../src/report/page/personal.js';
import { showTokens } from '../../../src/report/page/tokens.js';
import { estimate, gaussian, hostileResults, makeResults, none } from '../fixtures.js';

const original = 'Please ask Mara Lindqvist (mara@example.com) for room 4711.';
const truthTokens = '[CLS] please ask mara lind ##q ##vist ( mara @ example . com ) for room 471 ##1 . [SEP]'.split(
  ' ',
);

function comparison(guess: string, over: Partial<Comparison> = {}): Comparison {
  const guessTokens = guess.split(' ');
  const truth = 'please ask mara lindqvist ( mara @ example. com ) for room 4711.';
  return { truth, original, guess, truthTokens, guessTokens, lcsRatio: 0.5, ...over };
}
const marked = (guess: string, over: Partial<Comparison> = {}) => {
  const one = comparison(guess, over);
  return markPersonal(one, learnPersonal([one.original ?? one.truth]))
    .flatMap(({ text, personal }) => (personal ? [`${text}: ${personal}`] : []))
    .join(', ');
};

describe('personal words', () => {
  it('are found in the text by their tokens, whatever its capitals and accents', () => {
    expect(placesIn('Zoë met Ana', showTokens(['zoe', '[UNK]', 'ana']))).toEqual([0, undefined, 8]);
    expect(placesIn('Hello world', showTokens(['Hel', 'lo', 'Ġworld']))).toEqual([0, 3, 6]);
    expect(placesIn('𝔘 Ana', showTokens(['ana']))).toEqual([3]);
    expect(placesIn('', showTokens(['a', '']))).toEqual([undefined, undefined]);
  });

  it('are marked by the capitals of the original where the model has none', () => {
    expect(marked('please ask mara lind ##q ##vist for room nine')).toBe('mara: name, lind: name, q: name, vist: name');
    // Without the original there are no capitals, and so no names.
    const { original: _, ...old } = comparison('mara room 471 ##1');
    const found = markPersonal(old, learnPersonal([old.truth])).flatMap(({ personal }) => personal ?? []);
    expect(found).toEqual(['number', 'number']);
  });

  it('are marked only where they are right and came back whole', () => {
    expect(marked('please ask maria lind ##q for room 471')).toBe('');
    expect(marked('room 471 ##1')).toBe('471: number, 1: number');
    expect(marked('( mara @ example . com )')).toContain('com: e-mail address');
    expect(marked('unrelated words 999')).toBe('');
    expect(marked('', { truthTokens: [], guessTokens: [] })).toBe('');
  });
});

describe('the report', () => {
  const results = makeResults({
    levels: [none, gaussian(1e-3), gaussian(1)],
    leakage: { span: () => estimate(0.5) },
    comparisons: ({ parameter = 0 }) => [
      comparison(parameter < 1 ? 'please ask mara for room 471 ##1' : 'blue seven'),
      comparison('please ask for room', { truth: 'other', original: 'Please ask.' }),
      comparison('mara', { truth: 'third', recovered: false }),
    ],
  });
  const plain = (html: string) => html.replace(/[\u00a0\u202f]/g, ' ');
  const sentence =
    'Without noise, 1 of 3 texts came back with words that look personal (numbers, addresses, names). The most noise at which some still did: σ = 10⁻³ (1 of 3 texts).';

  it('marks them without relying on colour, explains the mark, and counts texts', () => {
    const html = plain(renderReport(results).html);
    expect(html).toContain('<mark class="personal" title="looks personal: number">471</mark>');
    expect(html).toContain('<mark class="personal" title="looks personal: name">mara</mark>');
    expect(html).toContain('mark.personal { text-decoration: underline double;');
    expect(html).toContain('rule of thumb');
    expect(html).toContain(sentence);
  });

  it('keeps the counts where texts are left out, and nothing else', () => {
    const html = plain(renderReport(results, { redact: true }).html);
    expect(html).toContain(sentence);
    expect(html).not.toMatch(/4711|lindqvist|<mark class="personal"/i);
  });

  it('says that none did, and keeps hostile text as text', () => {
    const clean = makeResults({ leakage: { span: () => estimate(0.5) }, comparisons: () => [comparison('blue')] });
    expect(plain(renderReport(clean).html)).toContain('0 of 1 text came back with words');
    expect(plain(renderReport(clean).html)).toContain('Under noise, none did.');
    const hostile = hostileResults();
    const levels = hostile.levels.map((level) => ({
      ...level,
      leakage: Object.fromEntries(
        Object.entries(level.leakage).map(([name, one]) => [
          name,
          {
            ...one,
            comparisons: one.comparisons.map((text) => ({
              ...text,
              original: 'so <script>alert(1)</script> 4711',
              truthTokens: ['<script>4711'],
              guessTokens: ['<script>4711'],
            })),
          },
        ]),
      ),
    }));
    const { html } = renderReport({ ...hostile, levels });
    expect(html).not.toContain('<script>');
  });
});
