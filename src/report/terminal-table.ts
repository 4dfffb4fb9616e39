// The table of levels for the terminal, as wide as there is room for.

import type { LevelResults, StudyResults } from '../calibration/index.js';
import { attacksOf } from './curves.js';
import { writeCosine, writeInterval, writePercent, writeScore } from './number.js';
import type { Paint } from './terminal.js';
import { attacks, epsilonOf, guaranteeTerms, levelName, mechanisms } from './words.js';

interface Column {
  readonly head: string;
  readonly cell: (results: LevelResults) => string;
  /** Left out first where the line is too narrow. */
  readonly optional?: boolean;
}

export function levelTable(results: StudyResults, width: number, paint: Paint): string[] {
  let columns = columnsOf(results);
  while (widthOf(columns, results) > width && columns.some(({ optional }) => optional)) {
    const last = columns.findLastIndex(({ optional }) => optional);
    columns = columns.filter((_, place) => place !== last);
  }
  const sizes = sizesOf(columns, results);
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, place) => (place === 0 ? cell.padEnd(sizes[place] ?? 0) : cell.padStart(sizes[place] ?? 0)))
      .join('  ')
      .slice(0, width);
  const head = paint(line(columns.map((column) => column.head)), 'dim');
  const rows = results.levels.map((level) => line(columns.map(({ cell }) => cell(level))));
  return [head, ...rows, ...terms(results, width)];
}

function columnsOf(results: StudyResults): Column[] {
  return [
    { head: 'noise', cell: ({ level }) => levelName(level) },
    {
      head: 'ε',
      cell: ({ level, guarantee }) => (guarantee ? epsilonOf(guarantee) : level.mechanism === 'none' ? '∞' : '–'),
    },
    {
      head: 'cosine',
      cell: ({ utility }) => (utility?.cosineToSum ? writeCosine(utility.cosineToSum.mean) : '–'),
      optional: true,
    },
    { head: 'accuracy', cell: ({ utility }) => (utility ? writePercent(utility.accuracy.mean) : '–') },
    {
      head: '95 %',
      cell: ({ utility }) => (utility ? writeInterval(utility.accuracy, writePercent).replace(/\s%/g, '') : ''),
      optional: true,
    },
    ...attacksOf(results).map((attack) => ({
      head: attacks[attack].name,
      cell: ({ leakage }: LevelResults) => (leakage[attack] ? writeScore(leakage[attack].main.mean) : '–'),
    })),
  ];
}

const sizesOf = (columns: readonly Column[], { levels }: StudyResults): number[] =>
  columns.map(({ head, cell }) => Math.max(head.length, ...levels.map((level) => cell(level).length)));

const widthOf = (columns: readonly Column[], results: StudyResults): number =>
  sizesOf(columns, results).reduce((sum, size) => sum + size + 2, -2);

/** What belongs to the ε of each mechanism. */
function terms({ levels, trainable: trained, shared }: StudyResults, width: number): string[] {
  const told = new Set(
    levels.flatMap(({ level, guarantee }) =>
      guarantee && level.mechanism !== 'none'
        ? [`${mechanisms[level.mechanism].symbol}: ε of training with ${guaranteeTerms(guarantee)}`]
        : [],
    ),
  );
  return [
    ...told,
    `K = ${trained.numbers.toLocaleString('en')} trained, ${shared.numbers.toLocaleString('en')} shared; cosine: of a training release to its sum`,
  ].flatMap((text) => cut(text, width));
}

const cut = (text: string, width: number): string[] => {
  if (text.length <= width) return [text];
  const place = text.lastIndexOf(' ', width);
  return place <= 0 ? [text.slice(0, width)] : [text.slice(0, place), ...cut(text.slice(place + 1), width)];
};
