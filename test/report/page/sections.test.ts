// Sections of the report that follow from conclusions and from what results say about mechanisms and attacks.

import { describe, expect, it } from 'vitest';
import type { Level, StudyResults } from '../../../src/calibration/index.js';
import { renderReport } from '../../../src/report/index.js';
import { equalLeakageTables } from '../../../src/report/page/equal-leakage-table.js';
import { htmlText } from '../../../src/report/page/html.js';
import { redactResults } from '../../../src/report/page/redact.js';
import { behaviourSection } from '../../../src/report/page/section-behaviour.js';
import {
  amountOf,
  attacks,
  directional,
  estimate,
  fall,
  gaussian,
  makeResults,
  mechanisms,
  none,
  resultsOfThree,
  type Shape,
  sigmas,
  single,
} from '../fixtures.js';
import { likelyResults, note } from '../likely.js';

const plain = (html: string) => html.replace(/[\u00a0\u202f]/g, ' ');
const page = (results: StudyResults) => plain(renderReport(results).html);
const section = (results: StudyResults, id: string) =>
  page(results).split(`<section id="${id}"`)[1]?.split('</section>')[0] ?? '';
const falling = (half: number, top: number, floor: number) => (level: Level) =>
  estimate(floor + (top - floor) * fall(amountOf(level), half), 0.005);
const onlyGaussian = [none, ...[1e-3, 1e-2, 0.1, 1, 10].map(gaussian)];

/** The cells of the table at a glance, by row. */
const glance = (results: StudyResults) =>
  [...section(results, 'answer').matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<td[^>]*><span>(.*?)<\/span>/g)].map((match) => match[1]),
  );

describe('the answer at a glance', () => {
  it('has a row for each mechanism', () => {
    expect(glance(resultsOfThree()).map(([stop, , , falls, gap]) => [stop, falls, gap])).toEqual([
      ['σ = 10⁻³', 'σ = 10', '× 1,000'],
      ['κ = 10⁶', 'κ = 100', '× 1,000'],
      ['γ = 10³', 'γ = 0.1', '× 1,000'],
    ]);
  });

  it.each<[string, Shape, readonly string[]]>([
    ['open gaps', { utility: () => estimate(0.9) }, ['σ = 0.1', 'not up to σ = 10', '≥ × 100']],
    ['one level', { utility: falling(-0.5, 0.9, 0.56) }, ['σ = 0.1', 'σ = 1', 'one level']],
    ['no gap', { utility: falling(-2.5, 0.9, 0.56) }, ['σ = 0.1', 'σ = 0.01', 'none']],
    ['no utility', { utility: undefined }, ['σ = 0.1', '–', '–']],
    ['no stop', { leakage: { span: () => estimate(0.8) } }, ['not up to σ = 10', 'σ = 10', '–']],
    ['no attack', { leakage: {} }, ['–', 'σ = 10', '–']],
  ])('shows %s', (_, shape, expected) => {
    const [row] = glance(makeResults({ levels: onlyGaussian, leakage: { span: falling(-1.5, 1, 0) }, ...shape }));
    expect([row?.[0], row?.[3], row?.[4]]).toEqual(expected);
  });

  it('gives ε with its terms, and accuracy with its interval', () => {
    const answer = section(makeResults(), 'answer');
    expect(answer).toContain(
      '<span>10⁶</span><small>no meaningful guarantee; δ = 8.81 × 10⁻⁵, adding or removing one example',
    );
    expect(answer).toContain('<span>95.0 %</span><small>94.1–95.9 %</small>');
  });

  it('does not call a small ε meaningless', () => {
    const leakage = { span: ({ parameter = 0 }: Level) => estimate(parameter < 1 ? 1 : 0) };
    const answer = section(makeResults({ levels: onlyGaussian, leakage }), 'answer');
    expect(answer).toContain('<span>0.601</span><small>δ = 8.81');
  });

  it('says in plain words what stops and falls mean', () => {
    const answer = section(makeResults(), 'answer');
    expect(answer).toContain('the attack gains at most a tenth of what it gains without noise');
    expect(answer).not.toMatch(/counted from its floor|too little for noise/);
  });
});

describe('recovered texts', () => {
  const comparison = (recovered?: boolean) => ({
    truth: 'meet mara at noon',
    guess: 'blue seven who report',
    truthTokens: ['meet', 'mara', 'at', 'noon'],
    guessTokens: ['blue', 'seven', 'who', 'report'],
    lcsRatio: 0,
    ...(recovered !== undefined && { recovered }),
  });
  const texts = (recovered?: boolean) =>
    section(makeResults({ levels: onlyGaussian, comparisons: () => [comparison(recovered)] }), 'texts');

  it('are not words of noise, and say what the floor is', () => {
    const shown = texts(false);
    expect(shown).toContain('<i>nothing recovered</i> <small class="inline">floor 0.02</small>');
    expect(shown).toContain('meet mara at noon');
    expect(shown).not.toMatch(/blue|seven/);
    // Results of an older version do not say.
    for (const other of [texts(true), texts()]) expect(other).toMatch(/blue.*seven/s);
  });
});

describe('tables of equal leakage', () => {
  const tables = (results: StudyResults) => equalLeakageTables(results).map((one) => plain(htmlText(one)));

  it('are one for each pair, with the names of both', () => {
    const rendered = tables(resultsOfThree());
    expect(rendered).toHaveLength(3);
    expect(rendered.map((table) => /95 %, (.*?), in points/.exec(table)?.[1])).toEqual([
      'directional minus Gaussian',
      'staircase minus Gaussian',
      'staircase minus directional',
    ]);
    expect(rendered[1]).toContain('<th scope="col">Gaussian</th><th scope="col">staircase</th>');
  });

  it('mark the winner, and leave out inconclusive attacks', () => {
    const better = (mechanism: string) => ({ gaussian: 0.8, directional: 0.9 })[mechanism] ?? 0.92;
    const utility = ({ mechanism, parameter = 1 }: Level) => ({
      ...estimate(better(mechanism)),
      values: [0, 0.001, -0.001].map((x, i) => better(mechanism) + x * ((i + parameter) % 2)),
    });
    const leakage = { span: falling(-3.5, 1, 0), membership: falling(-3.5, 0.515, 0.5) };
    const [table, ...others] = tables(makeResults({ utility, leakage }));
    expect(others).toEqual([]);
    expect(table).toContain('<td>mean</td><td>80.0 %</td><td><b>90.0 % ✓</b></td>');
    expect(table).not.toContain('membership');
    const [oneSeed] = tables(makeResults({ utility: () => single(0.9), leakage }));
    expect(oneSeed).toContain('<td>–</td></tr>');
    expect(oneSeed).not.toContain('<b>');
    expect(tables(makeResults({ levels: onlyGaussian }))).toEqual([]);
  });
});

describe('captions', () => {
  it('speak of the parameters that the study has', () => {
    const two = section(makeResults(), 'charts');
    expect(two).toContain(
      'Noise grows to the right in both charts; κ falls to the right because less κ is more noise.',
    );
    expect(two).toContain('a scale that σ and κ have in common. Where the two lines lie together');
    expect(two).toContain('labelled with its σ or κ where there is room');
    const three = section(resultsOfThree(), 'charts');
    expect(three).toContain('in all charts; κ falls to the right because less κ is more noise; γ falls to the right');
    expect(three).toContain('a scale that σ, κ and γ have in common. Where the lines lie together');
    const one = section(makeResults({ levels: [none, ...sigmas.map(gaussian)] }), 'charts');
    expect(one).toContain('Noise grows to the right. Shaded');
    expect(one).not.toMatch(/κ|have in common|the other’s/);
  });

  it('explain the measure of each attack by its scale', () => {
    const charts = section(makeResults(), 'charts');
    expect(charts).toContain('<b>Span.</b> Reads one text. LCS ratio: 1 is every word in order.');
    expect(charts).toContain('<b>Membership.</b> Reads losses. AUC: 1 is certainty, 0.5 guessing.');
  });
});

describe('other sections', () => {
  it('name only attacks on what is shared as such', () => {
    expect(section(makeResults(), 'privacy')).toContain(
      'a server that attacks it (span, Decepticons) is a separate release',
    );
    const none = makeResults({ leakage: {} }, { attacks: attacks.slice(2), behaviours: [] });
    expect(section(none, 'privacy')).toContain('a server that attacks it is a separate release');
  });

  it('define each parameter, attack and measure once, and a measure nobody knows by its scale', () => {
    const words = section(resultsOfThree(), 'definitions');
    for (const name of ['σ', 'κ', 'γ', 'LCS ratio', 'AUC', 'Span', 'Decepticons', 'Membership']) {
      expect(words.split(`<dt>${name}</dt>`), name).toHaveLength(2);
    }
    expect(words).toContain('The common scale of σ, κ and γ.');
    const measure = { key: 'bits', name: 'bits', scale: '0 is nothing', range: [0, 9] } as const;
    const other = makeResults({}, { attacks: attacks.map((attack) => ({ ...attack, measure })) });
    expect(section(other, 'definitions')).toContain('<dt>bits</dt><dd>0 is nothing.</dd>');
  });

  it('give every level its row under its mechanism, with targets and cosines', () => {
    const target = { kind: 'epsilon', value: 8 } as const;
    const levels = [none, { ...gaussian(0.7), target }, directional(100)];
    const table = section(makeResults({ levels }), 'levels');
    expect(table).toContain('σ = 0.7<small>for ε = 8</small>');
    expect(table).toContain(
      'Gaussian noise: σ over K = 66,306 numbers in training, K = 3,236,354 in a shared gradient.',
    );
    expect(table).toContain('the same σ or κ is not the same noise in both');
    expect(table.match(/<tr class="group">/g)).toHaveLength(2);
    expect(section(makeResults({ levels: [none] }), 'levels')).not.toContain('is not the same noise');
  });

  it('explain every verdict', () => {
    const rendered = (verdict: 'well behaved' | 'bottoms out' | 'erratic' | 'flat') => {
      const correlation = { mean: -1, lower: -1, upper: -1, values: [] };
      const behaviours = [{ attack: 'span', mechanism: 'gaussian', verdict, correlation }];
      return plain(htmlText(behaviourSection(makeResults({}, { behaviours }))));
    };
    expect(rendered('well behaved')).toContain('leakage falls up to the most noise tried');
    expect(rendered('bottoms out')).toContain('leakage falls, and then more noise makes no difference');
    expect(rendered('erratic')).toContain('cannot tell which level is safer');
    expect(rendered('flat')).toContain('leakage hardly moves');
    // An interval that is a point is left out.
    expect(rendered('flat')).toContain('<td>−1.00</td>');
    expect(plain(htmlText(behaviourSection(makeResults())))).toContain('<td>−0.93<small>−1.00 to −0.82</small></td>');
  });
});

describe('the section on certainty', () => {
  const own = section(likelyResults(), 'certainty');

  it('has a row per level: certain tokens and how many of those are right, failed searches, the genie', () => {
    expect(own.match(/<tr><th scope="row">/g)).toHaveLength(13);
    const row = own.split('σ = 0.1</th>')[1]?.split('</tr>')[0] ?? '';
    expect(
      row
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    ).toBe('0.00 −0.02 to 0.02 7 of 8 right 3 of 20 texts 0.06 0.02–0.14 at chance (0.06)');
    expect(own.match(/<svg /g)).toHaveLength(2);
    // |2 − 2| + |3 − 3.8| + |4 − 4| over twelve tokens.
    expect(own).toContain('(expected calibration error), over all levels: 0.07.');
    expect(own).toContain('it is not a proof');
    expect(page(likelyResults())).toContain('<a href="#certainty">');
  });

  it('is left out where no attack has a likelihood, and its cells where something was not measured', () => {
    expect(page(makeResults())).not.toMatch(/id="certainty"|#certainty/);
    const unasked = section(
      likelyResults(() => undefined),
      'certainty',
    );
    expect(unasked.match(/<td>–<\/td><\/tr>/g)).toHaveLength(13);
  });
});

it('limits of an attack stand beside its chart', () => {
  const charts = section(likelyResults(), 'charts');
  expect(charts.split(`<b>Limit:</b> ${note}`)).toHaveLength(2);
  expect(section(makeResults(), 'charts')).not.toContain('Limit:');
});

describe('redacted results', () => {
  it('keep figures, conclusions and descriptions of mechanisms', () => {
    const results = makeResults();
    const redacted = redactResults(results);
    expect(redacted.conclusions).toEqual(results.conclusions);
    expect(redacted.mechanisms).toEqual(mechanisms);
    expect(JSON.stringify(redacted)).not.toContain('Lindqvist');
    expect(JSON.stringify(results)).toContain('Lindqvist');
    expect(redacted.levels.map(({ level }) => level)).toEqual(results.levels.map(({ level }) => level));
    expect(redacted.data.classes).toEqual(['class 1', 'class 2']);
  });
});
