// Figures that tell the noise from the scaling: utility and noise against the cosine of what training releases, with captions, and how
// much noise training gets where a shared gradient is protected equally.

import { isNoiseless, type NoiseRatio, type StudyResults, triedMechanisms } from '../../calibration/index.js';
import type { Chart } from '../charts/charts.js';
import { typesetNumber, writeCosine, writeCount, writeInterval } from '../numbers.js';
import { levelName, mechanismOf, symbolsOf } from '../words.js';
import { type Html, html, trusted } from './html.js';

const drawn = (charts: readonly Chart[]): Html[] =>
  charts.map(({ svg }) => html`<div class="panel">${trusted(svg)}</div>`);

/** Nothing where no chart could be drawn. */
export function releaseFigures(results: StudyResults, charts: readonly Chart[]): Html | undefined {
  const [accuracy, cosine] = (['release', 'release-cosine'] as const).map((kind) =>
    charts.filter((chart) => chart.kind === kind),
  ) as [Chart[], Chart[]];
  if (accuracy.length + cosine.length === 0) return undefined;
  return html`<h2>Is it the noise, or the scaling?</h2>
${accuracy.length > 0 ? accuracyFigure(results, accuracy) : undefined}
${cosine.length > 0 ? cosineFigure(results, cosine) : undefined}
${results.noiseRatios.map((ratio) => ratioTable(results, ratio))}`;
}

function accuracyFigure(results: StudyResults, charts: readonly Chart[]): Html {
  const isLost = results.levels.some(({ utility }) => (utility?.cosineToSum?.mean ?? 1) <= 0);
  return html`<figure>
<div class="panels">${drawn(charts)}</div>
<figcaption>Accuracy on test data against the cosine between what a training step releases and its own sum before noise, mean over the steps, on a logarithmic axis that falls to the right. Each point is a noise level, labelled with its ${symbolsOf(triedMechanisms(results), 'or')} where there is room; lines follow rising noise from the square from which the mechanism begins. Bars: 95 % intervals. Lines of mechanisms that begin at the same square differ only in their noise: where they lie together, no difference between the kinds of noise can be seen. What separates lines from different squares, beyond the bars, is due to clipping long gradients against scaling every gradient.${isLost ? ' Levels whose mean cosine is 0 or below are left out: noise leaves nothing of the sum there.' : ''}</figcaption>
</figure>`;
}

function cosineFigure({ levels }: StudyResults, charts: readonly Chart[]): Html {
  const isPredicted = levels.some(({ level, utility }) => !isNoiseless(level) && utility?.expectedCosine !== undefined);
  return html`<figure>
<div class="panels">${drawn(charts)}</div>
<figcaption>The same cosine against the noise of each mechanism, on logarithmic axes. Points: measured, with 95 % intervals over seeds. ${isPredicted ? 'Lines: predicted at each level from the size of the noise and the length of the sums, where there is a formula.' : 'It was not predicted in this study.'}</figcaption>
</figure>`;
}

function ratioTable(results: StudyResults, { mechanisms, batchSize, readings }: NoiseRatio): Html {
  const [first, second] = mechanisms.map((name) => mechanismOf(results, name).label) as [string, string];
  return html`<div class="scroll" tabindex="0"><table class="compact tight">
<caption>Noise on training where one shared gradient keeps the same cosine: ${second} over ${first}</caption>
<thead><tr><th scope="col">level</th><th scope="col">cosine of the shared gradient</th><th scope="col">predicted ratio</th><th scope="col">measured ratio</th></tr></thead>
<tbody>${readings.map(({ level, cosine, predicted, measured }) => {
    const range = writeInterval(measured, ratioText);
    return html`<tr><th scope="row">${levelName(results, level)}</th><td>${writeCosine(cosine)}</td><td>${ratioText(predicted)}</td><td>${ratioText(measured.mean)}${range ? html` <small class="inline">${range}</small>` : undefined}</td></tr>`;
  })}</tbody></table></div>
<p class="note">The ratio is between variances of the noise relative to the signal. Where it is above 1, ${second} puts more noise on training than ${first} although a shared gradient leaks equally. Noise once per batch against once per example makes such a ratio (batches have ${writeCount(batchSize)} examples), and so does sharing more numbers than are trained. The prediction assumes gradients as long as the clip norm, many numbers (large K), and sums of equal length. Measured ratios are read between levels of ${first}, with 95 % intervals over seeds.</p>`;
}

const ratioText = (value: number): string => typesetNumber(value, 3);
