// One measure against another, all mechanisms in one chart, points joined in the order of noise.

import { type Estimate, isOnCurve, type Level, type StudyResults, triedMechanisms } from '../../calibration/index.js';
import { writeNoise } from '../numbers.js';
import { levelName, placeOf } from '../words.js';
import { chartStyle, chartWidth, quiet, styleOf, titleStyle } from './chart-style.js';
import { placeLabels } from './labels.js';
import { type LegendEntry, legend, legendRows, rowHeight } from './legend.js';
import { axisX, axisY, dot, gridY, line, link, type PlotOptions, ruleX, ruleY, text } from './plot.js';
import type { Measure } from './scale.js';

export interface PairPoint {
  readonly level: Level;
  readonly x: Estimate;
  readonly y: Estimate;
}

interface PairAxis extends Omit<Measure, 'floorName'> {
  /** Drawn as a dashed line where it is within the domain. */
  readonly floor?: number;
  /** Default: linear, with a few ticks. */
  readonly type?: 'log';
  readonly ticks?: readonly number[];
}

interface PairChart {
  readonly title: string;
  readonly results: StudyResults;
  /** Without noise first, then each mechanism from the least to the most noise. */
  readonly points: readonly PairPoint[];
  readonly x: PairAxis & { readonly label: string };
  readonly y: PairAxis;
  /** A note in the upper left corner. */
  readonly note?: string;
}

interface Mark extends Spot {
  readonly x1: number;
  readonly x2: number;
  readonly y1: number;
  readonly y2: number;
  readonly level: Level;
  /** The place of its mechanism in the study; absent without noise. */
  readonly place: number | undefined;
  readonly title: string;
  readonly label: string;
}

const [plotHeight, marginLeft, marginRight, marginBottom] = [282, 50, 14, 42];
/** Height of the title, above the legend. */
const titleHeight = 34;

export function pairChart(chart: PairChart): PlotOptions {
  const { title, results, x, y, note } = chart;
  const [low, high] = y.domain;
  const axes = { x, y: { ...y, domain: [low, high + (note ? (high - low) * 0.12 : 0)] as const } };
  const marks = marksOf(chart);
  const entries = legendOf(results);
  const marginTop = titleHeight + rowHeight * legendRows(entries);
  const places = entries.map(({ place }) => place);
  return {
    width: chartWidth,
    height: plotHeight + marginTop,
    marginLeft,
    marginRight,
    marginTop,
    marginBottom,
    className: 'chart',
    style: chartStyle,
    ariaLabel: note ? `${title}; ${note.replace('↖ ', '')}` : title,
    ariaDescription: marks.map((one) => one.title).join('; '),
    x: { domain: [...axes.x.domain], type: x.type ?? 'linear' },
    y: { domain: [...axes.y.domain], type: y.type ?? 'linear' },
    marks: [
      ...frame(chart),
      ...triedMechanisms(results).flatMap(({ name }) => path(marks, name, placeOf(results, name))),
      ...places.flatMap((place) => pointMarks(marks, place)),
      ...labels(marks, axes, marginTop),
      text([title], { ...titleStyle, dx: -50, dy: 8 - marginTop }),
      ...legend(entries),
    ],
  };
}

const marksOf = ({ results, points, x, y }: PairChart): Mark[] =>
  points.map((point) => ({
    x: point.x.mean,
    y: point.y.mean,
    x1: point.x.lower,
    x2: point.x.upper,
    y1: point.y.lower,
    y2: point.y.upper,
    level: point.level,
    place: placeOf(results, point.level.mechanism),
    title: `${levelName(results, point.level)}: ${x.name} ${x.write(point.x.mean)}, ${y.name} ${y.write(point.y.mean)}`,
    label: point.level.parameter === undefined ? (point.level.label ?? '') : writeNoise(point.level.parameter),
  }));

/** No noise first, then each mechanism with the symbol that labels its points. */
const legendOf = (results: StudyResults): LegendEntry[] => [
  { place: undefined, words: 'no noise' },
  ...triedMechanisms(results).map(({ name, short, symbol }) => ({
    place: placeOf(results, name),
    words: `${short} (${symbol})`,
  })),
];

/** Grid, axes, floors and the note. */
const frame = ({ x, y, note }: PairChart) => [
  gridY({ ticks: 5, strokeOpacity: 0.12 }),
  axisY({ ticks: 5, tickFormat: y.writeTick, tickSize: 0, label: null }),
  axisX({
    ticks: x.ticks ? [...x.ticks] : 5,
    tickFormat: x.writeTick,
    label: x.label,
    labelAnchor: 'right',
    labelArrow: 'none',
  }),
  ruleX(inside(x), { ...quiet, strokeDasharray: '5,3' }),
  ruleY(inside(y), { ...quiet, strokeDasharray: '5,3' }),
  text(note ? [note] : [], {
    frameAnchor: 'top-left',
    textAnchor: 'start',
    dx: 6,
    dy: 6,
    fontSize: 12,
    fontStyle: 'italic',
    ...halo,
  }),
];

const inside = ({ floor, domain: [from, to] }: PairAxis): number[] =>
  floor !== undefined && floor >= Math.min(from, to) && floor <= Math.max(from, to) ? [floor] : [];

/** A halo keeps lines from crossing out words. */
const halo = { fill: 'currentColor', stroke: 'var(--plot-background)', strokeWidth: 5 } as const;

interface Spot {
  readonly x: number;
  readonly y: number;
}

const ofPlace = (marks: readonly Mark[], place: number | undefined): Mark[] =>
  marks.filter((mark) => mark.place === place);

/** Joins points in the order of noise, dashed from where the mechanism begins without noise. */
function path(marks: readonly Mark[], mechanism: string, place: number | undefined) {
  const start = ofPlace(marks, undefined)
    .filter(({ level }) => isOnCurve(level, mechanism))
    .slice(0, 1);
  const noisy = ofPlace(marks, place);
  const { colour: stroke } = styleOf(place);
  return [
    line([...start, ...noisy.slice(0, 1)], { x: 'x', y: 'y', stroke, strokeDasharray: '2,4' }),
    line(noisy, { x: 'x', y: 'y', stroke, strokeWidth: 1.5, strokeOpacity: 0.8 }),
  ];
}

/** Points with intervals in both directions. */
function pointMarks(marks: readonly Mark[], place: number | undefined) {
  const [own, { colour, symbol }] = [ofPlace(marks, place), styleOf(place)];
  return [
    link(own, { x1: 'x1', x2: 'x2', y1: 'y', y2: 'y', stroke: colour, strokeOpacity: 0.6 }),
    link(own, { x1: 'x', x2: 'x', y1: 'y1', y2: 'y2', stroke: colour, strokeOpacity: 0.6 }),
    dot(own, { x: 'x', y: 'y', symbol, fill: colour, r: 5, title: 'title' }),
  ];
}

function labels(marks: readonly Mark[], axes: { readonly [axis in 'x' | 'y']: PairAxis }, marginTop: number) {
  const [right, bottom] = [chartWidth - marginRight, plotHeight + marginTop - marginBottom];
  const scale = (value: number, { domain, type }: PairAxis, start: number, end: number) => {
    const [at, from, to] = [value, ...domain].map(type === 'log' ? Math.log : Number) as [number, number, number];
    return start + ((at - from) / (to - from)) * (end - start);
  };
  const inPixels = marks.map(({ x, y, label }) => ({
    x: scale(x, axes.x, marginLeft, right),
    y: scale(y, axes.y, bottom, marginTop),
    label,
  }));
  const within = { left: marginLeft, right: right + 8, top: marginTop + 14, bottom };
  return placeLabels(inPixels, within).flatMap(({ point, ...at }) => {
    const mark = marks[point] as Mark;
    const fill = styleOf(mark.place).colour;
    return mark.label === ''
      ? []
      : [text([mark], { x: 'x', y: 'y', text: 'label', ...halo, fill, fontSize: 11.5, ...at })];
  });
}
