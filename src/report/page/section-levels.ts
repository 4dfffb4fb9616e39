// Every level in figures: noise, ε with its terms, cosines, utility, leakage.

import {
  type AboutAttack,
  type AboutMechanism,
  type Estimate,
  isNoiseless,
  type LevelResults,
  measuredAttacks,
  type StudyResults,
  triedMechanisms,
} from '../../calibration/index.js';
import { tunedKeys, tunedName } from '../answer/tuning.js';
import { writeCosine, writeInterval, writePercent, writeScore, writeShare } from '../numbers.js';
import { hasPlan } from '../plan-words.js';
import { capital, epsilonAt, guaranteeTerms, levelName, sizeName, symbolsOf, targetName } from '../words.js';
import { type Html, html } from './html.js';
import { mechanismKey } from './mechanism-key.js';
import { settingsCell } from './section-tuning.js';

export function levelSection(results: StudyResults): Html {
  const found = measuredAttacks(results);
  const tried = triedMechanisms(results);
  const clean = results.levels.filter(({ level }) => isNoiseless(level));
  return html`<section id="levels">
<h2>Every level</h2>
<div class="scroll" tabindex="0"><table class="levels">
<thead><tr>
<th scope="col">noise</th>${hasPlan(results) ? html`<th scope="col">ε<small>planned training</small></th><th scope="col">ε<small>attacked models</small></th>` : html`<th scope="col">ε</th>`}
<th scope="col">cosine, training<small>to its own sum · to the gradient</small></th>
<th scope="col">cosine, shared<small>all · tensors read</small></th>
${isTuned(results) ? html`<th scope="col">${tunedName(results)}</th>` : undefined}
<th scope="col">accuracy<small>Matthews · macro F1</small></th>
${found.map((attack) => html`<th scope="col">${attack.label}<small>${attack.measure.name} · floor</small></th>`)}
</tr></thead>
<tbody>${clean.map((level) => row(results, level, found))}</tbody>
${tried.map((mechanism) => group(results, mechanism, found))}
</table></div>
<p class="note">Intervals beside the means are 95 % intervals; the heads of the columns name the figures below them. Noise is spread over ${sizeName(results.trainable.numbers)} numbers in training and ${sizeName(results.shared.numbers)} in a shared gradient${tried.length > 0 ? `, so the same ${symbolsOf(tried, 'or')} is not the same noise in both` : ''}. An ε that is a bound is rounded up.</p>
</section>`;
}

const isTuned = (results: StudyResults): boolean => tunedKeys(results).length > 0;

function group(results: StudyResults, mechanism: AboutMechanism, found: readonly AboutAttack[]): Html {
  const { levels, trainable, shared } = results;
  const own = levels.filter(({ level }) => level.mechanism === mechanism.name);
  const terms = [...new Set(own.flatMap(({ guarantee }) => (guarantee ? [guaranteeTerms(guarantee)] : [])))];
  const [common] = terms.length === 1 ? terms : [];
  return html`<tbody>
<tr class="group"><th colspan="${5 + (isTuned(results) ? 1 : 0) + (hasPlan(results) ? 1 : 0) + found.length}" scope="colgroup"><span>${mechanismKey(results, mechanism.name)}${capital(mechanism.label)}: ${mechanism.symbol} over ${sizeName(trainable.numbers)} numbers in training, ${sizeName(shared.numbers)} in a shared gradient.${common && ` ε with ${common}.`}</span></th></tr>
${own.map((level) => row(results, level, found, common))}</tbody>`;
}

function row(results: StudyResults, at: LevelResults, found: readonly AboutAttack[], terms?: string): Html {
  const { level, guarantee, planned, utility, leakage, settings } = at;
  const own = guarantee && terms === undefined ? guaranteeTerms(guarantee) : undefined;
  return html`<tr><th scope="row">${levelName(results, level)}${small(targetName(level))}</th>
${hasPlan(results) ? html`<td>${epsilonAt(level, planned)}</td>` : undefined}
<td>${epsilonAt(level, guarantee)}${small(own)}</td>
<td>${pair(utility?.cosineToSum, utility?.cosineToGradient)}${small(uniformName(utility?.uniformShare))}</td>
<td>${sharedCosines(leakage, found)}</td>
${isTuned(results) ? html`<td>${settings ? settingsCell(results, settings) : '–'}</td>` : undefined}
<td>${utility ? estimate(utility.accuracy, writePercent) : '–'}${utility && small(`${writeScore(utility.matthews.mean)} · ${writeScore(utility.macroF1.mean)}`)}</td>
${found.map((attack) => {
  const one = leakage[attack.name];
  return html`<td>${one ? estimate(one.main, writeScore) : '–'}${one && small(`floor ${writeScore(one.floor)}`)}</td>`;
})}</tr>`;
}

/** Random directions of gradients that were zero. */
const uniformName = (share: number | undefined): string | undefined =>
  share === undefined || share === 0 ? undefined : `${writeShare(share)} drawn at random`;

const small = (text: string | undefined): Html | undefined => (text ? html`<small>${text}</small>` : undefined);

const estimate = (value: Estimate, write: (value: number) => string): Html =>
  html`<b>${write(value.mean)}</b> <small class="inline">${writeInterval(value, write).replace('\u00a0%', '')}</small>`;

const pair = (first: Estimate | undefined, second: Estimate | undefined): string =>
  first || second ? [first, second].map((one) => (one ? writeCosine(one.mean) : '–')).join(' · ') : '–';

/** Clients may share different gradients for different attacks; attacks are named if their cosines differ. */
function sharedCosines(leakage: LevelResults['leakage'], found: readonly AboutAttack[]): Html | string {
  const texts = found.flatMap((attack) => {
    const one = leakage[attack.name];
    return one?.cosine ? [{ attack, text: pair(one.cosine, one.cosineRead) }] : [];
  });
  const [first] = texts;
  if (!first) return '–';
  if (texts.every(({ text }) => text === first.text)) return first.text;
  return html`${texts.map(({ attack, text }) => html`<span class="line">${text} <small class="inline">${attack.label}</small></span>`)}`;
}
