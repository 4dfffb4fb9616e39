// ROC curves with logarithmic axes, because what a guarantee promises and what an attack is worth both show at few false positives. Beside
// the curves: guessing, and the most that guarantees allow.

import { type RocRates, readRoc } from '../../metrics/index.js';
import { typesetNumber, writeScore } from '../numbers.js';
import { equation } from '../words.js';
import { chartStyle, chartWidth, quiet, titleStyle } from './chart-style.js';
import { type LineStyle, legendHeight, lineLegend } from './line-legend.js';
import { ticksDown } from './log-ticks.js';
import { axisX, axisY, gridX, gridY, line, type PlotOptions, text } from './plot.js';

/** A line of the chart. */
export interface RocLine {
  readonly words: string;
  readonly points: readonly RocRates[];
  readonly colour: string;
  /** Default: 1. */
  readonly opacity?: number;
  /** Default: 2 pixels, for a guarantee 1.5. */
  readonly width?: number;
  /** Whether it is the most that a guarantee allows, which is dashed, rather than what was measured, which has steps. */
  readonly isBound?: boolean;
}

interface RocChart {
  readonly title: string;
  readonly lines: readonly RocLine[];
  /** One of so many is the lowest rate that was measured. */
  readonly members: number;
  readonly others: number;
}

const [plotHeight, marginLeft, marginRight, marginBottom] = [300, 64, 14, 42];
/** Height of the title, above the legend. */
const titleHeight = 36;
/** The vertical axis ends above 1 and below the lowest rate, so that lines at either are not taken for the frame. */
const [highest, below] = [1.2, 0.8];

export function rocChart({ title, lines, members, others }: RocChart): PlotOptions {
  const lowest = { falsePositiveRate: 1 / others, truePositiveRate: 1 / members };
  const guessing: LineStyle = { ...quiet, strokeWidth: 1.5, strokeDasharray: '1,4' };
  const entries = [
    ...lines.map((one) => ({ words: one.words, style: styleOfLine(one) })),
    { words: 'guessing', style: guessing },
  ];
  const marginTop = titleHeight + legendHeight(entries);
  const bottom = Math.max(lowest.falsePositiveRate, lowest.truePositiveRate);
  const [x, y] = [ticksDown(lowest.falsePositiveRate), ticksDown(lowest.truePositiveRate)];
  const names = { x: 'falsePositiveRate', y: 'truePositiveRate' } as const;
  return {
    width: chartWidth,
    height: plotHeight + marginTop,
    marginLeft,
    marginRight,
    marginTop,
    marginBottom,
    className: 'chart',
    style: chartStyle,
    ariaLabel: title,
    ariaDescription: lines.map((one) => describe(one, lowest)).join('; '),
    x: { domain: [lowest.falsePositiveRate, 1], type: 'log' },
    y: { domain: [lowest.truePositiveRate * below, highest], type: 'log' },
    marks: [
      gridX({ ticks: x, strokeOpacity: 0.12 }),
      gridY({ ticks: y, strokeOpacity: 0.12 }),
      axisX({
        ticks: x,
        tickFormat: writeTick,
        label: 'false positive rate',
        labelAnchor: 'right',
        labelArrow: 'none',
      }),
      axisY({
        ticks: y,
        tickFormat: writeTick,
        tickSize: 0,
        label: 'true positive rate',
        labelAnchor: 'center',
        labelArrow: 'none',
      }),
      line([bottom, 1], { x: (rate: number) => rate, y: (rate: number) => rate, ...guessing }),
      // The first line is the one to see: it lies on top.
      ...lines.toReversed().map((one) =>
        line(visible(one, lowest), {
          ...names,
          ...styleOfLine(one),
          ...(!one.isBound && { curve: 'step-after' as const }),
        }),
      ),
      text([title], { ...titleStyle, dx: -marginLeft, dy: 8 - marginTop }),
      ...lineLegend(entries, marginLeft),
    ],
  };
}

const writeTick = (rate: number): string => typesetNumber(rate, 1);

const styleOfLine = ({ colour, opacity = 1, isBound = false, width = isBound ? 1.5 : 2 }: RocLine): LineStyle => ({
  stroke: colour,
  strokeWidth: width,
  strokeOpacity: opacity,
  ...(isBound && { strokeDasharray: '6,4' }),
});

/** The part with a place on the axes: from the lowest rate of false positives, and from where the line comes up from below. */
function visible({ points, isBound = false }: RocLine, lowest: RocRates): RocRates[] {
  const { falsePositiveRate: left, truePositiveRate: bottom } = lowest;
  const start = { falsePositiveRate: left, truePositiveRate: readRoc(points, left) };
  const shown = [start, ...points.filter((point) => point.falsePositiveRate > left)].filter(
    (point) => point.truePositiveRate >= bottom,
  );
  const [first] = shown;
  const comesUp = !isBound && first !== undefined && first.falsePositiveRate > left;
  return comesUp ? [{ ...first, truePositiveRate: bottom * below }, ...shown] : shown;
}

/** What a reader would read off: rates that are measured, at 1 % and 10 % false positives. */
const describe = ({ words, points }: RocLine, { falsePositiveRate: left }: RocRates): string =>
  `${words}: ${[0.01, 0.1]
    .filter((rate) => rate >= left)
    .map((rate) => `true positive rate ${writeScore(readRoc(points, rate))} at ${writeTick(rate)}`)
    .join(', ')}`;

/** A guarantee in the legend. Both are bounds, so they are rounded up. */
export const boundName = ({ epsilon, delta }: { readonly epsilon: number; readonly delta: number }): string =>
  `guarantee: ${equation('ε', typesetNumber(epsilon, 3, 'up'))}, ${equation('δ', typesetNumber(delta, 3, 'up'))}`;
