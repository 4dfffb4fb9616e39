// Who could be named: how many training records a membership attack singles out at few false alarms, and in private reports which.

import {
  type AboutAttack,
  type ExposedRecord,
  type LevelRecords,
  type LevelResults,
  measuredAttacks,
  type StudyResults,
} from '../../calibration/index.js';
import { typesetNumber, writeCount, writePercent } from '../numbers.js';
import { capital, levelName, plural } from '../words.js';
import { type Html, html } from './html.js';
import { mechanismKey } from './mechanism-key.js';

type Named = LevelResults & { readonly records: LevelRecords };

/** The attacks that say which records they would name. */
export const attacksThatName = (results: StudyResults): readonly AboutAttack[] =>
  measuredAttacks(results).filter(({ name }) => levelsOf(results, name).length > 0);

const levelsOf = ({ levels }: StudyResults, attack: string): Named[] =>
  levels.flatMap((one) => {
    const records = one.leakage[attack]?.records;
    return records ? [{ ...one, records }] : [];
  });

/** Nothing where no membership attack has results. */
export function recordSection(results: StudyResults): Html | undefined {
  const found = attacksThatName(results);
  if (found.length === 0) return undefined;
  return html`<section id="records">
<h2>Who could be named</h2>
<p>An attacker who accepts one false alarm in a hundred names every record that scores higher than 99 of 100 records that were never trained on. That a record is named does not prove that it was trained on: chance alone names some, and a text that is easy for every model is named again and again.</p>
${found.map((attack) => attackBlock(results, attack))}
<p class="note"><b>Named</b>: training records whose rate of false alarms is at most 1 %. The rate of a record is (1 + records never trained on that score at least as high)/(1 + all of these), so ties count against it. <b>By chance</b>: how many would be named if training left no trace. <b>In every run</b>: named by each of the models that were trained with other seeds, beside how many of the records that were never trained on are. All of it compares training records with records of the same kind that were not trained on; it is not a proof for any single record.</p>
</section>`;
}

function attackBlock(results: StudyResults, { name, label }: AboutAttack): Html {
  const levels = levelsOf(results, name);
  const first = levels[0] as Named;
  const { records } = first;
  const caution = levels.some(({ leakage }) => leakage[name]?.kind?.different)
    ? html`<p><b>Caution:</b> the records that were never trained on are of another kind than the training records, so being named may show the kind rather than training.</p>`
    : undefined;
  if (isTooFew(records)) {
    return html`<h3>${capital(label)}</h3>
<p>${plural(records.others, 'record')} that ${records.others === 1 ? 'was' : 'were'} never trained on ${records.others === 1 ? 'is' : 'are'} too few to name anybody at 1 % false alarms: at least 99 are needed.</p>`;
  }
  return html`<h3>${capital(label)}</h3>
${caution}<p>${sentences(results, first).join(' ')}</p>
<div class="scroll" tabindex="0"><table class="compact">
<thead><tr><th scope="col">noise</th><th scope="col">named</th><th scope="col">by chance</th>${isRepeated(records) ? html`<th scope="col">in every run<small>never trained on</small></th>` : undefined}</tr></thead>
<tbody>${levels.map((level) => levelRow(results, level, isRepeated(records)))}</tbody></table></div>
${records.most.length > 0 ? recordTable(results, first) : html`<p class="note">Which records these are is not part of this version.</p>`}`;
}

/** The rate of 1 % cannot be reached: 1/(1 + others) is above it. */
const isTooFew = ({ others, falseAlarms }: LevelRecords): boolean => 1 / (others + 1) > falseAlarms;

const isRepeated = ({ repeated, runs }: LevelRecords): boolean => repeated !== undefined && runs > 1;

/** How many are named without noise, in how many runs, and who is the most exposed. */
function sentences(results: StudyResults, { level, records }: Named): string[] {
  const { named, members, byChance, runs, repeated, most } = records;
  const [last] = repeated?.slice(-1) ?? [];
  const [top] = most;
  const at =
    level.parameter === undefined && level.label === undefined ? 'Without noise' : `At ${levelName(results, level)}`;
  return [
    `${at}, ${writeMean(named.mean)} of ${writeCount(members)} training records would be named if one false alarm in a hundred were accepted${runs > 1 ? `, in the mean over ${runs} runs` : ''}; ${writeMean(byChance)} would be by chance alone.`,
    ...(last && runs > 1
      ? [
          `${writeCount(last.members)} ${last.members === 1 ? 'was' : 'were'} named in every run, and so ${last.others === 1 ? 'was' : 'were'} ${writeCount(last.others)} of ${writeCount(records.others)} records that were never trained on.`,
        ]
      : []),
    ...(top ? [topSentence(top)] : []),
  ];
}

const topSentence = ({ split, row, named, runs, byChance }: ExposedRecord): string =>
  `The most exposed is row ${writeCount(row)} of ${split}, named in ${named} of ${plural(runs, 'run')}; if training had left no trace, ${writeMean(byChance)} of the training records would still be as exposed, in the mean.`;

function levelRow(results: StudyResults, { level, records }: Named, repeated: boolean): Html {
  const last = records.repeated?.at(-1);
  const { named, members, byChance } = records;
  const each =
    named.values.length > 1
      ? html`<small class="inline">${named.values.map(writeCount).join(', ')}</small>`
      : undefined;
  return html`<tr><th scope="row">${mechanismKey(results, level.mechanism)}${levelName(results, level)}</th>
<td><b>${writeMean(named.mean)}</b> of ${writeCount(members)} ${each}</td><td>${writeMean(byChance)}</td>
${repeated ? html`<td>${last ? html`<b>${writeCount(last.members)}</b><small>${writeCount(last.others)} of ${writeCount(records.others)}</small>` : '–'}</td>` : undefined}</tr>`;
}

const recordTable = (
  results: StudyResults,
  { level, records }: Named,
): Html => html`<div class="scroll" tabindex="0"><table class="prose">
<caption>The ${plural(records.most.length, 'most exposed record')} at ${levelName(results, level)}. Chance: how many of all training records would be as exposed by chance alone, at most; below it, the share of the records down to this one that is expected to be due to chance.</caption>
<thead><tr><th scope="col">row</th><th scope="col">named</th><th scope="col">false alarms</th><th scope="col">chance</th><th scope="col">text</th></tr></thead>
<tbody>${records.most.map(recordRow)}</tbody></table></div>`;

const recordRow = ({ split, row, named, runs, rate, byChance, falseShare, text }: ExposedRecord): Html =>
  html`<tr><th scope="row">${split} ${writeCount(row)}</th><td>${named} of ${runs}</td><td>${writePercent(rate)}</td>
<td>${writeMean(byChance)}<small>${writePercent(falseShare, 0)}</small></td><td><bdi>${text}</bdi></td></tr>`;

/** A count that may be a mean: whole, or with one decimal below ten. */
const writeMean = (count: number): string =>
  Number.isInteger(count) || count >= 10 ? writeCount(count) : typesetNumber(Number(count.toFixed(1)), 2);
