// Sentences about failed searches and the genie, which must not say more than was measured.

import { describe, expect, it } from 'vitest';
import type { Level } from '../../../src/calibration/index.js';
import { answerOf } from '../../../src/report/answer/answer.js';
import { describeResults } from '../../../src/report/index.js';
import { makeResults } from '../fixtures.js';
import { genie, likelyResults, note } from '../likely.js';

const text = (value: string) => value.replace(/[\u00a0\u202f]/g, ' ');
const lead = (genieAt?: Parameters<typeof likelyResults>[0]) =>
  text(answerOf(likelyResults(genieAt)).lead[0] as string);
const atChance = genie(1 / 16, 0.02, 0.14);

describe('the answer', () => {
  it('says in how many texts the search failed where the attacks are stopped', () => {
    expect(lead()).toContain(
      'At σ = 10⁻³ the search of span failed in 3 of 20 texts: there the truth explains the gradient better than its answer, so a better search would find more.',
    );
    const never = likelyResults();
    const levels = never.levels.map(({ leakage, ...rest }) => {
      const span = { ...(leakage.span as NonNullable<typeof leakage.span>), search: { failed: 0, texts: 20 } };
      return { ...rest, leakage: { ...leakage, span } };
    });
    expect(text(answerOf({ ...never, levels }).lead[0] as string)).toContain(
      'failed in none of 20 texts: it found all that its likelihood and prior allow.',
    );
  });

  it('speaks of these attacks only where the genie is above chance, and of all where it is at chance', () => {
    const said = lead();
    expect(said).toMatch(
      /At σ = 10⁻³ a genie that knows every other token of a text is still above chance, right in \d+ % of 80 places \(95 % interval 10 % to 100 %; guessing: 6 %\): what is said here holds for these attacks only, and a better one may read more\./,
    );
    expect(said).toContain(
      'From σ = 0.1 on the genie is at chance: under the likelihood and prior of span, no attacker who sees one such gradient could read it; this was measured on 20 texts, not proved.',
    );
    expect(lead(() => atChance)).toContain(
      'At σ = 10⁻³ even a genie that knows every other token of a text is at chance, right in 6 % of 80 places (95 % interval 2 % to 14 %; guessing: 6 %): under the likelihood and prior of span, no attacker',
    );
  });

  it('never speaks of all attackers where it is not known', () => {
    const few = lead(() => genie(0, 0, 0.3, 12));
    expect(few).toContain('may be guessing, right in 0 % of 12 places');
    expect(few).toContain('but so few places cannot tell: what is said here holds for these attacks only.');
    const later = lead((level: Level) => (level.parameter === 10 ? genie(0.5, 0.4, 0.6) : atChance));
    expect(later).toContain('but not at every level with more noise: what is said here holds for these attacks only.');
    const always = lead(() => genie(1, 0.9, 1));
    expect(always).toContain('Nor is it at chance at the most noise tried.');
    for (const said of [few, later, always]) expect(said).not.toContain('no attacker');
    expect(text(answerOf(makeResults()).lead[0] as string)).not.toMatch(/genie|search/);
  });
});

it('the terminal has the sentences, and each limit of an attack once', () => {
  const said = describeResults(likelyResults()).replace(/\s+/g, ' ');
  expect(said).toContain('the search of span failed in 3 of 20 texts');
  expect(said.split(`Limit of span: ${note}`)).toHaveLength(2);
});
