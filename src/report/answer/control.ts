// The control with dropout in sentences: whether a private model that does better than the one without noise needs noise to do so.

import { isNoiseless, isOnCurve, type MechanismConclusions, type StudyResults } from '../../calibration/index.js';
import { writePercent } from '../numbers.js';
import { levelName } from '../words.js';
import { changeFrom } from './utility.js';

/** Compares the control, and the level of the mechanism that did best, with no noise. Nothing to say without a control. */
export function controlSentences(results: StudyResults, { mechanism }: MechanismConclusions): string[] {
  const { levels } = results;
  const control = levels.find(({ level }) => level.dropout !== undefined);
  const clean = levels.find(({ level }) => isNoiseless(level) && level.dropout === undefined)?.utility?.accuracy;
  const own = control?.utility?.accuracy;
  if (control === undefined || own === undefined || clean === undefined) return [];
  const change = changeFrom(own, clean);
  const there = `The control (${levelName(results, control.level)}) has an accuracy of ${writePercent(own.mean)}`;
  const sentence =
    change === undefined
      ? `${there}, the same as without noise.`
      : `${there}, ${change.points} no noise${change.doubt}.`;
  const measured = levels.flatMap(({ level, utility }) =>
    isOnCurve(level, mechanism) && !isNoiseless(level) && utility ? [{ level, accuracy: utility.accuracy }] : [],
  );
  const [first, ...rest] = measured;
  if (first === undefined) return [sentence];
  const best = rest.reduce((most, one) => (one.accuracy.mean > most.accuracy.mean ? one : most), first);
  if (best.accuracy.mean <= clean.mean) return [sentence];
  const at = `At ${levelName(results, best.level)} it is ${writePercent(best.accuracy.mean)}, above that without noise`;
  const verdict =
    best.accuracy.mean <= own.mean
      ? 'the control does at least as well, so regularisation alone explains that'
      : 'more than the control, so this dropout does not explain all of it';
  return [sentence, `${at}; ${verdict}${changeFrom(best.accuracy, own)?.doubt ?? ''}.`];
}
