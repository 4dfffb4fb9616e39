// The answer of the report, with its figures at a glance.

import {
  type CurveOutcome,
  type Gap,
  isWeak,
  type LevelGuarantee,
  type MechanismConclusions,
  reconstructionOutcome,
  resultsAt,
  type StudyResults,
} from '../../calibration/index.js';
import { answerOf } from '../answer/answer.js';
import { releaseTerms } from '../answer/release.js';
import { isOneLevel, writeFactor } from '../answer/utility.js';
import { writeInterval, writePercent } from '../numbers.js';
import { promiseOf } from '../plan-words.js';
import { capital, epsilonOf, guaranteeTerms, levelName, mechanismOf } from '../words.js';
import { type Html, html } from './html.js';
import { mechanismKey } from './mechanism-key.js';

export function answerSection(results: StudyResults): Html {
  const answer = answerOf(results);
  return html`<section id="answer">
<h2>What the figures show</h2>
${answer.lead.map((paragraph) => html`<p class="lead">${paragraph}</p>`)}
${results.conclusions.mechanisms.length > 0 ? glance(results) : undefined}
${headed('Why there is a gap', answer.why)}
${headed('What ε says', answer.epsilon)}
${headed('A δ too large', answer.delta)}
${headed('Which mechanism', answer.comparison)}
${answer.release === '' ? undefined : html`<p><b>Is it the noise, or the scaling?</b> ${releaseTerms} ${answer.release}</p>`}
${headed('Who was in the data', answer.membership)}
<p class="note">Attacks show what these attackers get, not what every attacker could: a better attack may need more noise. A level “stops” an attack if, there and at all levels with more noise, the attack gains at most a tenth of what it gains without noise, and from no single text more than half, unless its search failed in most texts: then a better search would find more; gains are counted above the floor, its score when there is nothing to find. “Utility falls” at the level from which on less than half is left of what training gained over always naming the most frequent class (${writePercent(results.data.majority)}). The “gap” is the levels in between.</p>
</section>`;
}

const headed = (head: string, text: string): Html | undefined =>
  text === '' ? undefined : html`<p><b>${head}.</b> ${text}</p>`;

const heads = ['reconstruction stops at', 'accuracy there', 'ε there', 'utility falls at', 'gap'] as const;

function glance(results: StudyResults): Html {
  return html`<div class="scroll" tabindex="0"><table class="glance">
<thead><tr><th scope="col"></th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${results.conclusions.mechanisms.map((one) => glanceRow(results, one))}</tbody>
</table></div>`;
}

function glanceRow(results: StudyResults, one: MechanismConclusions): Html {
  const { mechanism, reconstruction, utility, gap } = one;
  const at = reconstruction?.stopsAt && resultsAt(results, reconstruction.stopsAt);
  const [measured, guarantee] = [at?.utility, at && promiseOf(at)];
  const accuracy = measured?.accuracy;
  const none = reconstruction?.stopsAt && utility.kind === 'falls' ? 'none' : '–';
  return html`<tr><th scope="row">${mechanismKey(results, mechanism)}${capital(mechanismOf(results, mechanism).label)}</th>
${cell(0, placeName(results, reconstructionOutcome(one)))}
${cell(1, accuracy ? writePercent(accuracy.mean) : '–', accuracy && writeInterval(accuracy, writePercent))}
${cell(2, guarantee ? epsilonOf(guarantee) : '–', guarantee && termsOf(guarantee))}
${cell(3, placeName(results, utility))}
${cell(4, gap ? gapName(gap) : none)}</tr>`;
}

/** An ε that promises next to nothing says so beside its terms. */
const termsOf = (guarantee: LevelGuarantee): string =>
  `${isWeak(guarantee) ? 'no meaningful guarantee; ' : ''}${guaranteeTerms(guarantee)}`;

/** The level at which a curve falls. */
function placeName(results: StudyResults, outcome: CurveOutcome | undefined): string {
  if (outcome?.kind === 'falls') return levelName(results, outcome.at.level);
  return outcome?.kind === 'never falls' ? `not up to ${levelName(results, outcome.last.level)}` : '–';
}

const gapName = (gap: Gap): string => (isOneLevel(gap) ? 'one level' : `${gap.open ? '≥ ' : ''}× ${writeFactor(gap)}`);

/** On phones, where rows become cards, the style sheet shows the name of the column. */
const cell = (place: number, text: string, below?: string): Html =>
  html`<td data-name="${heads[place]}"><span>${text}</span>${below ? html`<small>${below}</small>` : undefined}</td>`;
