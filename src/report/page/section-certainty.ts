// How sure the attacks are and may be, and how near they came to what can be known, level by level.

import {
  type AboutAttack,
  certainTokens,
  genieVerdict,
  type Leakage,
  type LevelResults,
  measuredAttacks,
  type StudyResults,
} from '../../calibration/index.js';
import { calibrationError, poolBins } from '../../metrics/index.js';
import type { Chart } from '../charts/charts.js';
import { writeInterval, writeScore } from '../numbers.js';
import { capital, levelName } from '../words.js';
import { type Html, html, trusted } from './html.js';
import { mechanismKey } from './mechanism-key.js';

/** The attacks that have a likelihood. */
export const attacksWithLikelihood = (results: StudyResults): readonly AboutAttack[] =>
  measuredAttacks(results).filter(({ name }) => results.levels.some(({ leakage }) => isMeasured(leakage[name])));

const isMeasured = (leakage: Leakage | undefined): boolean =>
  leakage?.reliability !== undefined || leakage?.search !== undefined || leakage?.genie !== undefined;

/** Nothing where no attack has a likelihood. */
export function certaintySection(results: StudyResults, charts: readonly Chart[]): Html | undefined {
  const found = attacksWithLikelihood(results);
  if (found.length === 0) return undefined;
  return html`<section id="certainty">
<h2>How sure, and how near the limit</h2>
${found.map((attack) => attackBlock(results, attack, charts))}
<p class="note"><b>With certainty</b>: share of a text’s tokens that are back in place and were given a probability of 0.9 or more; below it, how many of the tokens given that much are right. <b>Search failed</b>: texts whose truth is likelier than the attack’s answer, by the attack’s own objective; elsewhere the attack did all that its likelihood allows. <b>Genie</b>: knows every other token of a text and must tell the true one from others by the likelihood alone. For independent tokens a gradient tells no attacker more about a token than it tells the genie. It is called at chance where the interval of its accuracy includes guessing and reaches at most a tenth of the way from guessing to always being right. That is measured on these texts, under the likelihood and prior of the attack; it is not a proof.</p>
</section>`;
}

function attackBlock(results: StudyResults, { name, label }: AboutAttack, charts: readonly Chart[]): Html {
  const rows = results.levels.filter(({ leakage }) => isMeasured(leakage[name]));
  const drawn = charts.filter(({ kind, attack }) => kind === 'reliability' && attack === name);
  return html`<h3>${capital(label)}</h3>
<div class="scroll" tabindex="0"><table class="compact">
<thead><tr><th scope="col">noise</th><th scope="col">with certainty</th><th scope="col">search failed</th><th scope="col">genie</th></tr></thead>
<tbody>${rows.map((level) => row(results, level, level.leakage[name] as Leakage))}</tbody></table></div>
${drawn.length > 0 ? reliabilityFigure(results, name, drawn) : undefined}`;
}

const row = (results: StudyResults, { level }: LevelResults, leakage: Leakage): Html =>
  html`<tr><th scope="row">${mechanismKey(results, level.mechanism)}${levelName(results, level)}</th>
<td>${certaintyCell(leakage)}</td><td>${searchCell(leakage)}</td><td>${genieCell(leakage)}</td></tr>`;

function certaintyCell({ measures, reliability }: Leakage): Html | string {
  const share = measures.certainTokens;
  if (!share) return '–';
  const { answers, right } = certainTokens(reliability ?? []);
  return html`<b>${writeScore(share.mean)}</b> <small class="inline">${writeInterval(share, writeScore)}</small>${answers > 0 ? html`<small>${right} of ${answers} right</small>` : undefined}`;
}

const searchCell = ({ search }: Leakage): string => (search ? `${search.failed} of ${search.texts} texts` : '–');

function genieCell({ genie }: Leakage): Html | string {
  if (!genie) return '–';
  const { accuracy, lower, upper, chance } = genie;
  return html`<b>${writeScore(accuracy)}</b> <small class="inline">${writeScore(lower)}–${writeScore(upper)}</small><small>${genieVerdict(genie)} (${writeScore(chance)})</small>`;
}

function reliabilityFigure({ levels }: StudyResults, attack: string, charts: readonly Chart[]): Html {
  const bins = poolBins(
    levels.flatMap(({ leakage }) => (leakage[attack]?.reliability ? [leakage[attack].reliability] : [])),
  );
  const error = calibrationError(bins);
  return html`<figure>
<div class="panels">${charts.map(({ svg }) => html`<div class="panel">${trusted(svg)}</div>`)}</div>
<figcaption>Which share of the guessed tokens is right, against the confidence that the attack gave them, over all levels of each mechanism. Where confidence is true, points lie on the dashed line; below it the attack is too sure. Bars: 95 % intervals (Clopper and Pearson), as if tokens were independent.${error === undefined ? '' : ` Mean distance between confidence and share (expected calibration error), over all levels: ${writeScore(error)}.`}</figcaption>
</figure>`;
}
