// The parts that charts are made of: axes, ranges, legends, labels, rows.

import { describe, expect, it } from 'vitest';
import { leakageCurve, utilityCurve } from '../../../src/calibration/index.js';
import { cosineAxis } from '../../../src/report/charts/cosine-axis.js';
import { writeCsv } from '../../../src/report/charts/csv.js';
import { placeLabels } from '../../../src/report/charts/labels.js';
import { legend, legendRows } from '../../../src/report/charts/legend.js';
import { noiseAxis } from '../../../src/report/charts/noise-axis.js';
import { closeUtilityMeasure, leakageMeasure, utilityMeasure } from '../../../src/report/charts/scale.js';
import {
  attacks,
  directional,
  estimate,
  gaussian,
  makeResults,
  mechanisms,
  none,
  staircase,
  third,
} from '../fixtures.js';

const [about, turned] = mechanisms as [(typeof mechanisms)[0], (typeof mechanisms)[0]];

describe('the axis of noise', () => {
  it('grows to the right in powers of ten, with a place for no noise', () => {
    const axis = noiseAxis([0.01, 0.1, 10].map(gaussian), about);
    const places = [none, gaussian(0.01), gaussian(0.1), gaussian(10)].map(axis.place);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(axis.ticks.map(axis.write)).toEqual(['none', '0.01', '0.1', '10']);
    expect(axis.label).toBe('noise multiplier σ, more noise →');
    expect(axis.split).toBeGreaterThan(places[0] as number);
    expect(axis.split).toBeLessThan(places[1] as number);
    expect(axis.domain[0]).toBeLessThan(places[0] as number);
    expect(axis.domain[1]).toBeGreaterThan(places[3] as number);
  });

  it('turns round where less of the parameter is more noise', () => {
    const axis = noiseAxis([1e6, 100].map(directional), turned);
    expect(axis.place(directional(100))).toBeGreaterThan(axis.place(directional(1e6)));
    expect(axis.ticks.map(axis.write)).toEqual(['none', '10⁶', '100']);
    expect(noiseAxis([staircase(2)], third).label).toBe('stair width γ, more noise →');
  });

  it('leaves out labels that would touch, never the last', () => {
    const crowded = noiseAxis([1, 1.01, 1.02, 100, 101].map(gaussian), about);
    expect(crowded.ticks.map(crowded.write)).toEqual(['none', '1', '101']);
    const empty = noiseAxis([], about);
    expect(empty.ticks.map(empty.write)).toEqual(['none']);
    expect(empty.domain.every(Number.isFinite)).toBe(true);
  });
});

describe('the axis of cosines', () => {
  const ticks = (lowest: number) => cosineAxis([1, lowest]).ticks;

  it('reaches from above 1 to below the lowest value, with as many ticks as there is room for', () => {
    const [top, bottom] = cosineAxis([0.9, 0.03, -0.1, 0]).domain;
    expect(top).toBeGreaterThan(1);
    expect(bottom).toBeCloseTo(0.024);
    expect(ticks(0.03)).toEqual([1, 0.5, 0.2, 0.1, 0.05]);
    expect(ticks(0.005)).toEqual([1, 0.1, 0.01]);
    expect(ticks(1e-9).map(cosineAxis([]).writeTick)).toEqual(['1', '0.01', '10⁻⁴', '10⁻⁶', '10⁻⁸']);
    // Cosines that are all near 1 do not fill the chart with a thousandth.
    expect(cosineAxis([0.999]).domain[1]).toBe(0.4);
  });
});

describe('ranges', () => {
  const results = makeResults();

  it('hold all that was measured, the floor and the least range of the measure', () => {
    const curves = [leakageCurve(results, 'membership', 'gaussian')];
    const [low, high] = leakageMeasure((attacks[2] as (typeof attacks)[0]).measure, curves).domain;
    expect(low).toBeLessThan(0.5);
    expect(high).toBeGreaterThan(0.6);
    expect(high).toBeLessThan(0.7);
    const text = leakageMeasure((attacks[0] as (typeof attacks)[0]).measure, curves).domain;
    expect(text[0]).toBeLessThan(0);
    expect(text[1]).toBeGreaterThan(1);
  });

  it('of utility leave out the most frequent class where that is far', () => {
    const curves = (utility: number) => [utilityCurve(makeResults({ utility: () => estimate(utility) }), 'gaussian')];
    expect(utilityMeasure(curves(0.95)).domain[0]).toBeLessThan(0.56);
    expect(closeUtilityMeasure(curves(0.95)).domain[0]).toBeGreaterThan(0.9);
    expect(closeUtilityMeasure(curves(0.565)).domain[0]).toBeLessThan(0.56);
    expect(utilityMeasure([]).domain).toEqual([0, 1]);
  });
});

describe('the legend', () => {
  const entry = (words: string, place?: number) => ({ words, place });

  it('breaks into rows where names need them', () => {
    const few = [entry('no noise'), entry('Gaussian (σ)', 0), entry('directional (κ)', 1)];
    expect(legendRows(few)).toBe(1);
    const many = [...few, entry('staircase (γ)', 2), entry('truncated Laplace (b)', 3)];
    expect(legendRows(many)).toBe(2);
    expect(legend(many)).toHaveLength(10);
    expect(legendRows([entry('x'.repeat(500), 0)])).toBe(1);
  });
});

describe('labels of points', () => {
  const frame = { left: 0, right: 200, top: 0, bottom: 200 };

  it('avoid each other, the points and the edge', () => {
    const [alone] = placeLabels([{ x: 100, y: 100, label: '0.1' }], frame);
    expect(alone).toEqual({ point: 0, dx: 0, dy: -14, textAnchor: 'middle' });
    const [below] = placeLabels([{ x: 100, y: 5, label: '0.1' }], frame);
    expect(below?.dy).toBe(14);
    const close = placeLabels(
      [
        { x: 100, y: 100, label: '0.1' },
        { x: 100, y: 88, label: '0.2' },
      ],
      frame,
    );
    expect(close[0]?.dy).toBe(14);
    expect(close[1]?.dy).toBe(-14);
  });

  it('are left out where there is no room', () => {
    const crowd = Array.from({ length: 40 }, (_, i) => ({ x: 100 + (i % 5), y: 100 + (i % 8), label: '1000' }));
    const placed = placeLabels(crowd, frame);
    expect(placed.length).toBeGreaterThan(0);
    expect(placed.length).toBeLessThan(6);
    expect(placeLabels([{ x: 5, y: 5, label: 'far too long for this' }], { ...frame, right: 20, bottom: 20 })).toEqual(
      [],
    );
  });
});

describe('rows', () => {
  it('are quoted if they hold commas, quotes or line breaks, and empty without a value', () => {
    expect(
      writeCsv([
        { a: 1, b: 'x,y' },
        { a: undefined, b: 'say "x"', c: 1e-7 },
      ]),
    ).toBe('a,b,c\r\n1,"x,y",\r\n,"say ""x""",1e-7\r\n');
    expect(writeCsv([])).toBe('\r\n');
  });

  it('keep what looks like a formula from running in a spreadsheet, and numbers as numbers', () => {
    const hostile = ['=1+1', '+SUM(A1)', '-2+3', '@cmd', '\tx', '\rx', '-', '=HYPERLINK("x")'];
    const line = (value: string | number) =>
      writeCsv([{ a: value }])
        .split('\r\n')
        .slice(1, -1)
        .join('\r\n');
    for (const text of hostile) {
      // A name may also be that of a column.
      for (const written of [line(text), writeCsv([{ [text]: 1 }]).split('\r\n')[0]]) {
        expect(written?.replace(/^"/, '').startsWith("'"), text).toBe(true);
      }
    }
    for (const number of [-3.5, 3, -1e-7, -0.5, 1e21, '-3.5', '+2', '-.5e-3', '-1e+21'])
      expect(line(number)).toBe(`${number}`);
    expect(line('a-b = c')).toBe('a-b = c');
    expect(line(Number.NEGATIVE_INFINITY)).toBe("'-Infinity");
  });
});
