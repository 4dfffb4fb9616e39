// All charts of a study: what they show as rows, and drawn.

import type { AttackName, Estimate, Level, StudyResults } from '../calibration/index.js';
import { type CsvRow, writeCsv } from './csv.js';
import { attacksOf, type Curve, leakageCurve, mechanismsOf, type Point, utilityCurve } from './curves.js';
import { fallsOf } from './falls.js';
import { noiseAxis } from './noise-axis.js';
import { noiseChart } from './noise-chart.js';
import { writeCosine } from './number.js';
import { type PairPoint, pairChart } from './pair-chart.js';
import { closeUtilityMeasure, leakageMeasure, type Measure, utilityMeasure } from './scale.js';
import { drawSvg } from './svg.js';
import { attacks, capital, mechanisms, type NoisyMechanism } from './words.js';

export interface Chart {
  /** For its file. */
  readonly name: string;
  readonly kind: 'utility' | 'leakage' | 'cosine' | 'trade-off';
  readonly attack?: AttackName;
  readonly svg: string;
  readonly csv: string;
}

export function chartsOf(results: StudyResults): Chart[] {
  return [...utilityCharts(results), ...leakageCharts(results), ...cosineCharts(results), ...tradeOffCharts(results)];
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

/** The cosine is a scale that σ and κ have in common: of the tensors that the attack reads, or of all. */
function cosineCharts(results: StudyResults): Chart[] {
  return attacksOf(results).flatMap((attack) => {
    const points = results.levels.flatMap(({ level, leakage: { [attack]: leak } }): PairPoint[] => {
      const x = leak?.cosineRead ?? leak?.cosine;
      return leak && x && isMeasured(leak.main) && isMeasured(x) ? [{ level, x, y: leak.main }] : [];
    });
    if (points.length < 2) return [];
    const { curves, floor, measure, names } = leakageOf(results, attack);
    const spec = pairChart({
      title: `${capital(attacks[attack].name)}: ${measure} against cosine`,
      mechanisms: names,
      points,
      x: cosineAxis,
      y: { ...leakageMeasure(measure, curves), floor },
    });
    const rows = points.map(({ level, x, y }) => ({
      ...levelColumns(level),
      attack,
      ...estimateColumns('cosine_', x),
      ...estimateColumns('leakage_', y),
      floor,
    }));
    return [{ name: `leakage-${attack}-cosine`, kind: 'cosine', attack, svg: drawSvg(spec), csv: writeCsv(rows) }];
  });
}

/** From no noise at the left to nothing but noise. */
const cosineAxis = {
  name: 'cosine',
  domain: [1.06, -0.06] as const,
  write: writeCosine,
  writeTick: (value: number) => `${Number(value.toPrecision(3))}`,
  label: 'cosine to the truth, more noise →',
};

function tradeOffCharts(results: StudyResults): Chart[] {
  const { majority } = results.data;
  const utility = closeUtilityMeasure(mechanismsOf(results).map((name) => utilityCurve(results, name)));
  return attacksOf(results).flatMap((attack) => {
    const points = results.levels.flatMap(({ level, utility: found, leakage: { [attack]: leak } }): PairPoint[] =>
      found && leak && isMeasured(leak.main) && isMeasured(found.accuracy)
        ? [{ level, x: leak.main, y: found.accuracy }]
        : [],
    );
    if (points.length < 2) return [];
    const { curves, floor, measure, names } = leakageOf(results, attack);
    const spec = pairChart({
      title: `Accuracy against leakage: ${attacks[attack].name}`,
      mechanisms: names,
      points,
      x: { ...leakageMeasure(measure, curves), floor, label: `${measure}, more leaks →` },
      y: { ...utility, floor: majority },
      note: '↖ top left is best: useful, and little leaks',
    });
    const rows = points.map(({ level, x, y }) => ({
      ...levelColumns(level),
      attack,
      ...estimateColumns('leakage_', x),
      floor,
      ...estimateColumns('accuracy_', y),
      most_frequent_class: majority,
    }));
    return [{ name: `trade-off-${attack}`, kind: 'trade-off', attack, svg: drawSvg(spec), csv: writeCsv(rows) }];
  });
}

const isMeasured = ({ mean }: Estimate): boolean => Number.isFinite(mean);

function leakageOf(results: StudyResults, attack: AttackName) {
  const names = mechanismsOf(results);
  const curves = names.map((name) => leakageCurve(results, attack, name));
  return { names, curves, floor: curves[0]?.floor ?? 0, measure: attacks[attack].measure };
}

/** No noise stands in the charts of every mechanism. */
const levelColumns = (level: Level, mechanism?: NoisyMechanism): CsvRow => ({
  mechanism: level.mechanism,
  parameter:
    level.mechanism === 'none' ? (mechanism ? '' : undefined) : level.mechanism === 'gaussian' ? 'sigma' : 'kappa',
  noise: level.parameter,
});

const estimateColumns = (prefix: string, { mean, lower, upper, values }: Estimate): CsvRow => ({
  [`${prefix}mean`]: mean,
  [`${prefix}lower`]: lower,
  [`${prefix}upper`]: upper,
  [`${prefix}count`]: values.length,
});
