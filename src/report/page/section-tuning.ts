// What was tried to choose the settings of training, and what was chosen: one table per mechanism.

import {
  type AboutMechanism,
  isOnCurve,
  type StudyResults,
  type TunedSettings,
  type TuningResults,
  triedMechanisms,
  tuningSeeds,
} from '../../calibration/index.js';
import { isEveryLevelTuned, settingNames, tunedName } from '../answer/tuning.js';
import { writeCount, writeInterval, writePercent } from '../numbers.js';
import { capital, levelName, plural } from '../words.js';
import { type Html, html } from './html.js';
import { mechanismKey } from './mechanism-key.js';

export const isTuningShown = ({ tuning }: StudyResults): boolean => tuning.length > 0;

export function tuningSection(results: StudyResults): Html | undefined {
  if (!isTuningShown(results)) return undefined;
  const { data, study } = results;
  const examples =
    data.validation === undefined ? 'validation data' : `${writeCount(data.validation)} validation examples`;
  const between = isEveryLevelTuned(results)
    ? ''
    : ' Levels in between take the choice of the nearest level of their mechanism at which values were tried.';
  return html`<section id="tuning">
<h2>How training was tuned</h2>
<p>Each mechanism and level was trained with the ${tunedName(results)} that scored best for it on validation data, so that no mechanism is judged by settings that suit another one.</p>
<div class="panels">${triedMechanisms(results).map((mechanism) => tableOf(results, mechanism))}</div>
<p class="note">Accuracy on ${examples}, mean over ${plural(tuningSeeds(study).length, 'seed')}${tuningSeeds(study).length > 1 ? ' with its 95 % interval' : ''}; ✓ marks the choice, which among equal accuracies is the one with the lower loss. Test data were not read for this.${between}</p>
</section>`;
}

function tableOf(results: StudyResults, { name, label }: AboutMechanism): Html | undefined {
  const own = results.tuning.filter(({ level }) => isOnCurve(level, name));
  if (own.length === 0) return undefined;
  const columns = settingsOf(own);
  return html`<div class="scroll" tabindex="0"><table class="tight">
<caption>${mechanismKey(results, name)}${capital(label)}: accuracy on validation data by ${tunedName(results)}</caption>
<thead><tr><th scope="col">noise</th>${columns.map((settings) => html`<th scope="col">${settingsCell(results, settings)}</th>`)}</tr></thead>
<tbody>${own.map(
    (one) =>
      html`<tr><th scope="row">${levelName(results, one.level)}</th>${columns.map((settings) => cell(one, settings))}</tr>`,
  )}</tbody></table></div>`;
}

/** The tuned ones of these settings, the first one above the other. */
export function settingsCell(results: StudyResults, settings: TunedSettings): Html {
  const [first, second] = settingNames(results, settings);
  return html`${first}${second ? html`<small>${second}</small>` : undefined}`;
}

/** All settings that were tried at some level, in the order of the study. */
const settingsOf = (tuning: readonly TuningResults[]): TunedSettings[] => [
  ...new Map(tuning.flatMap(({ tried }) => tried.map(({ settings }) => [keyOf(settings), settings]))).values(),
];

const keyOf = ({ learningRate, epochs }: TunedSettings): string => `${learningRate} ${epochs}`;

function cell({ tried }: TuningResults, settings: TunedSettings): Html {
  const found = tried.find((one) => keyOf(one.settings) === keyOf(settings));
  if (found === undefined) return html`<td>–</td>`;
  const { accuracy, isChosen } = found;
  const value = writePercent(accuracy.mean);
  const range = writeInterval(accuracy, writePercent).replace('\u00a0%', '');
  return html`<td>${isChosen ? html`<b>${value} ✓</b>` : value}${range ? html`<small>${range}</small>` : undefined}</td>`;
}
