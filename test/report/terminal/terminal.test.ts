import { describe, expect, it } from 'vitest';
import { describeResults } from '../../../src/report/index.js';
import { gaussian, hostileResults, makeResults, none, sigmas } from '../fixtures.js';

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
    const told = describeResults(makeResults({}, { data: { ...data, train: 20_000 } })).replaceAll('\n', ' ');
    expect(told).toContain('is not below one over the 20,000 training examples');
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
    expect(text).toContain('Gaussian noise stops the reconstruction of text at σ = 10⁻³');
    expect(text).toContain('  span         ████ ████ ████ ▁▁▁▁ ▁▁▁▁ ▁▁▁▁ ▁▁▁▁ 0.99 → 0.02 (0.02)');
    expect(text).toContain('  σ            none 10⁻⁵ 10⁻⁴ 10⁻³ 0.1  1    10');
    expect(text).toMatch(/^σ = 10⁻³ +10⁶ +1\.00 +95\.0 % +94\.1–95\.9 +0\.04 +0\.03 +0\.59$/m);
    expect(text).toContain('σ: ε of training with δ = 8.81 × 10⁻⁵, adding or removing one example, pld');
    expect(text).toContain('not\nfor release');
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
});
