// One panel of the figure: lines with thin bands for the intervals, one for each model and data set, and the floor.

import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { card, colours, dashes, floorDash, grey, size } from './look.js';
import type { Summary } from './rows.js';
import { type Mechanism, type ModelName, models, type TaskName, tasks } from './settings.js';

export interface Point extends Summary {
  readonly model: ModelName;
  readonly task: TaskName;
  readonly mechanism: Mechanism;
  readonly level: number;
}

export interface Panel {
  readonly title: string;
  readonly label: string;
  readonly mechanisms: readonly Mechanism[];
  readonly x: (point: Point) => number;
  /** Points below are left out. */
  readonly least: number;
  /** Small numbers stand at the right. */
  readonly reverse: boolean;
  readonly ticks: readonly number[];
  /** The two mechanisms have dots of their own. */
  readonly dots: boolean;
}

/** Its inside, for a group of a larger picture. */
export function drawPanel(panel: Panel, all: readonly Point[], first: boolean): string {
  const { document } = parseHTML('<html></html>');
  const points = all.filter((point) => panel.mechanisms.includes(point.mechanism) && panel.x(point) >= panel.least);
  const series = panel.mechanisms.flatMap((mechanism) =>
    (Object.keys(models) as ModelName[]).flatMap((model) =>
      (Object.keys(tasks) as TaskName[]).map((task) => ({ mechanism, model, task })),
    ),
  );
  const least = points.reduce((min, point) => Math.min(min, panel.x(point)), 1e9);
  const marks = series.flatMap(({ mechanism, model, task }) => {
    const own = points.filter((one) => one.mechanism === mechanism && one.model === model && one.task === task);
    const colour = colours[model];
    const x = panel.x;
    return [
      Plot.areaY(own, {
        x,
        y1: ({ recall }: Point) => recall.lower,
        y2: ({ recall }: Point) => recall.upper,
        fill: colour,
        fillOpacity: panel.dots ? 0.06 : 0.1,
        sort: x,
      }),
      Plot.line(own, {
        x,
        y: ({ recall }: Point) => recall.mean,
        stroke: colour,
        strokeWidth: 1.6,
        strokeDasharray: dashes[task],
        sort: x,
      }),
      Plot.dot(own, {
        x,
        y: ({ recall }: Point) => recall.mean,
        r: panel.dots ? 3 : 2,
        stroke: colour,
        fill: panel.dots && mechanism === 'directional' ? card : colour,
      }),
    ];
  });
  const drawn = Plot.plot({
    document,
    width: size.panel,
    height: size.height,
    marginLeft: 44,
    marginRight: 16,
    marginTop: 26,
    marginBottom: 42,
    style: { fontSize: '12px' },
    x: { type: 'log', label: null, reverse: panel.reverse },
    y: { domain: [0, 1], label: null },
    marks: [
      Plot.gridY({ stroke: grey, strokeOpacity: 0.25 }),
      Plot.axisX({
        label: panel.label,
        labelAnchor: 'center',
        labelArrow: 'none',
        ticks: panel.ticks.filter((tick) => tick >= 0.99 * least),
        tickFormat: panel.dots ? String : power,
      }),
      Plot.axisY({
        label: first ? 'ROUGE-L (share of words, in order)' : null,
        labelAnchor: 'center',
        labelArrow: 'none',
        ticks: 5,
      }),
      floorLine(panel, points),
      ...marks,
      Plot.text([panel.title], { frameAnchor: 'top', dy: -18, fontWeight: 'bold', fontSize: 13 }),
    ],
  });
  // As part of a larger picture: its own sheet of styles is for pages.
  for (const style of drawn.querySelectorAll('style')) style.remove();
  return drawn.innerHTML;
}

/** What guesses score against another sentence: the mean over models and data sets at each level. */
function floorLine(panel: Panel, points: readonly Point[]): Plot.Markish {
  const levels = new Map<string, Point[]>();
  for (const point of points) {
    const key = `${point.mechanism} ${point.level}`;
    levels.set(key, [...(levels.get(key) ?? []), point]);
  }
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const floor = [...levels.values()].map((own) => ({
    x: mean(own.map(panel.x)),
    y: mean(own.map(({ floorRecall }) => floorRecall.mean)),
  }));
  return Plot.line(floor, { x: 'x', y: 'y', stroke: grey, strokeDasharray: floorDash, strokeWidth: 1.6, sort: 'x' });
}

/** 10⁻³ */
const power = (value: number): string =>
  value === 1 ? '1' : `10${[...`${Math.round(Math.log10(value))}`].map((digit) => raised[digit]).join('')}`;
const raised: Readonly<Record<string, string>> = Object.fromEntries(
  [...'-0123456789'].map((one, i) => [one, [...'⁻⁰¹²³⁴⁵⁶⁷⁸⁹'][i] as string]),
);
