// Measured cosines against the noise of one mechanism as dots with intervals, and the predicted ones as a line.

import { isNoiseless, type Point, type StudyResults } from '../../calibration/index.js';
import { writeCosine, writeInterval } from '../numbers.js';
import { levelName, placeOf } from '../words.js';
import { noiseFrame, quiet, styleOf, titleStyle } from './chart-style.js';
import type { CosineAxis } from './cosine-axis.js';
import type { NoiseAxis } from './noise-axis.js';
import { axisX, axisY, dot, gridY, line, type PlotOptions, ruleX, text } from './plot.js';

/** A level with its measured cosine and, where there is a formula, the predicted one. */
export interface PredictedPoint extends Omit<Point, 'floor'> {
  readonly predicted?: number;
}

interface PredictedChart {
  readonly title: string;
  readonly results: StudyResults;
  readonly mechanism: string;
  /** Without noise first, then from the least noise to the most. */
  readonly points: readonly PredictedPoint[];
  readonly x: NoiseAxis;
  readonly y: CosineAxis;
}

interface Mark {
  readonly x: number;
  readonly mean: number;
  readonly lower: number;
  readonly upper: number;
  readonly predicted: number | undefined;
  readonly isClean: boolean;
  readonly title: string;
}

export function predictedChart({ title, results, mechanism, points, x, y }: PredictedChart): PlotOptions {
  const [top, bottom] = y.domain;
  const marks = points.map(({ level, value, predicted }): Mark => {
    const range = writeInterval(value, writeCosine);
    const expected = predicted === undefined ? '' : `, predicted ${writeCosine(predicted)}`;
    return {
      x: x.place(level),
      mean: value.mean,
      // An interval may reach below 0, which has no place on the axis.
      lower: Math.max(value.lower, bottom),
      upper: value.upper,
      predicted: predicted !== undefined && predicted > 0 ? predicted : undefined,
      isClean: isNoiseless(level),
      title: `${levelName(results, level)}: cosine ${writeCosine(value.mean)}${range && ` (${range})`}${expected}`,
    };
  });
  return {
    ...noiseFrame,
    ariaLabel: title,
    ariaDescription: marks.map((one) => one.title).join('; '),
    x: { domain: [...x.domain], type: 'linear' },
    y: { domain: [bottom, top], type: 'log' },
    marks: [
      gridY({ ticks: [...y.ticks], strokeOpacity: 0.12 }),
      axisY({ ticks: [...y.ticks], tickFormat: y.writeTick, tickSize: 0, label: null }),
      axisX({ ticks: [...x.ticks], tickFormat: x.write, label: x.label, labelAnchor: 'right', labelArrow: 'none' }),
      ruleX([x.split], { ...quiet, strokeDasharray: '1,4' }),
      line(
        marks.filter(({ predicted }) => predicted !== undefined),
        { x: 'x', y: 'predicted', strokeWidth: 1.5, stroke: 'currentColor', strokeOpacity: 0.7 },
      ),
      ...[true, false].flatMap((isClean) =>
        measuredMarks(
          marks.filter((one) => one.isClean === isClean),
          isClean ? undefined : placeOf(results, mechanism),
        ),
      ),
      text([title], { ...titleStyle, dx: -50, dy: -26 }),
    ],
  };
}

function measuredMarks(marks: readonly Mark[], place: number | undefined) {
  const { colour, symbol } = styleOf(place);
  const own = marks.filter(({ mean }) => mean > 0);
  return [
    ruleX(own, { x: 'x', y1: 'lower', y2: 'upper', strokeWidth: 1.5, stroke: colour }),
    dot(own, { x: 'x', y: 'mean', title: 'title', symbol, fill: colour, r: 5 }),
  ];
}
