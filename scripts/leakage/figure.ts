// Rows of the study as one figure: what is recovered against σ, against κ, and against the cosine that both leave. Noise grows to
// the right in all three. A light card, so that it reads the same on light and dark pages.

import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { type Row, type Summary, summarize } from './rows.js';
import { type Mechanism, type ModelName, models, type TaskName, tasks } from './settings.js';

const colours: Readonly<Record<ModelName, string>> = {
  'minilm-l6': '#0072b2',
  'bert-mini': '#d55e00',
  'gpt2-mini': '#009e73',
};
const dashes: Readonly<Record<TaskName, string>> = { CoLA: 'none', 'SST-2': '5 3' };
const [ink, grey, card] = ['#222', '#777', '#fff'];
const size = { panel: 370, height: 310, legend: 58, edge: 14 };
const font = 'system-ui, sans-serif';

interface Point extends Summary {
  readonly model: ModelName;
  readonly task: TaskName;
  readonly mechanism: Mechanism;
  readonly level: number;
}

interface Panel {
  readonly title: string;
  readonly label: string;
  readonly mechanisms: readonly Mechanism[];
  readonly x: (point: Point) => number;
  /** Small numbers stand at the right. */
  readonly reverse: boolean;
  readonly ticks: readonly number[];
  /** The two mechanisms have dots of their own. */
  readonly dots: boolean;
}

const panels: readonly Panel[] = [
  {
    title: 'Gaussian noise',
    label: 'σ (standard deviation; clip norm 1)',
    mechanisms: ['gaussian'],
    x: ({ level }) => level,
    reverse: false,
    ticks: [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1],
    dots: false,
  },
  {
    title: 'Directional noise',
    label: 'κ (concentration; falls to the right)',
    mechanisms: ['vmf'],
    x: ({ level }) => level,
    reverse: true,
    ticks: [1e8, 1e7, 1e6, 1e5, 1e4, 1e3],
    dots: false,
  },
  {
    title: 'Both, by what they leave',
    label: 'measured cosine to the gradient (falls to the right)',
    mechanisms: ['gaussian', 'vmf'],
    x: ({ cosine }) => cosine.mean,
    reverse: true,
    ticks: [1, 0.3, 0.1, 0.03, 0.01, 0.003],
    dots: true,
  },
];

export function drawFigure(rows: readonly Row[]): string {
  const points = rows.map((row): Point => ({ ...row, ...summarize(row) }));
  const width = panels.length * size.panel + 2 * size.edge;
  const height = size.legend + size.height + size.edge;
  const drawn = panels.map(
    (panel, place) =>
      `<g transform="translate(${size.edge + place * size.panel},${size.legend})">${drawPanel(panel, points, place === 0)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${font}" font-size="12" fill="${ink}" color="${ink}" text-anchor="middle" role="img">
<title>Words that the span attack recovers, against noise</title>
<rect width="${width}" height="${height}" rx="8" fill="${card}"/>
${legend()}
${drawn.join('\n')}
</svg>
`;
}

function drawPanel(panel: Panel, all: readonly Point[], first: boolean): string {
  const { document } = parseHTML('<html></html>');
  const points = all.filter(({ mechanism }) => panel.mechanisms.includes(mechanism));
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
        fill: panel.dots && mechanism === 'vmf' ? card : colour,
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
  return Plot.line(floor, { x: 'x', y: 'y', stroke: grey, strokeDasharray: '1 3', strokeWidth: 1.6, sort: 'x' });
}

/** 10⁻³ */
const power = (value: number): string =>
  value === 1 ? '1' : `10${[...`${Math.round(Math.log10(value))}`].map((digit) => raised[digit]).join('')}`;
const raised: Readonly<Record<string, string>> = Object.fromEntries(
  [...'-0123456789'].map((one, i) => [one, [...'⁻⁰¹²³⁴⁵⁶⁷⁸⁹'][i] as string]),
);

function legend(): string {
  const entries = [
    ...Object.entries(colours).map(([name, colour]) => ({ name, colour, dash: 'none', dot: '' })),
    ...Object.entries(dashes).map(([name, dash]) => ({ name, colour: ink, dash, dot: '' })),
    { name: 'floor (another sentence)', colour: grey, dash: '1 3', dot: '' },
    { name: 'Gaussian', colour: 'none', dash: 'none', dot: ink },
    { name: 'directional', colour: 'none', dash: 'none', dot: card },
  ];
  let x = size.edge + 30;
  const drawn = entries.map(({ name, colour, dash, dot }) => {
    const mark = dot
      ? `<circle cx="${x + 18}" cy="0" r="3.5" fill="${dot}" stroke="${ink}"/>`
      : `<line x1="${x}" x2="${x + 26}" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
    const text = `<text x="${x + 32}" dy="0.32em" text-anchor="start">${name}</text>`;
    x += 32 + 7 * name.length + 22;
    return mark + text;
  });
  return `<g transform="translate(0,28)">${drawn.join('')}</g>`;
}
