// Utility and leakage against noise: one chart per mechanism, all with the same vertical axis.

import {
  type AboutAttack,
  type Curve,
  leakageCurve,
  measuredAttacks,
  pointsOf,
  type StudyResults,
  triedMechanisms,
  utilityCurve,
} from '../../calibration/index.js';
import { capital, mechanismOf } from '../words.js';
import type { Chart } from './charts.js';
import { estimateColumns, levelColumns } from './columns.js';
import { writeCsv } from './csv.js';
import { noiseAxis } from './noise-axis.js';
import { noiseChart } from './noise-chart.js';
import { leakageMeasure, type Measure, utilityMeasure } from './scale.js';
import { drawSvg } from './svg.js';

const hasPoints = (curve: Curve): boolean => pointsOf(curve).length > 0;

export function utilityCharts(results: StudyResults): Chart[] {
  const curves = triedMechanisms(results).map(({ name }) => utilityCurve(results, name));
  if (!curves.some(hasPoints)) return [];
  const measure = utilityMeasure(curves);
  return curves.map((curve) => againstNoise(results, curve, measure));
}

export function leakageCharts(results: StudyResults): Chart[] {
  return measuredAttacks(results).flatMap((attack) => {
    const curves = triedMechanisms(results).map(({ name }) => leakageCurve(results, attack.name, name));
    const measure = leakageMeasure(attack.measure, curves);
    return curves.filter(hasPoints).map((curve) => againstNoise(results, curve, measure, attack));
  });
}

/** Draws leakage by an attack, or utility where none is given. */
function againstNoise(results: StudyResults, curve: Curve, measure: Measure, attack?: AboutAttack): Chart {
  const { mechanism, floor } = curve;
  const about = mechanismOf(results, mechanism);
  const { gap } = results.conclusions.mechanisms.find((one) => one.mechanism === mechanism) ?? {};
  const levels = results.levels.map(({ level }) => level).filter((level) => level.mechanism === mechanism);
  const what = attack ? `${capital(attack.label)}: ${measure.name}` : capital(measure.name);
  const spec = noiseChart({
    title: `${what} against ${about.label}`,
    results,
    curve,
    measure,
    axis: noiseAxis(levels, about),
    ...(gap && { gap }),
  });
  const rows = pointsOf(curve).map(({ level, value }) => ({
    ...levelColumns(results, level),
    measure: measure.name,
    ...(attack && { attack: attack.name }),
    ...estimateColumns('', value),
    floor,
  }));
  return {
    name: `${attack ? `leakage-${attack.name}` : 'utility'}-${mechanism}`,
    kind: attack ? 'leakage' : 'utility',
    ...(attack && { attack: attack.name }),
    svg: drawSvg(spec),
    csv: writeCsv(rows),
  };
}
