// All charts of a study: what they show as rows, and drawn.

import type { AttackName, Estimate, Level, StudyResults } from '../calibration/index.js';
import { type CsvRow, writeCsv } from './csv.js';
import { attacksOf, type Curve, leakageCurve, mechanismsOf, type Point, utilityCurve } from './curves.js';
import { fallsOf } from './falls.js';
import { noiseAxis } from './noise-axis.js';
import { noiseChart } from './noise-chart.js';
import { closeUtilityMeasure, leakageMeasure, type Measure, utilityMeasure } from './scale.js';
import { drawSvg } from './svg.js';
import { type TradeOffPoint, tradeOffChart } from './trade-off-chart.js';
import { attacks, capital, mechanisms, type NoisyMechanism } from './words.js';

export interface Chart {
  /** For its file. */
  readonly name: string;
  readonly kind: 'utility' | 'leakage' | 'trade-off';
  readonly attack?: AttackName;
  readonly svg: string;
  readonly csv: string;
}

export function chartsOf(results: StudyResults): Chart[] {
  return [...utilityCharts(results), ...leakageCharts(results), ...tradeOffCharts(results)];
}

const hasPoints = ({ noisy, clean }: Curve): boolean => noisy.length > 0 || clean !== undefined;

function utilityCharts(results: StudyResults): Chart[] {
  const curves = mechanismsOf(results).map((name) => utilityCurve(results, name));
  if (!curves.some(hasPoints)) return [];
  const measure = utilityMeasure(curves);
  return curves.map((curve) => againstNoise(results, curve, measure, { name: 'utility', kind: 'utility' }));
}

function leakageCharts(results: StudyResults): Chart[] {
  return attacksOf(results).flatMap((attack) => {
    const curves = mechanismsOf(results).map((name) => leakageCurve(results, attack, name));
    const measure = leakageMeasure(attacks[attack].measure, curves);
    return curves
      .filter(hasPoints)
      .map((curve) => againstNoise(results, curve, measure, { name: `leakage-${attack}`, kind: 'leakage', attack }));
  });
}

function againstNoise(
  results: StudyResults,
  curve: Curve,
  measure: Measure,
  head: { readonly name: string; readonly kind: Chart['kind']; readonly attack?: AttackName },
): Chart {
  const { mechanism, clean, noisy, floor } = curve;
  const { gap } = fallsOf(results, mechanism);
  const levels = results.levels.map(({ level }) => level).filter((level) => level.mechanism === mechanism);
  const what =
    head.attack === undefined ? capital(measure.name) : `${capital(attacks[head.attack].name)}: ${measure.name}`;
  const spec = noiseChart({
    title: `${what} against ${mechanisms[mechanism].name}`,
    curve,
    measure,
    axis: noiseAxis(levels, mechanism),
    ...(gap && { gap }),
  });
  const rows = [...(clean ? [clean] : []), ...noisy].map(({ level, value }: Point) => ({
    ...levelColumns(level, mechanism),
    measure: measure.name,
    ...(head.attack && { attack: head.attack }),
    ...estimateColumns('', value),
    floor,
  }));
  return { ...head, name: `${head.name}-${mechanism}`, svg: drawSvg(spec), csv: writeCsv(rows) };
}

function tradeOffCharts(results: StudyResults): Chart[] {
  const names = mechanismsOf(results);
  const utility = closeUtilityMeasure(names.map((name) => utilityCurve(results, name)));
  return attacksOf(results).flatMap((attack) => {
    const points = results.levels.flatMap(({ level, utility: found, leakage: { [attack]: leak } }): TradeOffPoint[] =>
      found && leak && Number.isFinite(leak.main.mean) && Number.isFinite(found.accuracy.mean)
        ? [{ level, leakage: leak.main, utility: found.accuracy }]
        : [],
    );
    if (points.length < 2) return [];
    const curves = names.map((name) => leakageCurve(results, attack, name));
    const { measure, name } = attacks[attack];
    const floor = curves[0]?.floor ?? 0;
    const spec = tradeOffChart({
      title: `Accuracy against leakage: ${name}`,
      mechanisms: names,
      points,
      utility,
      leakage: leakageMeasure(measure, curves),
      floor,
      majority: results.data.majority,
    });
    const rows = points.map(({ level, leakage, utility: value }) => ({
      ...levelColumns(level),
      attack,
      ...estimateColumns('leakage_', leakage),
      floor,
      ...estimateColumns('accuracy_', value),
      most_frequent_class: results.data.majority,
    }));
    return [{ name: `trade-off-${attack}`, kind: 'trade-off', attack, svg: drawSvg(spec), csv: writeCsv(rows) }];
  });
}

/** No noise stands in the charts of every mechanism. */
const levelColumns = (level: Level, mechanism?: NoisyMechanism): CsvRow => ({
  mechanism: level.mechanism,
  parameter:
    level.mechanism === 'none' ? (mechanism ? '' : undefined) : level.mechanism === 'gaussian' ? 'sigma' : 'kappa',
  noise: level.noise,
});

const estimateColumns = (prefix: string, { mean, lower, upper, values }: Estimate): CsvRow => ({
  [`${prefix}mean`]: mean,
  [`${prefix}lower`]: lower,
  [`${prefix}upper`]: upper,
  [`${prefix}count`]: values.length,
});
