// The first page of the report, in words without symbols.

import type { StudyResults } from '../../calibration/index.js';
import { type SituationSummary, summaryOf } from '../answer/summary.js';
import { type Html, html } from './html.js';

export function summarySection(results: StudyResults): Html {
  const { trained, cost, situations, missing } = summaryOf(results);
  return html`<section id="summary">
<h2>In short</h2>
<p class="lead">${trained}</p>
<p class="lead">${cost}</p>
${situations.length === 0 ? html`<p>No attack has results yet, so nothing can be said about what others could learn.</p>` : undefined}
${situations.map(situation)}
${missing === '' ? undefined : html`<p><b>Not measured.</b> ${missing}</p>`}
<p class="note">A privacy budget (epsilon) bounds what <em>any</em> attacker can learn about one text: the smaller, the stronger. Up to about 1 is strong, 8 is common in practice, and from 50 on it promises next to nothing. Noise is random numbers that are added so that single texts no longer show. The evidence for every sentence follows below.</p>
</section>`;
}

const situation = ({
  heading,
  who,
  found,
  advice,
  assumptions,
}: SituationSummary): Html => html`<article class="situation">
<h3>${heading}</h3>
<p>${who}</p>
<ul>${found.map((sentence) => html`<li>${sentence}</li>`)}</ul>
<p><b>What to do.</b> ${advice}</p>
<p class="note"><b>This assumes:</b> ${assumptions.join(' ')}</p>
</article>`;
