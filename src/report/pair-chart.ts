// One measure against another, both mechanisms in one chart, points joined in the order of noise.

import type { Estimate, Level, MechanismName } from '../calibration/index.js';
import { chartStyle, chartWidth, colours, quiet, symbols, titleStyle } from './chart-style.js';
import { placeLabels } from './labels.js';
import { writeNoise } from './number.js';
import { axisX, axisY, dot, gridY, line, link, type PlotOptions, ruleX, ruleY, text } from './plot.js';
import type { Measure } from './scale.js';
import { levelName, mechanisms, type NoisyMechanism } from './words.js';

export interface PairPoint {
  readonly level: Level;
  readonly x: Estimate;
  readonly y: Estimate;
}

interface PairAxis extends Omit<Measure, 'floorName'> {
  /** Drawn as a dashed line where it is within the domain. */
  readonly floor?: number;
}

interface PairChart {
  readonly title: string;
  readonly mechanisms: readonly NoisyMechanism[];
  /** Without noise first, then each mechanism from the least to the most noise. */
  readonly points: readonly PairPoint[];
  readonly x: PairAxis & { readonly label: string };
  readonly y: PairAxis;
  /** Words in the upper left corner. */
  readonly note?: string;
}

const [height, marginLeft, marginRight, marginTop, marginBottom] = [340, 50, 14, 58, 42];

export function pairChart(chart: PairChart): PlotOptions {
  const { title, points, x, y, note } = chart;
  const [low, high] = y.domain;
  const domain = { x: x.domain, y: [low, high + (note ? (high - low) * 0.12 : 0)] as const };
  const marks = points.map((point) => ({
    x: point.x.mean,
    y: point.y.mean,
    x1: point.x.lower,
    x2: point.x.upper,
    y1: point.y.lower,
    y2: point.y.upper,
    mechanism: point.level.mechanism,
    title: `${levelName(point.level)}: ${x.name} ${x.write(point.x.mean)}, ${y.name} ${y.write(point.y.mean)}`,
    label: point.level.parameter === undefined ? '' : writeNoise(point.level.parameter),
  }));
  const of = (name: MechanismName) => marks.filter(({ mechanism }) => mechanism === name);
  return {
    width: chartWidth,
    height,
    marginLeft,
    marginRight,
    marginTop,
    marginBottom,
    className: 'chart',
    style: chartStyle,
    ariaLabel: note ? `${title}; ${note.replace('↖ ', '')}` : title,
    ariaDescription: marks.map((one) => one.title).join('; '),
    x: { domain: [...domain.x], type: 'linear' },
    y: { domain: [...domain.y], type: 'linear' },
    marks: [
      gridY({ ticks: 5, strokeOpacity: 0.12 }),
      axisY({ ticks: 5, tickFormat: y.writeTick, tickSize: 0, label: null }),
      axisX({
        ticks: 5,
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
      ...chart.mechanisms.flatMap((name) => path(of('none')[0], of(name), colours[name])),
      ...(['none', ...chart.mechanisms] as const).flatMap((name) => [
        link(of(name), { x1: 'x1', x2: 'x2', y1: 'y', y2: 'y', stroke: colours[name], strokeOpacity: 0.6 }),
        link(of(name), { x1: 'x', x2: 'x', y1: 'y1', y2: 'y2', stroke: colours[name], strokeOpacity: 0.6 }),
        dot(of(name), { x: 'x', y: 'y', symbol: symbols[name], fill: colours[name], r: 5, title: 'title' }),
      ]),
      ...labels(marks, domain),
      text([title], { ...titleStyle, dx: -50, dy: -50 }),
      ...legend(['none', ...chart.mechanisms]),
    ],
  };
}

const inside = ({ floor, domain: [from, to] }: PairAxis): number[] =>
  floor !== undefined && floor >= Math.min(from, to) && floor <= Math.max(from, to) ? [floor] : [];

/** So that lines do not strike words through. */
const halo = { fill: 'currentColor', stroke: 'var(--plot-background)', strokeWidth: 5 } as const;

interface Spot {
  readonly x: number;
  readonly y: number;
}

/** In the order of noise, dashed from no noise. */
const path = (start: Spot | undefined, noisy: readonly Spot[], stroke: string) => [
  line([...(start ? [start] : []), ...noisy.slice(0, 1)], { x: 'x', y: 'y', stroke, strokeDasharray: '2,4' }),
  line([...noisy], { x: 'x', y: 'y', stroke, strokeWidth: 1.5, strokeOpacity: 0.8 }),
];

function labels(
  marks: readonly (Spot & { readonly label: string; readonly mechanism: MechanismName })[],
  domain: { readonly x: readonly [number, number]; readonly y: readonly [number, number] },
) {
  const [right, bottom] = [chartWidth - marginRight, height - marginBottom];
  const scale = (value: number, [from, to]: readonly [number, number], start: number, end: number) =>
    start + ((value - from) / (to - from)) * (end - start);
  const inPixels = marks.map(({ x, y, label }) => ({
    x: scale(x, domain.x, marginLeft, right),
    y: scale(y, domain.y, bottom, marginTop),
    label,
  }));
  const frame = { left: marginLeft, right: right + 8, top: marginTop + 14, bottom };
  return placeLabels(inPixels, frame).flatMap(({ point, ...place }) => {
    const mark = marks[point] as (typeof marks)[number];
    return mark.label === ''
      ? []
      : [
          text([mark], {
            x: 'x',
            y: 'y',
            text: 'label',
            ...halo,
            fill: colours[mark.mechanism],
            fontSize: 11.5,
            ...place,
          }),
        ];
  });
}

/** In the margin above: shape and name, with the parameter that labels the points. */
function legend(names: readonly MechanismName[]) {
  let dx = -44;
  return names.flatMap((name) => {
    const words = name === 'none' ? 'no noise' : `${mechanisms[name].short} (${mechanisms[name].symbol})`;
    const at = { frameAnchor: 'top-left', dy: -26 } as const;
    const marks = [
      dot([name], { ...at, dx, symbol: symbols[name], fill: colours[name], r: 5 }),
      text([words], { ...at, dx: dx + 10, dy: -32, textAnchor: 'start', fontSize: 12.5 }),
    ];
    dx += 30 + words.length * 6.6;
    return marks;
  });
}
