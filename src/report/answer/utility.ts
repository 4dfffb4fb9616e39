// What stopping reconstruction costs, where utility falls, and the gap between the two, in sentences.

import {
  type CurvePoint,
  type Estimate,
  type Gap,
  isConclusive,
  isNoiseless,
  isOnCurve,
  type MechanismConclusions,
  reconstructionOutcome,
  resultsAt,
  type StudyResults,
} from '../../calibration/index.js';
import { typesetNumber, writeInterval, writePercent } from '../numbers.js';
import { levelName, plural } from '../words.js';
import { tunedKeys, tunedName } from './tuning.js';

/** Accuracy at the level that stops reconstruction, beside that without noise. */
export function costSentences(results: StudyResults, { reconstruction }: MechanismConclusions): string[] {
  if (reconstruction?.stopsAt === undefined) return [];
  const there = resultsAt(results, reconstruction.stopsAt)?.utility?.accuracy;
  const clean = results.levels.find(({ level }) => isNoiseless(level))?.utility?.accuracy;
  const name = levelName(results, reconstruction.stopsAt);
  return [there ? accuracySentence(name, there, clean) : `Utility was not measured at ${name}.`];
}

/** What a mechanism costs before any noise: accuracy at the level from which it begins, if that changes gradients already. */
export function startSentences(results: StudyResults, { mechanism }: MechanismConclusions): string[] {
  const { levels } = results;
  const [clean, start] = [
    levels.find(({ level }) => isNoiseless(level)),
    levels.find(({ level }) => isNoiseless(level) && isOnCurve(level, mechanism)),
  ];
  const [before, after] = [clean?.utility?.accuracy, start?.utility?.accuracy];
  if (clean === start || !before || !after || start?.level.label === undefined) return [];
  const change = changeFrom(after, before);
  const interval = writeInterval(after, writePercent);
  const range = interval ? ` (95\u00a0% interval ${interval})` : '';
  const training =
    tunedKeys(results).length > 0 ? `with the ${tunedName(results)} tuned for both` : 'with this training';
  const there = `Before any noise (${start.level.label}) accuracy is ${writePercent(after.mean)}${range}`;
  return [
    change === undefined
      ? `${there}, the same as with plain gradients.`
      : `${there}, ${change.points} that of plain gradients${change.doubt}: ${training}, that part is not due to noise.`,
  ];
}

function accuracySentence(level: string, value: Estimate, reference: Estimate | undefined): string {
  const interval = writeInterval(value, writePercent);
  const range = interval ? `95\u00a0% interval ${interval}` : 'one seed, so no interval';
  const there = `At ${level} accuracy is ${writePercent(value.mean)} (${range})`;
  if (!reference) return `${there}; it was not measured without noise.`;
  const change = changeFrom(value, reference);
  if (change === undefined) return `${there}, the same as without noise.`;
  return `${there}, ${change.points} the ${writePercent(reference.mean)} without noise${change.doubt}.`;
}

/** How far an accuracy is from another, and whether that may be chance; undefined if they are the same. */
export function changeFrom(
  value: Estimate,
  reference: Estimate,
): { readonly points: string; readonly doubt: string } | undefined {
  const seeds = value.values.length;
  const points = Math.abs(value.mean - reference.mean) * 100;
  if (points < 0.05) return undefined;
  const apart = seeds > 1 && (value.upper < reference.lower || value.lower > reference.upper);
  const doubt = seeds > 2 ? ', which may be chance' : `, which ${plural(seeds, 'seed')} cannot tell from chance`;
  const side = value.mean < reference.mean ? 'below' : 'above';
  return { points: `${points.toFixed(1)} points ${side}`, doubt: apart ? '' : doubt };
}

export function utilitySentences(results: StudyResults, { utility }: MechanismConclusions): string[] {
  if (utility.kind === 'nothing to lose') {
    return [
      `Even without noise accuracy (${writePercent(utility.start.mean)}) is hardly above ${majority(utility.start)}, so this study cannot show what noise costs.`,
    ];
  }
  if (!isConclusive(utility)) return [];
  const { start, dip, partial, doubtful } = utility;
  const named = ({ level, mean }: CurvePoint) => `${levelName(results, level)} (${writePercent(mean)})`;
  const notes = [
    ...(dip ? [`Accuracy was lower at ${named(dip)}: it does not fall steadily as noise grows.`] : []),
    ...(doubtful
      ? [
          `With ${plural(start.count, 'seed')} the accuracy without noise cannot be distinguished from ${majority(start)}.`,
        ]
      : []),
  ];
  if (utility.kind === 'never falls') {
    const most = partial ? 'the most that was measured' : 'the most that was tried';
    const last = levelName(results, utility.last.level);
    return [
      `Utility is kept ${dip ? 'at' : 'up to'} ${last}, ${most}: at least half of what training gained over ${majority(start)} is left.`,
      ...notes,
    ];
  }
  const { before, at } = utility;
  return [
    isNoiseless(before.level)
      ? `Utility has already fallen at ${named(at)}${partial ? '' : ', the least noise that was tried'}: less than half of what training gained over ${majority(start)} is left.`
      : `Utility falls between ${named(before)} and ${named(at)}: there, half of what training gained over ${majority(start)} is lost.`,
    ...notes,
  ];
}

const majority = ({ floor }: CurvePoint): string => `always naming the most frequent class (${writePercent(floor)})`;

export function gapSentences(results: StudyResults, one: MechanismConclusions): string[] {
  const { gap } = one;
  if (!gap) return isWithoutGap(one) ? ['No level tried both stops these attacks and keeps utility.'] : [];
  if (isOneLevel(gap)) {
    return [`Of the levels tried, only ${levelName(results, gap.from)} both stops these attacks and keeps utility.`];
  }
  const factor = `a factor of ${gap.open ? 'at least ' : ''}${writeFactor(gap)}`;
  return [
    `At the levels from ${levelName(results, gap.from)} to ${levelName(results, gap.to)}, a gap of ${factor}, these attacks fail and the model is still useful.`,
  ];
}

export const isOneLevel = ({ factor }: Gap): boolean => factor < 1.01;

/** An open gap is at least this large, so its factor is rounded down. */
export const writeFactor = ({ factor, open }: Gap): string => typesetNumber(factor, 2, open ? 'down' : 'near');

/** Every level was measured, and none both stops the attacks and keeps utility. */
function isWithoutGap(one: MechanismConclusions): boolean {
  const [stop, { utility }] = [reconstructionOutcome(one), one];
  return stop?.kind === 'falls' && utility.kind === 'falls' && !utility.partial && !stop.partial;
}
