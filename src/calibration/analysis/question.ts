// The reader's question, both ways: what does each attacker get at some ε, and how much noise keeps leakage below a limit? Every situation is
// answered by itself, for the release that its attackers see, from the measured curves.

import { type SituationName, situations } from '../../attacks/index.js';
import { ArgumentError, option, say } from '../../checks/index.js';
import { mechanismOf } from '../../mechanisms/index.js';
import { lastToFall } from './conclusions.js';
import { type Curve, curveOf, leakageCurve, measuredAttacks, triedMechanisms, utilityCurve } from './curves.js';
import { recoversText } from './goals.js';
import { guaranteeAt, isKnown, parameterFor, type ReleaseKind } from './guarantees.js';
import { mechanismNamed, noiseAmount } from './level.js';
import { type CurveOutcome, isConclusive, leakageOutcome, leastHeight } from './outcomes.js';
import {
  type Crossing,
  type CurveReading,
  cleanRange,
  leastNoise,
  type Place,
  type Range,
  readAt,
  stopsOf,
} from './readings.js';
import type { AboutAttack, Level, StatedEpsilon, StudyResults } from './results.js';
import { stoppedShare } from './shares.js';

/** What a reader wants to know. */
export interface Question {
  /** What does each attacker get where the release that it sees has this ε? Default: 8. */
  readonly epsilon?: number;
  /** Which noise keeps leakage at most this high? Default: none is asked. */
  readonly leakageAtMost?: readonly LeakageLimit[];
}

/** A share of the words of a text that come back in order, an AUC, or a true-positive rate at 1 % false alarms. */
export interface LeakageLimit {
  readonly measure: LimitedMeasure;
  readonly most: number;
}

/** The measures that a limit may be set on, by their keys among the measures of a result. */
export const limitedMeasures = { text: 'lcsRatio', auc: 'auc', tpr: 'tprAt1' } as const;

/** The name of such a measure. */
export type LimitedMeasure = keyof typeof limitedMeasures;

/** The ε that is asked about if nothing is. */
export const usualQuestion: Question = { epsilon: 8 };

/** What one attack gets somewhere. */
export interface AttackAnswer extends Range {
  readonly attack: string;
  /** Where that was read; absent without noise. */
  readonly place?: Place;
  /** The levels it was read from. */
  readonly from?: readonly Level[];
}

/** What attackers get where their release has the ε that is asked about. */
export interface AtEpsilon {
  readonly epsilon: number;
  /** σ or κ, which has this ε. */
  readonly parameter: number;
  readonly guarantee: StatedEpsilon;
  /** The strongest first. */
  readonly attacks: readonly AttackAnswer[];
  /** Accuracy of training with this noise; where clients protect their own gradients, with the sum of the noise of a batch of them. Absent if it was not measured. */
  readonly utility?: CurveReading;
}

/** The least noise that keeps a limit, by the attack that needs the most. */
export interface LimitAnswer {
  readonly limit: LeakageLimit;
  readonly attack: string;
  /** `without noise`: nothing is needed. `least level`: the least noise that was measured is enough, and less may be. */
  readonly reached: 'between levels' | 'least level' | 'without noise' | 'not reached';
  /** σ or κ; absent where it was not reached, or is not needed. */
  readonly parameter?: number;
  /** Ends of its 95 % interval, from less noise to more; an end is absent where the measured levels do not show it. */
  readonly interval?: { readonly least?: number; readonly most?: number };
  /** Of the release that this attacker sees. */
  readonly guarantee?: StatedEpsilon;
  readonly utility?: CurveReading;
}

/** What is known of one mechanism in one situation. */
export interface MechanismAnswer {
  readonly mechanism: string;
  /** What attacks get without noise, the strongest first. */
  readonly clean: readonly AttackAnswer[];
  /** The least level from which on every attack of the situation is stopped; absent if none does that, or if no attack can show it. */
  readonly stopsAt?: { readonly level: Level; readonly decidedBy: string; readonly utility?: CurveReading };
  /** Attacks with results that are too few, or incomplete, to tell what noise does to them: `stopsAt` is not about these. */
  readonly undecided: readonly string[];
  /** Whether some attack finds enough without noise to show what noise does. */
  readonly isConclusive: boolean;
  readonly atEpsilon?: AtEpsilon;
  readonly limits: readonly LimitAnswer[];
}

/** The answer in one situation. */
export interface SituationAnswer {
  readonly situation: SituationName;
  /** The attacks that were measured, with those of a situation in which the attacker sees less. */
  readonly attacks: readonly string[];
  readonly mechanisms: readonly MechanismAnswer[];
}

/** Answers to a question, one per situation that some attack of the study belongs to. */
export interface Answers {
  readonly question: Question;
  readonly situations: readonly SituationAnswer[];
}

type Asked = Pick<StudyResults, 'study' | 'shared' | 'levels' | 'mechanisms' | 'attacks' | 'data'>;

/** Answers a question from the results of a study. */
export function answer(results: Asked, question: Question = usualQuestion): Answers {
  checkQuestion(question);
  const measured = measuredAttacks(results);
  return {
    question,
    situations: situations.flatMap(({ name, release, includes }) => {
      if (results.study.situations?.includes(name) === false) return [];
      if (measured.every(({ situation }) => situation !== name)) return [];
      const attacks = measured.filter(({ situation }) => situation === name || situation === includes);
      const mechanisms = triedMechanisms(results).map((one) =>
        answerFor(results, question, release, attacks, one.name),
      );
      return [{ situation: name, attacks: attacks.map((one) => one.name), mechanisms }];
    }),
  };
}

/** The same results, with the answers to another question. */
export const withQuestion = (results: StudyResults, question: Question): StudyResults => ({
  ...results,
  answers: answer(results, question),
});

/** Throws an ArgumentError if a question asks for what cannot be. */
export function checkQuestion({ epsilon, leakageAtMost = [] }: Question): void {
  if (epsilon !== undefined && !(epsilon > 0 && epsilon < Number.POSITIVE_INFINITY)) {
    throw new ArgumentError(say`invalid ${option('epsilon')}: expected a number above 0, got ${epsilon}`);
  }
  for (const { measure, most } of leakageAtMost) {
    if (!Object.hasOwn(limitedMeasures, measure)) {
      throw new ArgumentError(
        say`invalid ${option('leakageAtMost')}: expected a limit on ${Object.keys(limitedMeasures).join(', ')}, got ${measure}`,
      );
    }
    const [low, what] = measure === 'auc' ? [0.5, 'an AUC from 0.5 (guessing)'] : [0, 'a share from 0'];
    if (!(most >= low && most < 1)) {
      throw new ArgumentError(
        say`invalid ${option('leakageAtMost')}: expected ${what} to below 1 for ${measure}, got ${most}`,
      );
    }
  }
}

function answerFor(
  results: Asked,
  question: Question,
  release: ReleaseKind,
  attacks: readonly AboutAttack[],
  mechanism: string,
): MechanismAnswer {
  const curves = attacks.map((attack) => ({ attack, curve: leakageCurve(results, attack.name, mechanism) }));
  const clean = curves.flatMap(({ attack, curve }): AttackAnswer[] => {
    const range = cleanRange(curve, recoversText(attack));
    return range ? [{ attack: attack.name, ...range }] : [];
  });
  const outcomes = curves.map(({ attack, curve }) => ({
    attack: attack.name,
    outcome: leakageOutcome(curve, recoversText(attack)),
  }));
  const stop = lastToFall(outcomes, (level) => noiseAmount(results.mechanisms, level));
  const undecided = curves.filter((_, place) => isUndecided((outcomes[place] as (typeof outcomes)[number]).outcome));
  const stopsAt = undecided.some(({ curve }) => isStillHigh(curve)) ? undefined : stop?.stopsAt;
  const { epsilon, leakageAtMost = [] } = question;
  return {
    mechanism,
    clean: strongestFirst(clean),
    ...(stop &&
      stopsAt && {
        stopsAt: {
          level: stopsAt,
          decidedBy: stop.decidedBy,
          ...utilityAt(results, release, mechanism, stopsAt.parameter as number),
        },
      }),
    undecided: undecided.map(({ attack }) => attack.name),
    isConclusive: outcomes.some(({ outcome }) => isConclusive(outcome)),
    ...(epsilon !== undefined && atEpsilon(results, release, curves, mechanism, epsilon)),
    limits: leakageAtMost.flatMap((limit) => limitAnswer(results, release, attacks, mechanism, limit) ?? []),
  };
}

const isUndecided = ({ kind }: CurveOutcome): boolean => kind === 'too few to tell' || kind === 'not measured';

/** Whether an undecided attack is still well above its floor at the most noise: then nothing can be said to stop all attacks. */
function isStillHigh({ clean, noisy }: Curve): boolean {
  const last = noisy.at(-1);
  if (last === undefined) return false;
  const top = clean ? clean.value.mean - clean.floor : 1;
  return last.value.mean - last.floor > Math.max(leastHeight, stoppedShare * top);
}

type AttackCurve = { readonly attack: AboutAttack; readonly curve: Curve };

const strongestFirst = <One extends Range>(list: readonly One[]): One[] => list.toSorted((a, b) => b.mean - a.mean);

function atEpsilon(
  results: Asked,
  release: ReleaseKind,
  curves: readonly AttackCurve[],
  mechanism: string,
  epsilon: number,
): { readonly atEpsilon?: AtEpsilon } {
  const parameter = parameterFor(results, release, mechanism, epsilon);
  const guarantee = parameter === undefined ? undefined : guaranteeAt(results, release, mechanism, parameter);
  if (parameter === undefined || guarantee === undefined) return {};
  const amount = amountOf(results, mechanism, parameter);
  const attacks = curves.flatMap(({ attack, curve }): AttackAnswer[] => {
    const found = readAt(stopsOf(curve, results.mechanisms, recoversText(attack)), amount);
    return found ? [{ attack: attack.name, ...found }] : [];
  });
  if (attacks.length === 0) return {};
  return {
    atEpsilon: {
      epsilon,
      parameter,
      guarantee,
      attacks: strongestFirst(attacks),
      ...utilityAt(results, release, mechanism, parameter),
    },
  };
}

/** The logarithm of the noise, growing with it, and back. */
const signOf = ({ mechanisms }: Asked, mechanism: string): 1 | -1 =>
  mechanismNamed(mechanisms, mechanism).moreNoise === 'higher' ? 1 : -1;
const amountOf = (results: Asked, mechanism: string, parameter: number): number =>
  signOf(results, mechanism) * Math.log10(parameter);
const parameterAt = (results: Asked, mechanism: string, amount: number): number =>
  10 ** (signOf(results, mechanism) * amount);

/** Accuracy of training with this noise; if clients protect their own gradients, each batch sums the noise of as many of them. */
function utilityAt(
  results: Asked,
  release: ReleaseKind,
  mechanism: string,
  parameter: number,
): { readonly utility?: CurveReading } {
  const clients = Math.min(results.study.training.batchSize, results.data.train);
  const sum = release === 'sharing' && isKnown(mechanism) ? mechanismOf(mechanism).parameterOfSum : undefined;
  const amount = amountOf(results, mechanism, sum ? sum(parameter, clients) : parameter);
  const utility = readAt(stopsOf(utilityCurve(results, mechanism), results.mechanisms, false), amount);
  return utility ? { utility } : {};
}

/** By the attack that needs the most noise; undefined if no attack of the situation has the measure. */
function limitAnswer(
  results: Asked,
  release: ReleaseKind,
  attacks: readonly AboutAttack[],
  mechanism: string,
  limit: LeakageLimit,
): LimitAnswer | undefined {
  const key = limitedMeasures[limit.measure];
  const found = attacks.flatMap((attack) => {
    const curve = curveOf(
      results,
      mechanism,
      ({ leakage }) => {
        const value = leakage[attack.name]?.measures[key];
        return value && { value, floor: 0 };
      },
      0,
    );
    const isText = recoversText(attack);
    const [stops, clean] = [stopsOf(curve, results.mechanisms, isText), cleanRange(curve, isText)];
    if (stops.length === 0) return [];
    return [
      {
        attack: attack.name,
        crossing: leastNoise(stops, limit.most),
        isFree: clean !== undefined && clean.upper <= limit.most,
      },
    ];
  });
  const [worst] = found.toSorted(
    (a, b) => Number(a.isFree) - Number(b.isFree) || b.crossing.amount - a.crossing.amount,
  );
  if (worst === undefined) return undefined;
  const { attack, crossing, isFree } = worst;
  const at = { limit, attack };
  if (crossing.amount === Number.POSITIVE_INFINITY) return { ...at, reached: 'not reached' };
  if (crossing.amount === Number.NEGATIVE_INFINITY && isFree) return { ...at, reached: 'without noise' };
  const isLeast = crossing.amount === Number.NEGATIVE_INFINITY;
  const parameter = isLeast ? leastTried(results, mechanism) : parameterAt(results, mechanism, crossing.amount);
  const guarantee = guaranteeAt(results, release, mechanism, parameter);
  return {
    ...at,
    reached: isLeast ? 'least level' : 'between levels',
    parameter,
    interval: intervalOf(results, mechanism, crossing),
    ...(guarantee && { guarantee }),
    ...utilityAt(results, release, mechanism, parameter),
  };
}

/** Levels are sorted from the least noise to the most. */
const leastTried = ({ levels }: Asked, mechanism: string): number =>
  levels.find(({ level }) => level.mechanism === mechanism)?.level.parameter as number;

function intervalOf(
  results: Asked,
  mechanism: string,
  { lower, upper }: Crossing,
): NonNullable<LimitAnswer['interval']> {
  const end = (amount: number) => parameterAt(results, mechanism, amount);
  return {
    ...(Number.isFinite(lower) && { least: end(lower) }),
    ...(Number.isFinite(upper) && { most: end(upper) }),
  };
}
