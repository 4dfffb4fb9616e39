// Leakage against the cosine of what was shared, and utility against leakage: all mechanisms in one chart.

import {
  type AboutAttack,
  type Estimate,
  type LevelResults,
  leakageCurve,
  measuredAttacks,
  type StudyResults,
  triedMechanisms,
  utilityCurve,
} from '../../calibration/index.js';
import { writeCosine } from '../numbers.js';
import { capital } from '../words.js';
import type { Chart } from './charts.js';
import { estimateColumns, levelColumns } from './columns.js';
import { writeCsv } from './csv.js';
import { type PairPoint, pairChart } from './pair-chart.js';
import { closeUtilityMeasure, leakageMeasure } from './scale.js';
import { drawSvg } from './svg.js';

/** Leakage against the cosine, a scale that mechanisms share: over the tensors that the attack reads, or over all. */
export function cosineCharts(results: StudyResults): Chart[] {
  return measuredAttacks(results).flatMap((attack): Chart[] => {
    const points = pointsWith(results, ({ leakage: { [attack.name]: leak } }) => ({
      x: leak?.cosineRead ?? leak?.cosine,
      y: leak?.main,
    }));
    if (points.length < 2) return [];
    const leakage = leakageAxis(results, attack);
    const spec = pairChart({
      title: `${capital(attack.label)}: ${leakage.name} against cosine`,
      results,
      points,
      x: cosineAxis,
      y: leakage,
    });
    const rows = points.map(({ level, x, y }) => ({
      ...levelColumns(results, level),
      attack: attack.name,
      ...estimateColumns('cosine_', x),
      ...estimateColumns('leakage_', y),
      floor: leakage.floor,
    }));
    const name = `leakage-${attack.name}-cosine`;
    return [{ name, kind: 'cosine', attack: attack.name, svg: drawSvg(spec), csv: writeCsv(rows) }];
  });
}

/** From no noise at the left to pure noise at the right. */
const cosineAxis = {
  name: 'cosine',
  domain: [1.06, -0.06] as const,
  write: writeCosine,
  writeTick: (value: number) => `${Number(value.toPrecision(3))}`,
  label: 'cosine to the truth, more noise →',
};

export function tradeOffCharts(results: StudyResults): Chart[] {
  const { majority } = results.data;
  const utility = closeUtilityMeasure(triedMechanisms(results).map(({ name }) => utilityCurve(results, name)));
  // Models that an attack trains itself are not those whose utility is measured.
  const attacks = measuredAttacks(results).filter(({ ownModels }) => !ownModels);
  return attacks.flatMap((attack): Chart[] => {
    const points = pointsWith(results, ({ utility: found, leakage: { [attack.name]: leak } }) => ({
      x: leak?.main,
      y: found?.accuracy,
    }));
    if (points.length < 2) return [];
    const leakage = leakageAxis(results, attack);
    const spec = pairChart({
      title: `Accuracy against leakage: ${attack.label}`,
      results,
      points,
      x: { ...leakage, label: `${leakage.name}, more leaks →` },
      y: { ...utility, floor: majority },
      note: '↖ top left is best: useful, and little leaks',
    });
    const rows = points.map(({ level, x, y }) => ({
      ...levelColumns(results, level),
      attack: attack.name,
      ...estimateColumns('leakage_', x),
      floor: leakage.floor,
      ...estimateColumns('accuracy_', y),
      most_frequent_class: majority,
    }));
    const name = `trade-off-${attack.name}`;
    return [{ name, kind: 'trade-off', attack: attack.name, svg: drawSvg(spec), csv: writeCsv(rows) }];
  });
}

type Coordinates = { readonly [axis in 'x' | 'y']: Estimate | undefined };

/** The levels that have both values. */
const pointsWith = ({ levels }: StudyResults, read: (results: LevelResults) => Coordinates): PairPoint[] =>
  levels.flatMap((results) => {
    const { x, y } = read(results);
    return x && y && Number.isFinite(x.mean) && Number.isFinite(y.mean) ? [{ level: results.level, x, y }] : [];
  });

function leakageAxis(results: StudyResults, { name, measure }: AboutAttack) {
  const curves = triedMechanisms(results).map((mechanism) => leakageCurve(results, name, mechanism.name));
  return { ...leakageMeasure(measure, curves), floor: curves[0]?.floor ?? 0 };
}
