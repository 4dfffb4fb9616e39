// The charts with their captions.

import {
  type AboutAttack,
  type AboutMechanism,
  measuredAttacks,
  type StudyResults,
  triedMechanisms,
} from '../../calibration/index.js';
import type { Chart } from '../charts/charts.js';
import { capital, notesOf, symbolsOf } from '../words.js';
import { equalLeakageTables } from './equal-leakage-table.js';
import { type Html, html, trusted } from './html.js';
import { releaseFigures } from './release-figures.js';
import { rocFigures } from './roc-figures.js';

export function chartSections(results: StudyResults, charts: readonly Chart[]): Html {
  const utility = charts.filter(({ kind }) => kind === 'utility');
  const leakage = charts.filter(({ kind }) => kind === 'leakage');
  const cosine = charts.filter(({ kind }) => kind === 'cosine');
  const tradeOff = charts.filter(({ kind }) => kind === 'trade-off');
  const tried = triedMechanisms(results);
  // Without levels there is nothing to draw against.
  const untried = tried.length === 0;
  const note = (otherwise: string) =>
    html`<p class="note">${untried ? 'No noise was tried: the figures are under “Every level”.' : otherwise}</p>`;
  return html`<section id="charts">
<h2>Utility against noise</h2>
${utility.length > 0 ? utilityFigure(utility, tried) : note('Utility was not measured.')}
<h2>Leakage against noise</h2>
${leakage.length > 0 ? measuredAttacks(results).map((attack) => leakageFigure(results, attack, leakage)) : note('No attack has results.')}
${cosine.length > 0 ? cosineFigure(cosine, tried) : undefined}
${rocFigures(results, charts)}
<h2>Utility against leakage</h2>
${tradeOff.length > 0 ? tradeOffFigure(results, tradeOff, tried) : note('There is no level with both utility and leakage.')}
${releaseFigures(results, charts)}
</section>`;
}

const drawn = (charts: readonly Chart[]): Html[] =>
  charts.map(({ svg }) => html`<div class="panel">${trusted(svg)}</div>`);

const utilityFigure = (charts: readonly Chart[], tried: readonly AboutMechanism[]): Html => html`<figure>
<div class="panels">${drawn(charts)}</div>
<figcaption>Accuracy on test data against the noise in training: mean over seeds and 95 % interval. Dashed: always naming the most frequent class. ${directionNote(tried)} Shaded: the gap, the levels at which reconstruction is stopped and utility is kept.</figcaption>
</figure>`;

function directionNote(tried: readonly AboutMechanism[]): string {
  const where = tried.length === 1 ? '' : tried.length === 2 ? ' in both charts' : ' in all charts';
  const falling = tried
    .filter(({ moreNoise }) => moreNoise === 'lower')
    .map(({ symbol }) => `${symbol} falls to the right because less ${symbol} is more noise`);
  return `${[`Noise grows to the right${where}`, ...falling].join('; ')}.`;
}

const leakageFigure = (
  results: StudyResults,
  { name, label, measure, definition }: AboutAttack,
  charts: readonly Chart[],
): Html => html`<figure>
<div class="panels">${drawn(charts.filter((chart) => chart.attack === name))}</div>
<figcaption><b>${capital(label)}.</b> ${definition} ${measure.name}: ${measure.scale}. Dashed: the floor, the score when there is nothing to find (mean over levels). Bars: 95 % intervals.${notesOf(results, name).map((note) => html` <b>Limit:</b> ${note}`)}</figcaption>
</figure>`;

function cosineFigure(charts: readonly Chart[], tried: readonly AboutMechanism[]): Html {
  const common =
    tried.length > 1
      ? `: a scale that ${symbolsOf(tried)} have in common. Where the ${tried.length === 2 ? 'two ' : ''}lines lie together, the attack gets as much under each mechanism; where they do not, what it gets depends on more than how far the noise turns the gradient.`
      : '.';
  return html`<figure>
<div class="panels">${drawn(charts)}</div>
<figcaption><b>${tried.length > 1 ? 'On a common scale.' : 'Against the cosine.'}</b> The same leakage against the cosine between the shared and the true gradient (1 is the same direction), over the tensors that the attack reads${common}</figcaption>
</figure>`;
}

function tradeOffFigure(results: StudyResults, charts: readonly Chart[], tried: readonly AboutMechanism[]): Html {
  const better = `A mechanism whose line lies above ${tried.length > 2 ? 'another’s' : 'the other’s'} keeps more utility at equal leakage. `;
  return html`<figure>
<div class="panels">${drawn(charts)}${equalLeakageTables(results)}</div>
<figcaption>Each point is a noise level, labelled with its ${symbolsOf(tried, 'or')} where there is room; lines follow rising noise from the square. Top left is best: high accuracy, little leakage. ${tried.length > 1 ? better : ''}Dashed: the floor of the attack, and the accuracy of always naming the most frequent class where it is near. The vertical axis shows the range that was measured and does not begin at 0.</figcaption>
</figure>`;
}
