import { describe, expect, it } from 'vitest';
import { describeResults } from '../../../src/report/index.js';
import { fitLines } from '../../../src/report/terminal/fit-lines.js';
import { paintWith } from '../../../src/report/terminal/paint.js';
import { gaussian, hostileResults, makeResults, none, resultsOfThree, sigmas } from '../fixtures.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
const colours = /\x1b\[\d+m/g;
const widest = (text: string) =>
  Math.max(
    ...text
      .replace(colours, '')
      .split('\n')
      .map((line) => [...line].length),
  );

describe('results on the terminal', () => {
  it('warns of a δ that allows too much', () => {
    const { data } = makeResults();
    expect(describeResults(makeResults())).not.toContain('is not below one over');
    const output = describeResults(makeResults({}, { data: { ...data, train: 20_000 } })).replaceAll('\n', ' ');
    expect(output).toContain('is not below one over the 20,000 training examples');
  });

  it('fit the width', () => {
    for (const columns of [40, 60, 80, 120]) {
      for (const results of [
        makeResults(),
        hostileResults(),
        makeResults({ leakage: {} }),
        makeResults({ levels: [] }),
      ]) {
        for (const colour of [false, true]) {
          expect(widest(describeResults(results, { columns, colour }))).toBeLessThanOrEqual(columns);
        }
      }
    }
  });

  it('give the answer, charts and a table', () => {
    const text = describeResults(makeResults());
    expect(text).toContain('Gaussian noise stops these attacks from reading text at σ = 10⁻³');
    expect(text).toContain('  span         ████ ████ ████ ▁▁▁▁ ▁▁▁▁ ▁▁▁▁ ▁▁▁▁ 0.99 → 0.02 (0.02)');
    expect(text).toContain('  σ            none 10⁻⁵ 10⁻⁴ 10⁻³ 0.1  1    10');
    expect(text).toMatch(/^σ = 10⁻³ +10⁶ +1\.00 +95\.0 % +94\.1–95\.9 +0\.04 +0\.03 +0\.59$/m);
    expect(text).toContain('σ: ε of training with δ = 8.81 × 10⁻⁵, adding or removing one example, pld');
    expect(text.replaceAll('\n', ' ')).toContain('its models are not for release.');
    expect(text).toMatch(/[^\n]\n$/);
  });

  it('have colours only when asked for, and no control characters of the data', () => {
    expect(describeResults(makeResults())).not.toContain('\x1b');
    expect(describeResults(makeResults(), { colour: true })).toContain('\x1b[34m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(describeResults(hostileResults())).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  });

  it('say what failed and what is missing', () => {
    const failures = [{ trial: 'a', what: 'training at σ = 1', error: 'disk full' }];
    const text = describeResults(makeResults({ levels: [none, ...sigmas.map(gaussian)] }, { failures, missing: 1 }));
    expect(text).toContain('1 trial still to be run');
    expect(text).toContain('Failed: training at σ = 1: disk full');
  });

  it('explain K and the cosine in a sentence', () => {
    const output = describeResults(makeResults(), { columns: 120 }).replaceAll('\n', ' ');
    expect(output).toContain(
      'K, how many numbers the noise is spread over: 66,306 in training, 3,236,354 in a shared gradient.',
    );
    expect(output).toContain(
      'Cosine: between what a training step releases and its sum before noise; 1 is the same direction.',
    );
  });

  it('name mechanisms above their levels where two have the same symbol', () => {
    const results = makeResults();
    const text = describeResults(results);
    expect(text).not.toContain('Gaussian noise:');
    const alike = results.mechanisms.map((one) => ({ ...one, symbol: 'σ' }));
    const lines = describeResults({ ...results, mechanisms: alike }).split('\n');
    const [first, second] = ['Gaussian noise:', 'Directional noise:'].map((head) => lines.indexOf(head));
    expect(lines[(first as number) + 1]).toMatch(/^σ = /);
    expect(second).toBeGreaterThan(first as number);
    expect(lines.filter((line) => line === 'Gaussian noise:')).toHaveLength(1);
    expect(lines.join(' ')).toContain('Gaussian noise: ε of training with δ');
  });

  it('show a third mechanism like the others, in a colour of its own', () => {
    const output = describeResults(resultsOfThree(), { columns: 100 });
    expect(output).toContain('Staircase noise\n  accuracy     ████ ████ ');
    expect(output).toContain('  γ            none 10⁵  10³  1    0.1');
    expect(output).toMatch(/^γ = 10³ +\d/m);
    expect(output).toMatch(/^γ: ε of training with /m);
    expect(describeResults(resultsOfThree(), { colour: true })).toContain('\x1b[32mStaircase noise\x1b[0m');
    for (const columns of [40, 60, 80])
      expect(widest(describeResults(resultsOfThree(), { columns }))).toBeLessThanOrEqual(columns);
  });

  it('name mechanisms where their verdicts differ', () => {
    const { behaviours } = makeResults();
    const [first, second, third] = behaviours;
    const same = describeResults(makeResults()).replaceAll('\n', ' ');
    expect(same).toContain(
      'Leakage as noise grows: span falls, then levels off (bottoms out); membership falls to the end (well behaved).',
    );
    const mixed = [first, { ...second, verdict: 'erratic' }, third] as typeof behaviours;
    const output = describeResults(makeResults({}, { behaviours: mixed })).replaceAll('\n', ' ');
    expect(output).toContain(
      'span falls, then levels off (bottoms out) under Gaussian noise, does not fall steadily (erratic) under directional noise;',
    );
    expect(describeResults(makeResults({}, { behaviours: [] }))).not.toContain('Leakage as noise grows:');
  });

  it('leave out what narrow terminals have no room for', () => {
    const narrow = describeResults(makeResults(), { columns: 40 });
    expect(narrow).not.toMatch(/cosine|95 % {2}/);
    // No room for bars: first and last value remain.
    expect(narrow).toMatch(/^ {2}accuracy +(█+ ?|\d)/m);
    expect(describeResults(makeResults(), { columns: 120 })).toMatch(/^noise +ε +cosine +accuracy +95 %/m);
  });

  it('always have the axis of the noise below the bars', () => {
    const many = [0.042, 0.078, 0.101, 0.137, 0.254, 0.478, 1].map(gaussian);
    for (const columns of [40, 50, 60, 70, 80, 120]) {
      for (const results of [makeResults(), makeResults({ levels: [none, ...many] }), resultsOfThree()]) {
        const lines = describeResults(results, { columns }).split('\n');
        const axes = lines.filter((line) => /^ {2}[σκγ] +none/.test(line));
        expect(axes, `${columns} columns`).toHaveLength(
          new Set(results.levels.slice(1).map(({ level }) => level.mechanism)).size,
        );
        // The most noise is always named.
        expect(axes[0]).toMatch(/ (1|10)$/);
      }
    }
  });

  it('place the labels of the axis below their bars, and leave out those without room', () => {
    const many = [0.042, 0.078, 0.101, 0.137, 0.254, 0.478, 1].map(gaussian);
    const lines = describeResults(makeResults({ levels: [none, ...many] }), { columns: 70 }).split('\n');
    const [bars, axis] = ['  accuracy', '  σ '].map((start) => lines.find((line) => line.startsWith(start)) ?? '') as [
      string,
      string,
    ];
    const starts = [...bars.slice(15).matchAll(/(?<= |^)[▁▂▃▄▅▆▇█]+/g)].map(({ index }) => index);
    expect(starts).toHaveLength(8);
    const labels = [...axis.slice(15).matchAll(/\S+/g)];
    expect(labels.map(([label]) => label)).toEqual(['none', '0.078', '0.137', '1']);
    expect(labels.every(({ index }) => starts.includes(index))).toBe(true);
  });

  it('say that an ε above 50 promises nothing, where there is one', () => {
    const said = 'An ε above 50 promises next to nothing by itself.';
    expect(describeResults(makeResults())).toContain(said);
    expect(describeResults(makeResults({ levels: [none, gaussian(1), gaussian(10)] }))).not.toContain(said);
  });

  it('have no blocks for levels without a value', () => {
    const results = makeResults({ utility: ({ parameter }) => (parameter === 1 ? nan : { ...nan, mean: 0.9 }) });
    const line = describeResults(results)
      .split('\n')
      .find((one) => one.startsWith('  accuracy'));
    expect(line).toMatch(/^ {2}accuracy {5}█+ █+ █+ █+ █+ {6}█+ /);
  });
});

const nan = { mean: Number.NaN, lower: 0, upper: 1, values: [0, 1] };

describe('lines that fit', () => {
  it('break at spaces, and cut words that are longer than a line', () => {
    expect(fitLines('one two three', 7)).toEqual(['one two', 'three']);
    expect(fitLines('a verylongword b', 5)).toEqual(['a', 'veryl', 'ongwo', 'rd b']);
    expect(fitLines('', 5)).toEqual([]);
    expect(fitLines('a\nb\tc  d', 80)).toEqual(['a b c d']);
  });

  it('keep equations together and take control characters away', () => {
    expect(fitLines('at σ\u00a0=\u00a01 on', 7)).toEqual(['at', 'σ\u00a0=\u00a01', 'on']);
    expect(fitLines('\x1b[31mred', 80)).toEqual(['\ufffd[31mred']);
  });
});

describe('colours on the terminal', () => {
  it('differ for the first six places of a study and are used again after that', () => {
    const paint = paintWith(true);
    const painted = [...Array(7).keys()].map((place) => paint('x', place));
    expect(new Set(painted.slice(0, 6)).size).toBe(6);
    expect(painted[6]).toBe(painted[0]);
    expect([paint('x', 'bold'), paint('x', 'dim')]).toEqual(['\x1b[1mx\x1b[0m', '\x1b[2mx\x1b[0m']);
    expect(paintWith(false)('x', 0)).toBe('x');
  });
});
