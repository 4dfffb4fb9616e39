// What noise does to the releases of training, on a scale that all mechanisms share: accuracy against the cosine between a release and
// its own sum before noise, and that cosine against each mechanism's noise, beside its prediction.

import {
  type AboutMechanism,
  isNoiseless,
  isOnCurve,
  noiseAmount,
  type StudyResults,
  triedMechanisms,
  utilityCurve,
} from '../../calibration/index.js';
import { canTellNoiseFromScaling } from '../answer/release.js';
import type { Chart } from './charts.js';
import { estimateColumns, levelColumns } from './columns.js';
import { type CosineAxis, cosineAxis } from './cosine-axis.js';
import { writeCsv } from './csv.js';
import { noiseAxis } from './noise-axis.js';
import { pairChart } from './pair-chart.js';
import { type PredictedPoint, predictedChart } from './predicted-chart.js';
import { closeUtilityMeasure } from './scale.js';
import { drawSvg } from './svg.js';

/** None where a study has no control that tells the noise from the scaling. */
export const releaseCharts = (results: StudyResults): Chart[] =>
  canTellNoiseFromScaling(results) ? [...accuracyChart(results), ...cosineCharts(results)] : [];

function accuracyChart(results: StudyResults): Chart[] {
  const points = results.levels.flatMap(({ level, utility }) =>
    utility?.cosineToSum && utility.cosineToSum.mean > 0
      ? [{ level, x: utility.cosineToSum, y: utility.accuracy }]
      : [],
  );
  if (points.length < 2) return [];
  const { majority } = results.data;
  const axis = cosineAxis(points.map(({ x }) => x.mean));
  const spec = pairChart({
    title: 'Accuracy against the cosine of releases',
    results,
    points: points.map((point) => ({ ...point, x: { ...point.x, lower: Math.max(point.x.lower, axis.domain[1]) } })),
    x: { ...axis, label: 'cosine to its own sum, more noise →' },
    y: {
      ...closeUtilityMeasure(triedMechanisms(results).map(({ name }) => utilityCurve(results, name))),
      floor: majority,
    },
  });
  const rows = points.map(({ level, x, y }) => ({
    ...levelColumns(results, level),
    ...estimateColumns('cosine_', x),
    ...estimateColumns('accuracy_', y),
    most_frequent_class: majority,
  }));
  return [{ name: 'release-accuracy', kind: 'release', svg: drawSvg(spec), csv: writeCsv(rows) }];
}

function cosineCharts(results: StudyResults): Chart[] {
  const curves = triedMechanisms(results)
    .map((mechanism) => ({ mechanism, points: pointsOf(results, mechanism) }))
    .filter(({ points }) => points.some(({ level }) => !isNoiseless(level)));
  const axis = cosineAxis(
    curves.flatMap(({ points }) => points.flatMap((one) => [one.value.mean, one.predicted ?? 1])),
  );
  return curves.map(({ mechanism, points }) => cosineChart(results, mechanism, points, axis));
}

const pointsOf = ({ levels, mechanisms }: StudyResults, { name }: AboutMechanism): PredictedPoint[] =>
  levels
    .flatMap(({ level, utility }): PredictedPoint[] => {
      if (!isOnCurve(level, name) || !utility?.cosineToSum) return [];
      const predicted = utility.expectedCosine?.mean;
      return [{ level, value: utility.cosineToSum, ...(predicted !== undefined && { predicted }) }];
    })
    .sort((a, b) => noiseAmount(mechanisms, a.level) - noiseAmount(mechanisms, b.level));

function cosineChart(
  results: StudyResults,
  mechanism: AboutMechanism,
  points: readonly PredictedPoint[],
  y: CosineAxis,
): Chart {
  const { name, label } = mechanism;
  const levels = points.map(({ level }) => level);
  const x = noiseAxis(levels, mechanism);
  const spec = predictedChart({ title: `Cosine against ${label}`, results, mechanism: name, points, x, y });
  const rows = points.map(({ level, value, predicted }) => ({
    ...levelColumns(results, level),
    ...estimateColumns('cosine_', value),
    predicted,
  }));
  return { name: `release-cosine-${name}`, kind: 'release-cosine', svg: drawSvg(spec), csv: writeCsv(rows) };
}
