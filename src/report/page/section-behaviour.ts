// How each attack responds to noise, with the verdict in words.

import type { Behaviour, StudyResults } from '../../calibration/index.js';
import { writeInterval, writeScore } from '../numbers.js';
import { attackOf, capital, levelName, mechanismOf } from '../words.js';
import { type Html, html } from './html.js';

export function behaviourSection(results: StudyResults): Html {
  const { behaviours } = results;
  const table = html`<div class="scroll" tabindex="0"><table class="compact prose">
<thead><tr><th scope="col">attack</th><th scope="col">mechanism</th><th scope="col">rank correlation with noise</th><th scope="col">verdict</th></tr></thead>
<tbody>${behaviours.map(
    (
      one,
    ) => html`<tr><th scope="row">${capital(attackOf(results, one.attack).label)}</th><td>${mechanismOf(results, one.mechanism).short}</td>
<td>${writeScore(one.correlation.mean)}${correlationRange(one)}</td>
<td><b>${one.verdict}</b>: ${explain(results, one)}</td></tr>`,
  )}</tbody></table></div>`;
  return html`<section id="behaviour">
<h2>How the attacks behave</h2>
${behaviours.length > 0 ? table : html`<p class="note">There are too few levels or texts to say how attacks respond to noise.</p>`}
<p class="note">Spearman’s rank correlation of leakage with the amount of noise, with a 95 % bootstrap interval: −1 where leakage falls at every level. Only an attack whose leakage falls as noise grows can say how much noise is enough.</p>
</section>`;
}

function correlationRange({ correlation }: Behaviour): Html | undefined {
  const { mean, lower, upper } = correlation;
  return lower === mean && upper === mean
    ? undefined
    : html`<small>${writeInterval({ ...correlation, values: [lower, upper] }, writeScore)}</small>`;
}

function explain(results: StudyResults, { verdict, bottom }: Behaviour): string {
  switch (verdict) {
    case 'well behaved':
      return 'leakage falls up to the most noise tried, so this attack can rank the levels, except those with equal leakage.';
    case 'bottoms out':
      return `leakage falls, and ${bottom ? `from ${levelName(results, bottom)} on` : 'then'} more noise makes no difference that this study can see: this attack cannot rank the levels after that.`;
    case 'erratic':
      return 'leakage does not fall steadily as noise grows: this attack cannot tell which level is safer.';
    case 'flat':
      return 'leakage hardly moves over these levels (by less than 0.05, or within chance): this attack cannot rank them.';
  }
}
