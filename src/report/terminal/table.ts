// The table of levels for the terminal, as wide as there is room for.

import {
  type AboutMechanism,
  isNoiseless,
  isWeak,
  type LevelResults,
  measuredAttacks,
  type StudyResults,
  weakEpsilon,
} from '../../calibration/index.js';
import { writeCosine, writeCount, writeInterval, writePercent, writeScore } from '../numbers.js';
import { hasPlan, planSentences } from '../plan-words.js';
import { capital, epsilonAt, guaranteeTerms, levelName, mechanismOf } from '../words.js';
import { fitLines } from './fit-lines.js';
import type { Paint } from './paint.js';

interface Column {
  readonly head: string;
  readonly cell: (results: LevelResults) => string;
  /** Left out if the line is too narrow, the last first. */
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
  const rows = results.levels.flatMap((level, place) => [
    ...headingOf(results, place).map((text) => paint(text.slice(0, width), 'dim')),
    line(columns.map(({ cell }) => cell(level))),
  ]);
  return [head, ...rows, ...terms(results, width)];
}

/** The symbol does not tell mechanisms apart that have the same one. */
const shareSymbol = ({ mechanisms }: StudyResults): boolean =>
  new Set(mechanisms.map(({ symbol }) => symbol)).size < mechanisms.length;

/** The mechanism above its first level, where its symbol does not name it. */
function headingOf(results: StudyResults, place: number): string[] {
  const [level, before] = [results.levels[place]?.level, results.levels[place - 1]?.level];
  if (!level || isNoiseless(level) || !shareSymbol(results) || level.mechanism === before?.mechanism) return [];
  return [`${capital(mechanismOf(results, level.mechanism).label)}:`];
}

function columnsOf(results: StudyResults): Column[] {
  return [
    { head: 'noise', cell: ({ level }) => levelName(results, level) },
    ...(hasPlan(results)
      ? [{ head: 'planned ε', cell: ({ level, planned }: LevelResults) => epsilonAt(level, planned) }]
      : []),
    { head: hasPlan(results) ? 'own ε' : 'ε', cell: ({ level, guarantee }) => epsilonAt(level, guarantee) },
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
    ...measuredAttacks(results).map(({ name, label }) => ({
      head: label,
      cell: ({ leakage }: LevelResults) => (leakage[name] ? writeScore(leakage[name].main.mean) : '–'),
    })),
  ];
}

const sizesOf = (columns: readonly Column[], { levels }: StudyResults): number[] =>
  columns.map(({ head, cell }) => Math.max(head.length, ...levels.map((level) => cell(level).length)));

const widthOf = (columns: readonly Column[], results: StudyResults): number =>
  sizesOf(columns, results).reduce((sum, size) => sum + size + 2, -2);

/** What belongs to the ε of each mechanism, and what K and the cosine are. */
function terms(results: StudyResults, width: number): string[] {
  const { levels, trainable, shared } = results;
  const nameOf = ({ symbol, label }: AboutMechanism) => (shareSymbol(results) ? capital(label) : symbol);
  const terms = new Set(
    levels.flatMap(({ level, guarantee }) =>
      guarantee && !isNoiseless(level)
        ? [`${nameOf(mechanismOf(results, level.mechanism))}: ε of training with ${guaranteeTerms(guarantee)}`]
        : [],
    ),
  );
  return [
    ...planSentences(results),
    ...terms,
    ...(levels.some(({ guarantee }) => guarantee && isWeak(guarantee))
      ? [`An ε above ${weakEpsilon} promises next to nothing by itself.`]
      : []),
    `K, how many numbers the noise is spread over: ${writeCount(trainable.numbers)} in training, ${writeCount(shared.numbers)} in a shared gradient. Cosine: between what a training step releases and its sum before noise; 1 is the same direction.`,
  ].flatMap((text) => fitLines(text, width));
}
