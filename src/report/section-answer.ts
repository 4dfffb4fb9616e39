// The top of the report: what the study is about, the answer, and the answer's figures at a glance.

import type { StudyResults } from '../calibration/index.js';
import { answerOf } from './answer.js';
import { mechanismsOf } from './curves.js';
import { type Falls, fallsOf } from './falls.js';
import { type Html, html } from './html.js';
import { writeInterval, writeNumber, writePercent } from './number.js';
import { capital, epsilonOf, guaranteeTerms, levelName, mechanisms } from './words.js';

export function answerSection(results: StudyResults): Html {
  const answer = answerOf(results);
  const falls = mechanismsOf(results).map((name) => fallsOf(results, name));
  return html`<section id="answer">
<h2>The answer</h2>
${answer.lead.map((paragraph) => html`<p class="lead">${paragraph}</p>`)}
${falls.length > 0 ? glance(results, falls) : undefined}
${headed('Why so far apart', answer.why)}
${headed('What ε says', answer.epsilon)}
${headed('A δ too large', answer.delta)}
${headed('Which mechanism', answer.comparison)}
${headed('Who was in the data', answer.membership)}
<p class="note">Attacks show what these attackers get, not what every attacker could: a better attack may need more noise. “Stops” means a tenth or less of what the attack gets without noise, counted from its floor, and no single text of which more than half comes back, at this level and all with more noise. “Utility falls” where half of what training gained over always naming the most frequent class (${writePercent(results.data.majority)}) is lost.</p>
</section>`;
}

const headed = (head: string, text: string): Html | undefined =>
  text === '' ? undefined : html`<p><b>${head}.</b> ${text}</p>`;

const heads = ['reconstruction stops at', 'accuracy there', 'ε there', 'utility falls at', 'gap'] as const;

function glance(results: StudyResults, falls: readonly Falls[]): Html {
  return html`<div class="scroll" tabindex="0"><table class="glance">
<thead><tr><th scope="col"></th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${falls.map((one) => glanceRow(results, one))}</tbody>
</table></div>`;
}

function glanceRow({ levels }: StudyResults, { mechanism, stop, utility, gap }: Falls): Html {
  const at = stop?.kind === 'falls' ? levels.find(({ level }) => level === stop.at.level) : undefined;
  const accuracy = at?.utility?.accuracy;
  const guarantee = at?.guarantee;
  const stopped =
    stop === undefined
      ? '–'
      : stop.kind === 'never'
        ? `not up to ${levelName(stop.last.level)}`
        : levelName(stop.at.level);
  const fallen =
    utility.kind === 'falls'
      ? levelName(utility.at.level)
      : utility.kind === 'never'
        ? `not up to ${levelName(utility.last.level)}`
        : '–';
  const factor =
    gap &&
    (gap.factor < 1.01
      ? 'one level'
      : `${gap.open ? '≥ ' : ''}× ${writeNumber(gap.factor, 2, gap.open ? 'down' : 'near')}`);
  return html`<tr><th scope="row"><span class="key ${mechanism}"></span>${capital(mechanisms[mechanism].name)}</th>
${cell(0, stopped)}
${cell(1, accuracy ? writePercent(accuracy.mean) : '–', accuracy && writeInterval(accuracy, writePercent))}
${cell(2, guarantee ? epsilonOf(guarantee) : '–', guarantee && guaranteeTerms(guarantee))}
${cell(3, fallen)}
${cell(4, factor ?? (stop?.kind === 'falls' && utility.kind === 'falls' ? 'none' : '–'))}</tr>`;
}

/** The name is shown where a phone turns rows into cards. */
const cell = (place: number, text: string, below?: string): Html =>
  html`<td data-name="${heads[place]}"><span>${text}</span>${below ? html`<small>${below}</small>` : undefined}</td>`;
