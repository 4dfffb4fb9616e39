// What is promised, what is not, and which trials failed or are missing.

import { type AboutMechanism, recoversText, type StudyResults, triedMechanisms } from '../../calibration/index.js';
import { hasPlan } from '../plan-words.js';
import { capital, epsilonOf, guaranteeTerms, levelName, plural } from '../words.js';
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
<p>Every ε of a level is for training. What a client shares in one round with a server that attacks it${attackers.length > 0 ? ` (${attackers.join(', ')})` : ''} is a separate release, without sampling and of other parameters, with an ε of its own:</p>
${sharedTable(results)}
${planNote(results)}
${triedMechanisms(results).map((mechanism) => statements(results, mechanism))}
</section>`;
}

/** Which of two guarantees is about what. */
const planNote = (results: StudyResults): Html | undefined =>
  hasPlan(results)
    ? html`<p>There are two promises per level. That of the <b>planned training</b> is about the model which that training will give. That of the <b>attacked models</b> is about the models of this study, and attacks on them are held against it.</p>`
    : undefined;

/** The statements of a mechanism: those of the attacked models, and before them those of the training that the study stands for. */
function statements(results: StudyResults, mechanism: AboutMechanism): readonly (Html | undefined)[] {
  const { label } = mechanism;
  if (!hasPlan(results)) return [statement(results, mechanism, label, 'guarantee')];
  return [
    statement(results, mechanism, `${label}, planned training`, 'planned'),
    statement(results, mechanism, `${label}, attacked models`, 'guarantee'),
  ];
}

/** ε of one shared gradient, and of several rounds, for replacing one text by any other. */
function sharedTable(results: StudyResults): Html {
  const own = results.levels.flatMap(({ level, shared }) => (shared ? [{ level, shared }] : []));
  if (own.length === 0) return html`<p class="note">No level promises anything for a shared gradient.</p>`;
  const rounds = own.find(({ shared }) => shared.rounds)?.shared.rounds?.count;
  return html`<div class="scroll" tabindex="0"><table class="compact">
<thead><tr><th scope="col">noise</th><th scope="col">ε of one shared gradient</th>${rounds === undefined ? undefined : html`<th scope="col">ε of ${rounds} rounds</th>`}<th scope="col">terms</th></tr></thead>
<tbody>${own.map(
    ({ level, shared: { once, rounds: all } }) =>
      html`<tr><th scope="row">${levelName(results, level)}</th><td>${epsilonOf(once)}</td>${rounds === undefined ? undefined : html`<td>${all ? epsilonOf(all.all) : '–'}</td>`}<td>${guaranteeTerms(once)}</td></tr>`,
  )}</tbody></table></div>
<p class="note">For any two texts of a client, and whatever model the server sends. It is about exact numbers and secret noise.${rounds === undefined ? ' A text that takes part in several rounds has more: see sharing.rounds of studies.' : ''}</p>`;
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
function statement(
  results: StudyResults,
  { name }: AboutMechanism,
  label: string,
  whose: 'guarantee' | 'planned',
): Html | undefined {
  const own = results.levels.flatMap(({ level, [whose]: guarantee }) =>
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
