// How near attacks came to what can be known, in sentences: whether their search failed, and what a genie could read.

import {
  type AboutAttack,
  decidingPoint,
  type GenieConclusion,
  type Leakage,
  type Level,
  type MechanismConclusions,
  noiseAmount,
  reconstructionOutcome,
  recoversText,
  resultsAt,
  type StudyResults,
  sameLevel,
} from '../../calibration/index.js';
import { writePercent } from '../numbers.js';
import { attackOf, levelName, plural } from '../words.js';

/** Whether the attacks at the level that decides did all that their likelihood allows. */
export function searchSentences(results: StudyResults, one: MechanismConclusions): string[] {
  const outcome = reconstructionOutcome(one);
  if (!outcome) return [];
  const { level } = decidingPoint(outcome);
  const leakage = resultsAt(results, level)?.leakage ?? {};
  return results.attacks.filter(recoversText).flatMap((attack) => {
    const { search } = leakage[attack.name] ?? {};
    return search ? [searchSentence(results, attack, level, search)] : [];
  });
}

function searchSentence(
  results: StudyResults,
  { label }: AboutAttack,
  level: Level,
  { failed, texts }: { readonly failed: number; readonly texts: number },
): string {
  const where = `At ${levelName(results, level)} the search of ${label} failed in`;
  return failed === 0
    ? `${where} none of ${plural(texts, 'text')}: it found all that its likelihood and prior allow.`
    : `${where} ${failed} of ${plural(texts, 'text')}: there the truth explains the gradient better than its answer, so a better search would find more.`;
}

/** What a genie could read where reconstruction stops. Only where it is at chance does a sentence speak of more than these attacks. */
export const genieSentences = (results: StudyResults, one: MechanismConclusions): string[] =>
  (one.genie ?? []).flatMap((genie) => {
    const { attack, levels } = genie;
    const stopsAt = one.reconstruction?.stopsAt;
    // Where the attacks are stopped, if the genie was asked there; otherwise at the most noise.
    const asked = levels.find(({ level }) => stopsAt && sameLevel(level, stopsAt)) ?? levels.at(-1);
    const found = asked && resultsAt(results, asked.level)?.leakage[attack]?.genie;
    return found ? sentencesAt(results, genie, asked, found) : [];
  });

const onlyThese = 'what is said here holds for these attacks only';

function sentencesAt(
  results: StudyResults,
  { attack, levels, atChanceFrom }: GenieConclusion,
  { level, verdict }: GenieConclusion['levels'][number],
  { accuracy, lower, upper, chance, of, texts }: NonNullable<Leakage['genie']>,
): string[] {
  const amountOf = (one: Level) => noiseAmount(results.mechanisms, one);
  const [where, who] = [levelName(results, level), 'a genie that knows every other token of a text'];
  const right = `right in ${percent(accuracy)} of ${plural(of, 'place')} (95 % interval ${percent(lower)} to ${percent(upper)}; guessing: ${percent(chance)})`;
  const nobody = `under the likelihood and prior of ${attackOf(results, attack).label}, no attacker who sees one such gradient could read it; this was measured on ${plural(texts, 'text')}, not proved.`;
  if (atChanceFrom && amountOf(atChanceFrom) <= amountOf(level)) {
    return [`At ${where} even ${who} is at chance, ${right}: ${nobody}`];
  }
  if (verdict === 'above chance') {
    const isLast = levels.at(-1)?.level === level;
    const later = atChanceFrom
      ? [`From ${levelName(results, atChanceFrom)} on the genie is at chance: ${nobody}`]
      : isLast
        ? []
        : ['Nor is it at chance at the most noise tried.'];
    return [
      `At ${where} ${who} is still above chance, ${right}: ${onlyThese}, and a better one may read more.`,
      ...later,
    ];
  }
  const doubt = verdict === 'at chance' ? 'but not at every level with more noise' : 'but so few places cannot tell';
  return [`At ${where} ${who} may be guessing, ${right}, ${doubt}: ${onlyThese}.`];
}

const percent = (share: number): string => writePercent(share, 0);
