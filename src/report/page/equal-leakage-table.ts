// Utility read off the curves of two mechanisms at the same leakage: one table per pair.

import type { StudyResults, UtilityDifference } from '../../calibration/index.js';
import { comparisonsOf, type PairComparison } from '../answer/comparison.js';
import { writePercent, writePoints, writeScore } from '../numbers.js';
import { attackOf, differenceName } from '../words.js';
import { type Html, html } from './html.js';

export const equalLeakageTables = (results: StudyResults): Html[] =>
  comparisonsOf(results).map((pair) => tableOf(results, pair));

function tableOf(results: StudyResults, { mechanisms, compared }: PairComparison): Html {
  const names = mechanisms.map(({ name }) => name);
  return html`<div class="scroll" tabindex="0"><table class="compact tight">
<caption>Accuracy at equal leakage, read between levels. ✓ marks the mechanism that is clearly better. Interval: 95 %, ${differenceName(mechanisms)}, in points. The mean over the readings decides.</caption>
<thead><tr><th scope="col">attack</th><th scope="col">leakage</th>${mechanisms.map(({ short }) => html`<th scope="col">${short}</th>`)}<th scope="col">interval</th></tr></thead>
${compared.map(({ attack, readings, overall }) => {
  const { label } = attackOf(results, attack);
  return html`<tbody>${readings.map((reading) => row(label, writeScore(reading.leakage), reading, names))}${row(label, 'mean', overall, names)}</tbody>`;
})}</table></div>`;
}

function row(
  attack: string,
  at: string,
  { utilities, interval, winner }: UtilityDifference,
  names: readonly string[],
): Html {
  const range = interval ? `${writePoints(interval.lower)} to ${writePoints(interval.upper)}` : '–';
  const cells = utilities.map(
    (value, place) =>
      html`<td>${names[place] === winner ? html`<b>${writePercent(value)} ✓</b>` : writePercent(value)}</td>`,
  );
  return html`<tr><th scope="row">${attack}</th><td>${at}</td>${cells}<td>${range}</td></tr>`;
}
