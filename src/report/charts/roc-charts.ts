// ROC curves of membership attacks under each mechanism: without noise, and with little, some and much of it.

import {
  type AboutAttack,
  type AboutMechanism,
  isNoiseless,
  measuredAttacks,
  type RocLevel,
  rocLevels,
  type StudyResults,
  triedMechanisms,
} from '../../calibration/index.js';
import { capital, levelName, placeOf } from '../words.js';
import { styleOf } from './chart-style.js';
import type { Chart } from './charts.js';
import { levelColumns } from './columns.js';
import { type CsvRow, writeCsv } from './csv.js';
import { boundName, type RocLine, rocChart } from './roc-chart.js';
import { drawSvg } from './svg.js';

/** None for attacks without curves, such as those on text and those that older versions recorded. */
export const rocCharts = (results: StudyResults): Chart[] =>
  measuredAttacks(results).flatMap((attack) =>
    triedMechanisms(results).flatMap((mechanism) => {
      const levels = rocLevels(results, attack.name, mechanism.name);
      return levels.some(({ level }) => !isNoiseless(level)) ? [chartOf(results, attack, mechanism, levels)] : [];
    }),
  );

function chartOf(
  results: StudyResults,
  attack: AboutAttack,
  mechanism: AboutMechanism,
  levels: readonly RocLevel[],
): Chart {
  const spec = rocChart({
    title: `${capital(attack.label)}: ROC under ${mechanism.label}`,
    lines: linesOf(results, levels),
    members: Math.min(...levels.map(({ members }) => members)),
    others: Math.min(...levels.map(({ others }) => others)),
  });
  return {
    name: `roc-${attack.name}-${mechanism.name}`,
    kind: 'roc',
    attack: attack.name,
    svg: drawSvg(spec),
    csv: writeCsv(levels.flatMap((one) => rowsOf(results, attack.name, one))),
  };
}

/** Measured curves first, then what their guarantees allow. More noise has a stronger colour, no noise that of the text. */
function linesOf(results: StudyResults, levels: readonly RocLevel[]): RocLine[] {
  const noisy = levels.filter(({ level }) => !isNoiseless(level));
  const lookOf = ({ level }: RocLevel) => ({
    colour: styleOf(isNoiseless(level) ? undefined : placeOf(results, level.mechanism)).colour,
    opacity: isNoiseless(level) ? 1 : lightest + ((1 - lightest) * (1 + orderOf(level))) / noisy.length,
  });
  const orderOf = (level: RocLevel['level']) => noisy.findIndex((one) => one.level === level);
  return [
    ...levels.map((one) => ({ words: levelName(results, one.level), points: one.points, ...lookOf(one) })),
    ...levels.flatMap((one) =>
      one.bound ? [{ words: boundName(one.bound), points: one.bound.points, isBound: true, ...lookOf(one) }] : [],
    ),
  ];
}

const lightest = 0.2;

/** The points that were measured, and those of the guarantee with its ε and δ. */
const rowsOf = (results: StudyResults, attack: string, { level, points, bound }: RocLevel): CsvRow[] => [
  ...points.map((point) => ({
    ...levelColumns(results, level),
    attack,
    curve: 'measured',
    false_positive_rate: point.falsePositiveRate,
    true_positive_rate: point.truePositiveRate,
  })),
  ...(bound?.points ?? []).map((point) => ({
    ...levelColumns(results, level),
    attack,
    curve: 'guarantee',
    false_positive_rate: point.falsePositiveRate,
    true_positive_rate: point.truePositiveRate,
    epsilon: bound?.epsilon,
    delta: bound?.delta,
  })),
];
