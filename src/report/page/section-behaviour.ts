// How each attack answers to noise, with the verdict in words.

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
${behaviours.length > 0 ? table : html`<p class="note">There are too few levels or texts to say how attacks answer to noise.</p>`}
<p class="note">Spearman’s correlation of leakage with the amount of noise, with a 95 % bootstrap interval: −1 where leakage falls at every level. Only an attack that answers to noise can say how much of it is enough.</p>
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
      return 'leakage falls to the end of the grid, so this attack can rank its levels, but for those with equal leakage.';
    case 'bottoms out':
      return `leakage falls, and ${bottom ? `from ${levelName(results, bottom)} on` : 'then'} more noise makes no difference that this study can see: this attack cannot rank the levels beyond.`;
    case 'erratic':
      return 'leakage does not fall in order with noise: this attack does not tell which level is safer.';
    case 'flat':
      return 'leakage hardly moves over these levels (by less than .05, or within chance): this attack cannot rank them.';
  }
}
