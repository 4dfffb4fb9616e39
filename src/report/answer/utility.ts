// What stopping reconstruction costs, where utility falls, and the gap between the two, in sentences.

import {
  type CurvePoint,
  type Estimate,
  type Gap,
  isConclusive,
  isNoiseless,
  type MechanismConclusions,
  reconstructionOutcome,
  resultsAt,
  type StudyResults,
} from '../../calibration/index.js';
import { typesetNumber, writeInterval, writePercent } from '../numbers.js';
import { levelName, mechanismOf, plural } from '../words.js';

/** Utility at the level that stops reconstruction. */
export function costSentences(results: StudyResults, { reconstruction }: MechanismConclusions): string[] {
  if (reconstruction?.stopsAt === undefined) return [];
  const there = resultsAt(results, reconstruction.stopsAt)?.utility?.accuracy;
  const clean = results.levels.find(({ level }) => isNoiseless(level))?.utility?.accuracy;
  return [there ? accuracySentence(there, clean) : 'Utility was not measured there.'];
}

function accuracySentence(value: Estimate, reference: Estimate | undefined): string {
  const seeds = value.values.length;
  const range = writeInterval(value, writePercent) || 'one seed, so no interval';
  const there = `Accuracy there is ${writePercent(value.mean)} (${range})`;
  if (!reference) return `${there}; without noise it was not measured.`;
  const points = Math.abs(value.mean - reference.mean) * 100;
  if (points < 0.05) return `${there}, the same as without noise.`;
  const apart = seeds > 1 && (value.upper < reference.lower || value.lower > reference.upper);
  const doubt = seeds > 2 ? ', which may be chance' : `, which ${plural(seeds, 'seed')} cannot tell from chance`;
  const side = value.mean < reference.mean ? 'below' : 'above';
  return `${there}, ${points.toFixed(1)} points ${side} the ${writePercent(reference.mean)} without noise${apart ? '' : doubt}.`;
}

export function utilitySentences(results: StudyResults, { utility }: MechanismConclusions): string[] {
  if (utility.kind === 'nothing to lose') {
    return ['The model learns too little beyond the most frequent class for noise to cost anything.'];
  }
  if (!isConclusive(utility)) return [];
  const { start, dip, partial, doubtful } = utility;
  const told = ({ level, mean }: CurvePoint) => `${levelName(results, level)} (${writePercent(mean)})`;
  const notes = [
    ...(dip ? [`It was lower at ${told(dip)}: accuracy does not fall in order with noise.`] : []),
    ...(doubtful
      ? [
          `With ${plural(start.count, 'seed')} the accuracy without noise cannot be told from always naming the most frequent class (${writePercent(start.floor)}).`,
        ]
      : []),
  ];
  if (utility.kind === 'never falls') {
    const most = partial ? 'the most that was measured' : 'the most that was tried';
    const last = levelName(results, utility.last.level);
    return [
      `Accuracy keeps more than half of what training gained ${dip ? 'at' : 'up to'} ${last}, ${most}.`,
      ...notes,
    ];
  }
  const { before, at } = utility;
  return [
    isNoiseless(before.level)
      ? `Utility has fallen at ${told(at)} already${partial ? '' : ', the least noise that was tried'}.`
      : `Utility falls between ${told(before)} and ${told(at)}.`,
    ...notes,
  ];
}

export function gapSentences(results: StudyResults, one: MechanismConclusions): string[] {
  const { gap, mechanism } = one;
  if (!gap) return isWithoutGap(one) ? ['No level tried stops reconstruction and keeps utility.'] : [];
  if (isOneLevel(gap)) {
    return [`Of the levels tried, only ${levelName(results, gap.from)} stops reconstruction and keeps utility.`];
  }
  const factor = `a factor of ${writeFactor(gap)} in ${mechanismOf(results, mechanism).symbol}`;
  return [
    gap.open
      ? `So there is a gap of at least ${factor} in which these attacks fail and the model is useful.`
      : `The gap between the two falls is ${factor}: there these attacks fail and the model is still useful.`,
  ];
}

export const isOneLevel = ({ factor }: Gap): boolean => factor < 1.01;

/** An open gap is at least this large. */
export const writeFactor = ({ factor, open }: Gap): string => typesetNumber(factor, 2, open ? 'down' : 'near');

/** Every level was measured, and none does both. */
function isWithoutGap(one: MechanismConclusions): boolean {
  const [stop, { utility }] = [reconstructionOutcome(one), one];
  return stop?.kind === 'falls' && utility.kind === 'falls' && !utility.partial && !stop.partial;
}
