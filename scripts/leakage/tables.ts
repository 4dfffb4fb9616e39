// Rows of the study as Markdown: for each mechanism one table, a line for each level, a column for each model and data set.

import { type Row, type Summary, summarize } from './rows.js';
import { type Mechanism, type ModelName, models, type TaskName, tasks } from './settings.js';

const titles: Readonly<Record<Mechanism, string>> = {
  none: '',
  cosine: 'Normal noise that leaves an expected cosine of each tensor',
  gaussian: 'Gaussian: clipped to 1 over all shared numbers, noise of standard deviation σ on each',
  directional: 'Directional: one von Mises–Fisher draw over all shared numbers, concentration κ',
};

interface Column {
  readonly model: ModelName;
  readonly task: TaskName;
}

const columns: readonly Column[] = (Object.keys(models) as ModelName[]).flatMap((model) =>
  (Object.keys(tasks) as TaskName[]).map((task) => ({ model, task })),
);

export function printTables(rows: readonly Row[]): string {
  const mechanisms = (Object.keys(titles) as Mechanism[]).filter((mechanism) => mechanism !== 'none');
  return [modelTable(rows), ...mechanisms.map((mechanism) => levelTable(mechanism, rows))].join('\n\n');
}

const find = (rows: readonly Row[], column: Column, mechanism: Mechanism, level: number): Row | undefined =>
  rows.find(
    (row) =>
      row.model === column.model && row.task === column.task && row.mechanism === mechanism && row.level === level,
  );

/** Who is attacked, and what is recovered without noise. */
function modelTable(rows: readonly Row[]): string {
  const lines = columns.flatMap((column) => {
    const row = find(rows, column, 'none', 0);
    if (row === undefined) return [];
    const { recall, ofLonger, floorRecall } = summarize(row);
    return [
      `| ${column.model}, ${column.task} | ${(100 * row.accuracy).toFixed(1)} | ${number(row.norm)} | ${interval(recall)} | ${interval(ofLonger)} | ${share(floorRecall.mean)} |`,
    ];
  });
  return [
    '**No noise**',
    '',
    '| | accuracy % | norm of the gradient (median) | ROUGE-L | LCS / longer | floor |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function levelTable(mechanism: Mechanism, rows: readonly Row[]): string {
  const levels = [...new Set(rows.filter((row) => row.mechanism === mechanism).map(({ level }) => level))];
  // From little noise to much.
  levels.sort((a, b) => (mechanism === 'gaussian' ? a - b : b - a));
  const name = mechanism === 'cosine' ? 'cosine' : mechanism === 'gaussian' ? 'σ' : 'κ';
  const lines = levels.map((level) => {
    const cells = columns.map((column) => {
      const row = find(rows, column, mechanism, level);
      return row === undefined ? '–' : cell(summarize(row));
    });
    return `| ${number(level)} | ${cells.join(' | ')} |`;
  });
  return [
    `**${titles[mechanism]}**`,
    '',
    `| ${name} | ${columns.map(({ model, task }) => `${model}, ${task}`).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...lines,
  ].join('\n');
}

/** Recall with its interval; below it the paper's score, the floor and the measured cosine. */
const cell = ({ recall, ofLonger, floorRecall, cosine }: Summary): string =>
  `${interval(recall)}<br>${share(ofLonger.mean)} · ${share(floorRecall.mean)} · ${number(cosine.mean)}`;

const interval = ({ mean, lower, upper }: Summary['recall']): string =>
  `${share(mean)} (${share(lower)}–${share(upper)})`;

/** .62, 1 */
const share = (value: number): string =>
  value > 0.9995 ? '1' : value.toFixed(value > 0.985 ? 3 : 2).replace(/^0/, '');

/** .42, 1e-6 */
function number(value: number): string {
  const short = Number(value.toPrecision(2));
  return short >= 1e3 || Math.abs(short) < 1e-3
    ? short.toExponential().replace('e+', 'e')
    : `${short}`.replace(/^0\./, '.');
}
