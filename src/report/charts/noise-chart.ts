// One measure against the noise of one mechanism: mean and interval at each level, the floor, and the gap in which reconstruction
// is stopped and utility kept.

import type { Curve, Gap, Point, StudyResults } from '../../calibration/index.js';
import { writeInterval } from '../numbers.js';
import { levelName, placeOf } from '../words.js';
import { noiseFrame, quiet, type Style, styleOf, titleStyle } from './chart-style.js';
import type { NoiseAxis } from './noise-axis.js';
import { axisX, axisY, dot, gridY, line, type PlotOptions, rect, ruleX, ruleY, text } from './plot.js';
import type { Measure } from './scale.js';

export interface NoiseChart {
  readonly title: string;
  readonly results: StudyResults;
  readonly curve: Curve;
  readonly measure: Measure;
  readonly axis: NoiseAxis;
  readonly gap?: Gap;
}

interface Mark {
  readonly x: number;
  readonly mean: number;
  readonly lower: number;
  readonly upper: number;
  readonly title: string;
}

export function noiseChart(chart: NoiseChart): PlotOptions {
  const { title, results, curve, measure, axis } = chart;
  const { clean, noisy } = curve;
  const mark = (point: Point): Mark => ({
    x: axis.place(point.level),
    mean: point.value.mean,
    lower: point.value.lower,
    upper: point.value.upper,
    title: describe(results, point, measure),
  });
  const [start, marks] = [clean ? [mark(clean)] : [], noisy.map(mark)];
  return {
    ...noiseFrame,
    ariaLabel: title,
    ariaDescription: [...start, ...marks].map((one) => one.title).join('; '),
    x: { domain: [...axis.domain], type: 'linear' },
    y: { domain: [...measure.domain], type: 'linear' },
    marks: [
      ...frame(chart, [...start, ...marks]),
      ...curveMarks(start, marks, styleOf(placeOf(results, curve.mechanism))),
      text([title], { ...titleStyle, dx: -50, dy: -26 }),
    ],
  };
}

/** What is drawn behind the curve: the gap, grid, axes, the break beside no noise, and the floor. */
const frame = ({ curve: { floor }, measure, axis, gap }: NoiseChart, marks: readonly Mark[]) => [
  ...(gap ? gapMarks(axis.place(gap.from), axis.place(gap.to), measure.domain) : []),
  gridY({ ticks: 4, strokeOpacity: 0.12 }),
  axisY({ ticks: 4, tickFormat: measure.writeTick, tickSize: 0, label: null }),
  axisX({
    ticks: [...axis.ticks],
    tickFormat: axis.write,
    label: axis.label,
    labelAnchor: 'right',
    labelArrow: 'none',
  }),
  ruleX([axis.split], { ...quiet, strokeDasharray: '1,4' }),
  ruleY([floor], { ...quiet, strokeDasharray: '5,3' }),
  floorLabel(measure, axis, floor, marks),
];

/** Means and intervals, dashed from no noise. */
function curveMarks(start: readonly Mark[], marks: readonly Mark[], { colour: stroke, symbol }: Style) {
  const interval = { x: 'x', y1: 'lower', y2: 'upper', strokeWidth: 1.5 } as const;
  const [point, none] = [{ x: 'x', y: 'mean', title: 'title' } as const, styleOf(undefined)];
  return [
    ...(start.length > 0
      ? [line([...start, ...marks.slice(0, 1)], { x: 'x', y: 'mean', stroke, strokeDasharray: '2,4' })]
      : []),
    line([...marks], { x: 'x', y: 'mean', stroke, strokeWidth: 2 }),
    ruleX([...marks], { ...interval, stroke }),
    ruleX([...start], { ...interval, stroke: none.colour }),
    dot([...start], { ...point, symbol: none.symbol, fill: none.colour, r: 4.5 }),
    dot([...marks], { ...point, symbol, fill: stroke, r: 5 }),
  ];
}

/** The floor's name at the left, above the line unless the curve starts there. */
function floorLabel(
  { floorName, write, domain: [bottom, top] }: Measure,
  axis: NoiseAxis,
  floor: number,
  marks: readonly Mark[],
) {
  const close = marks.slice(0, 2).some(({ mean }) => mean >= floor && mean - floor < 0.3 * (top - bottom));
  const below = close && floor - bottom > 0.1 * (top - bottom);
  return text([`${floorName} ${write(floor)}`], {
    x: () => axis.domain[0],
    y: () => floor,
    textAnchor: 'start',
    lineAnchor: below ? 'top' : 'bottom',
    dx: 2,
    dy: below ? 4 : -4,
    fontSize: 11.5,
    fillOpacity: 0.8,
  });
}

/** The gap as a band, with its name if there is room. */
function gapMarks(from: number, to: number, [bottom, top]: Measure['domain']) {
  const band = [{ from, to }];
  return [
    rect(band, { x1: 'from', x2: 'to', y1: bottom, y2: top, fill: 'currentColor', fillOpacity: 0.07 }),
    ruleX(
      band.flatMap((one) => [one.from, one.to]),
      { y1: bottom, y2: top, stroke: 'currentColor', strokeOpacity: 0.25 },
    ),
    ...(to - from > 0.5
      ? [
          text(['gap'], {
            x: () => (from + to) / 2,
            y: () => top,
            lineAnchor: 'bottom',
            dy: -3,
            fontSize: 11.5,
            fillOpacity: 0.8,
          }),
        ]
      : []),
  ];
}

function describe(results: StudyResults, { level, value }: Point, { name, write }: Measure): string {
  const range = writeInterval(value, write);
  return `${levelName(results, level)}: ${name} ${write(value.mean)}${range && ` (${range})`}`;
}
