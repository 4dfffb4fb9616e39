// What is promised, what is not, and which trials failed or are missing.

import { type AboutMechanism, recoversText, type StudyResults, triedMechanisms } from '../../calibration/index.js';
import { capital, levelName, plural } from '../words.js';
import { type Html, html } from './html.js';

/** A banner for an unfinished study, whose figures may change. */
export function unfinishedNote({ failures, missing }: StudyResults): Html | undefined {
  if (failures.length === 0 && missing === 0) return undefined;
  const parts = [
    ...(missing > 0 ? [`${plural(missing, 'trial')} still to be run`] : []),
    ...(failures.length > 0 ? [`${plural(failures.length, 'trial')} failed`] : []),
  ];
  return html`<p class="banner" role="note"><b>Unfinished.</b> ${capital(parts.join(', '))}: see <a href="#failures">what is missing</a>.</p>`;
}

export function privacySection(results: StudyResults): Html {
  const attackers = results.attacks.filter(recoversText).map(({ label }) => label);
  return html`<section id="privacy">
<h2>What is promised, and what is not</h2>
<p><b>The models of this study are not for release.</b> The noise came from seeds, so that the study can be repeated; whoever knows the seeds can remove the noise. The statements say what would hold for training with secret noise (<code>epsilens train</code> draws it from the operating system).</p>
<p>The figures of this report, utility included, and the texts in it were computed from the data without protection. No ε here covers the choice of a noise level by them.</p>
${tuningNote(results)}
<p>Every ε here is for training. What a client shares in one round with a server that attacks it${attackers.length > 0 ? ` (${attackers.join(', ')})` : ''} is a separate release, without sampling and of other parameters: no ε is stated for it.</p>
${triedMechanisms(results).map((mechanism) => statement(results, mechanism))}
</section>`;
}

/** Whether the runs that were tried count; the statements say how many there were. */
function tuningNote({ study }: StudyResults): Html | undefined {
  const { tuning } = study.training;
  if (tuning === undefined) return undefined;
  const runs = 'runs that were tried to choose the settings of training';
  return tuning.accounted
    ? html`<p>The ε of each level counts the ${runs}, wherever they were tried, as well as the one that was kept, with the most epochs that could have been chosen. Not covered are the validation examples, which chose among the runs without noise.</p>`
    : html`<p><b>Tuning is not accounted.</b> The ${runs} read the same data and cost privacy too; no ε here counts them, nor the validation examples, which chose among the runs without noise.</p>`;
}

/** Sentences that hold at all levels are printed once, the others level by level. */
function statement(results: StudyResults, { name, label }: AboutMechanism): Html | undefined {
  const own = results.levels.flatMap(({ level, guarantee }) =>
    level.mechanism === name && guarantee ? [{ level, sentences: guarantee.statement }] : [],
  );
  const [first, ...others] = own;
  if (!first) return html`<h3>${capital(label)}</h3><p class="note">No guarantee was computed.</p>`;
  const everywhere = first.sentences.filter((sentence) =>
    others.every(({ sentences }) => sentences.includes(sentence)),
  );
  return html`<h3>${capital(label)}</h3>
<dl class="statements">${own.map(({ level, sentences }) => {
    const only = sentences.filter((sentence) => !everywhere.includes(sentence));
    return only.length > 0 ? html`<dt>${levelName(results, level)}</dt><dd>${only.join(' ')}</dd>` : undefined;
  })}${everywhere.length > 0 ? html`<dt>${own.length > 1 ? 'all levels' : ''}</dt><dd><ul>${everywhere.map(sentenceItem)}</ul></dd>` : undefined}</dl>`;
}

/** What is not covered is set in bold. */
function sentenceItem(sentence: string): Html {
  const [head, ...rest] = sentence.split(': ');
  return head === 'Not covered' ? html`<li><b>Not covered:</b> ${rest.join(': ')}</li>` : html`<li>${sentence}</li>`;
}

export function failureSection({ failures, missing }: StudyResults): Html | undefined {
  if (failures.length === 0 && missing === 0) return undefined;
  return html`<section id="failures">
<h2>What is missing</h2>
${missing > 0 ? html`<p>${plural(missing, 'trial')} ${missing === 1 ? 'is' : 'are'} still to be run: figures may change when the study is resumed.</p>` : undefined}
${
  failures.length > 0
    ? html`<p>${plural(failures.length, 'trial')} failed; ${failures.length === 1 ? 'its level or seed is' : 'their levels or seeds are'} missing above.</p>
<div class="scroll" tabindex="0"><table class="compact prose"><thead><tr><th scope="col">trial</th><th scope="col">what</th><th scope="col">error</th></tr></thead>
<tbody>${failures.map(({ trial, what, error }) => html`<tr><th scope="row"><code>${trial.slice(0, 12)}</code></th><td>${what}</td><td>${error}</td></tr>`)}</tbody></table></div>`
    : undefined
}
</section>`;
}
