// Whether the probabilities that attacks state can be believed: the share of tokens that is right against their confidence, over all
// levels of a mechanism.

import {
  type AboutAttack,
  type AboutMechanism,
  measuredAttacks,
  pooledReliability,
  type StudyResults,
  triedMechanisms,
} from '../../calibration/index.js';
import { type ReliabilityShare, reliabilityShares } from '../../metrics/index.js';
import { writeScore } from '../numbers.js';
import { capital, placeOf, plural } from '../words.js';
import { noiseFrame, quiet, styleOf, titleStyle } from './chart-style.js';
import type { Chart } from './charts.js';
import { writeCsv } from './csv.js';
import { axisX, axisY, dot, gridY, line, type PlotOptions, ruleX, text } from './plot.js';
import { drawSvg } from './svg.js';

/** One chart per mechanism and attack whose confidence is a probability. */
export const reliabilityCharts = (results: StudyResults): Chart[] =>
  measuredAttacks(results).flatMap((attack) =>
    triedMechanisms(results).flatMap((mechanism) => {
      const bins = pooledReliability(results, attack.name, mechanism.name);
      const shares = bins ? reliabilityShares(bins) : [];
      return shares.length > 0 ? [chartOf(results, attack, mechanism, shares)] : [];
    }),
  );

function chartOf(
  results: StudyResults,
  attack: AboutAttack,
  mechanism: AboutMechanism,
  shares: readonly ReliabilityShare[],
): Chart {
  const title = `${capital(attack.label)}: tokens right under ${mechanism.label}`;
  const rows = shares.map(({ from, to, answers, right, confidence, share, lower, upper }) => ({
    mechanism: mechanism.name,
    attack: attack.name,
    confidence_from: from,
    confidence_to: to,
    tokens: answers,
    right,
    confidence_mean: confidence,
    share,
    lower,
    upper,
  }));
  return {
    name: `reliability-${attack.name}-${mechanism.name}`,
    kind: 'reliability',
    attack: attack.name,
    svg: drawSvg(reliabilityChart(title, shares, placeOf(results, mechanism.name))),
    csv: writeCsv(rows),
  };
}

const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];

function reliabilityChart(title: string, shares: readonly ReliabilityShare[], place: number | undefined): PlotOptions {
  const { colour, symbol } = styleOf(place);
  const marks = shares.map((one) => ({ ...one, title: nameOf(one) }));
  return {
    ...noiseFrame,
    ariaLabel: title,
    ariaDescription: marks.map((one) => one.title).join('; '),
    x: { domain: [0, 1], type: 'linear' },
    y: { domain: [0, 1], type: 'linear' },
    marks: [
      gridY({ ticks, strokeOpacity: 0.12 }),
      axisY({ ticks, tickSize: 0, label: null }),
      axisX({ ticks, label: 'mean confidence', labelAnchor: 'right', labelArrow: 'none' }),
      // Where confidence is true, points lie on this line.
      line(
        [
          [0, 0],
          [1, 1],
        ],
        { ...quiet, strokeDasharray: '4,4' },
      ),
      ruleX(marks, { x: 'confidence', y1: 'lower', y2: 'upper', strokeWidth: 1.5, stroke: colour }),
      dot(marks, { x: 'confidence', y: 'share', title: 'title', symbol, fill: colour, r: 5 }),
      text([title], { ...titleStyle, dx: -50, dy: -26 }),
    ],
  };
}

const nameOf = ({ from, to, answers, share, lower, upper }: ReliabilityShare): string =>
  `confidence ${from} to ${to}: ${writeScore(share)} of ${plural(answers, 'token')} right (${writeScore(lower)}–${writeScore(upper)})`;
