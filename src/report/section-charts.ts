// The charts with their captions.

import type { AttackName, StudyResults, UtilityDifference } from '../calibration/index.js';
import type { Chart } from './charts.js';
import { comparisonsOf } from './compared.js';
import { attacksOf, mechanismsOf } from './curves.js';
import { type Html, html, trusted } from './html.js';
import { writePercent, writePoints, writeScore } from './number.js';
import { attacks, capital, type NoisyMechanism } from './words.js';

export function chartSections(results: StudyResults, charts: readonly Chart[]): Html {
  const utility = charts.filter(({ kind }) => kind === 'utility');
  const leakage = charts.filter(({ kind }) => kind === 'leakage');
  const cosine = charts.filter(({ kind }) => kind === 'cosine');
  const tradeOff = charts.filter(({ kind }) => kind === 'trade-off');
  // Without levels there is nothing to draw against.
  const untried = mechanismsOf(results).length === 0;
  const note = (otherwise: string) =>
    html`<p class="note">${untried ? 'No noise was tried: the figures are under “Every level”.' : otherwise}</p>`;
  return html`<section id="charts">
<h2>Utility against noise</h2>
${utility.length > 0 ? utilityFigure(utility) : note('Utility was not measured.')}
<h2>Leakage against noise</h2>
${leakage.length > 0 ? attacksOf(results).map((attack) => leakageFigure(attack, leakage)) : note('No attack has results.')}
${cosine.length > 0 ? cosineFigure(cosine) : undefined}
<h2>Utility against leakage</h2>
${tradeOff.length > 0 ? tradeOffFigure(results, tradeOff) : note('There is no level with both utility and leakage.')}
</section>`;
}

const drawn = (charts: readonly Chart[]): Html[] =>
  charts.map(({ svg }) => html`<div class="panel">${trusted(svg)}</div>`);

const utilityFigure = (charts: readonly Chart[]): Html => html`<figure>
<div class="panels">${drawn(charts)}</div>
<figcaption>Accuracy on test data with the noise in training: mean over seeds and 95 % interval. Dashed: always naming the most frequent class. Noise grows to the right in both charts; κ falls to the right because less κ is more noise. Shaded: the gap, where reconstruction is stopped and utility kept.</figcaption>
</figure>`;

function leakageFigure(attack: AttackName, charts: readonly Chart[]): Html {
  const { name, measure, definition, reconstructs } = attacks[attack];
  const scale = reconstructs ? '1 is every word in order' : '1 is certainty, 0.5 guessing';
  return html`<figure>
<div class="panels">${drawn(charts.filter((chart) => chart.attack === attack))}</div>
<figcaption><b>${capital(name)}.</b> ${definition} ${measure}: ${scale}. Dashed: the floor, what the attack scores when there is nothing to find (mean over levels). Bars: 95 % intervals.</figcaption>
</figure>`;
}

const cosineFigure = (charts: readonly Chart[]): Html => html`<figure>
<div class="panels">${drawn(charts)}</div>
<figcaption><b>On a common scale.</b> The same leakage against the cosine of what was shared to the true gradient, of the tensors the attack reads: a scale that σ and κ have in common. Where the two lines lie together, the attack sees no difference between the mechanisms; where they do not, it answers to more than the angle.</figcaption>
</figure>`;

function tradeOffFigure(results: StudyResults, charts: readonly Chart[]): Html {
  return html`<figure>
<div class="panels">${drawn(charts)}${equalLeakageTable(results)}</div>
<figcaption>Each point is a noise level, labelled with its σ or κ where there is room; lines follow rising noise from the square. Top left is best: high accuracy, little leakage. A mechanism whose line lies above the other’s keeps more utility at equal leakage. Dashed: the floor of the attack, and the most frequent class where it is near. The vertical axis shows what was measured, not all from 0.</figcaption>
</figure>`;
}

/** Utility read off both curves at the same leakage. */
function equalLeakageTable(results: StudyResults): Html | undefined {
  const equalLeakage = comparisonsOf(results);
  if (equalLeakage.length === 0) return undefined;
  const row = (
    attack: AttackName,
    at: string,
    { gaussian, directional, interval, winner }: UtilityDifference,
  ): Html => {
    const cell = (name: NoisyMechanism, value: number): Html =>
      html`<td>${name === winner ? html`<b>${writePercent(value)} ✓</b>` : writePercent(value)}</td>`;
    const range = interval ? `${writePoints(interval.lower)} to ${writePoints(interval.upper)}` : '–';
    return html`<tr><th scope="row">${attacks[attack].name}</th><td>${at}</td>${cell('gaussian', gaussian)}${cell('directional', directional)}<td>${range}</td></tr>`;
  };
  return html`<div class="scroll" tabindex="0"><table class="compact tight">
<caption>Accuracy at equal leakage, read between levels. ✓ is clearly better. Interval: 95 %, directional minus Gaussian, in points. The mean over the readings decides.</caption>
<thead><tr><th scope="col">attack</th><th scope="col">leakage</th><th scope="col">Gaussian</th><th scope="col">directional</th><th scope="col">interval</th></tr></thead>
${equalLeakage.map(
  ({ attack, readings, overall }) =>
    html`<tbody>${readings.map((reading) => row(attack, writeScore(reading.leakage), reading))}${row(attack, 'mean', overall)}</tbody>`,
)}</table></div>`;
}
