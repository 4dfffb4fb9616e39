// ROC curves of membership attacks, with what guarantees allow.

import {
  type AboutAttack,
  rocLevels,
  type StudyResults,
  triedMechanisms,
  weakEpsilon,
} from '../../calibration/index.js';
import type { Chart } from '../charts/charts.js';
import { capital } from '../words.js';
import { type Html, html, trusted } from './html.js';

export function rocFigures(results: StudyResults, charts: readonly Chart[]): Html | undefined {
  const shown = results.attacks
    .map((attack) => ({
      attack,
      own: charts.filter(({ kind, attack: name }) => kind === 'roc' && name === attack.name),
    }))
    .filter(({ own }) => own.length > 0);
  if (shown.length === 0) return undefined;
  return html`<h2>Members found against false alarms</h2>
<p>The share of members that an attack finds (true positive rate) against the share of others that it takes for members (false positive rate), for all thresholds: its ROC curve. Both axes are logarithmic, because an attack that is right about a few members and accuses nobody else shows at the left. Solid lines are measured: without noise, and with the least noise of the study, a middle level and the most, in a stronger colour with more noise${averaged(results)}. Dotted: guessing.</p>
${shown.map(({ attack, own }) => figure(results, attack, own))}`;
}

const averaged = ({ study }: StudyResults): string =>
  study.seeds.length > 1
    ? '; each is the mean over seeds of the true positive rates at equal false positive rates, read without interpolation'
    : '';

const figure = (results: StudyResults, attack: AboutAttack, charts: readonly Chart[]): Html => html`<figure>
<div class="panels">${charts.map(({ svg }) => html`<div class="panel">${trusted(svg)}</div>`)}</div>
<figcaption><b>${capital(attack.label)}.</b> ${boundWords(results, attack)}</figcaption>
</figure>`;

function boundWords(results: StudyResults, { name, ownModels }: AboutAttack): string {
  const levels = triedMechanisms(results).flatMap((mechanism) => rocLevels(results, name, mechanism.name));
  const whose = ownModels ? 'the models that it attacks' : 'the trained models';
  return levels.some(({ bound }) => bound !== undefined)
    ? `Dashed, in the colour of its level: the most that any attack can reach under ε and δ of ${whose}, counted twice where one example takes the place of another. A curve of few examples may lie above it by chance.`
    : `No guarantee is drawn: none of ${whose} has an ε of at most ${weakEpsilon} that covers what the attack compares (single examples, any of which might have been a member) and rules out anything that could be measured here.`;
}
