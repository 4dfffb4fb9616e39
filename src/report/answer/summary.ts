// The first page: what was trained, who could see what, what came back, what noise changes and what to do, for readers who do not know the field.
// It uses no symbols; the rest of the report is its evidence.

import {
  type AboutAttack,
  type AttackAnswer,
  type CurveReading,
  isNoiseless,
  isWeak,
  type Level,
  type MechanismAnswer,
  readsTrainedModel,
  resultsAt,
  type SituationAnswer,
  type StatedEpsilon,
  type StudyResults,
  situationNamed,
  situations,
} from '../../calibration/index.js';
import { writeCount, writeInterval, writePercent } from '../numbers.js';
import { promiseOf } from '../plan-words.js';
import { attackOf, capital, list, mechanismOf } from '../words.js';
import { assumptionsOf } from './assumptions.js';
import { parameterPhrase, plainEpsilon } from './plain-words.js';

/** One situation on the first page. */
export interface SituationSummary {
  readonly heading: string;
  /** Who sees what. */
  readonly who: string;
  /** What came back, without noise and with it, in sentences that can be quoted. */
  readonly found: readonly string[];
  /** What to do. */
  readonly advice: string;
  /** What these sentences assume, and what the guarantee does not cover. */
  readonly assumptions: readonly string[];
}

/** The first page of a report. */
export interface Summary {
  readonly trained: string;
  /** What noise does to accuracy. */
  readonly cost: string;
  readonly situations: readonly SituationSummary[];
  /** Situations that no attack of the study belongs to; empty if there are none. */
  readonly missing: string;
}

/** Puts the answers of a study into words without symbols. */
export function summaryOf(results: StudyResults): Summary {
  return {
    trained: trainedSentence(results),
    cost: costSentence(results),
    situations: results.answers.situations.map((one) => situationSummary(results, one)),
    missing: missingSentence(results),
  };
}

/** What was not measured is not safe. */
function missingSentence({ answers }: StudyResults): string {
  const missing = situations.filter(({ name }) => answers.situations.every(({ situation }) => situation !== name));
  if (missing.length === 0) return '';
  const named = missing.map(({ label, example }) => `“${label}” (${example})`);
  return `Not measured in this study: ${list(named)}. Nothing here says that these are safe; a study with the attack in brackets would measure it.`;
}

function trainedSentence({ model, data, trainable, study }: StudyResults): string {
  const named =
    data.classes.length > 8 ? `${data.classes.length} classes` : list(data.classes.map((name) => `“${name}”`));
  const part =
    trainable.numbers < model.parameters
      ? `; training changed ${writeCount(trainable.numbers)} of its ${writeCount(model.parameters)} numbers`
      : '';
  return `A language model (${model.name}) was trained on ${writeCount(data.train)} texts of ${data.name} to tell ${named} apart${part}. This was repeated with ${study.seeds.length === 1 ? 'one seed' : `${study.seeds.length} seeds`} at each amount of noise, and each result was attacked.`;
}

function costSentence(results: StudyResults): string {
  const clean = results.levels.find(({ level }) => isNoiseless(level))?.utility?.accuracy;
  if (clean === undefined) return 'Accuracy without noise was not measured.';
  return `Without noise the model classifies ${writePercent(clean.mean)} of ${writeCount(results.data.test)} other texts correctly; always naming the most frequent class would be right for ${writePercent(results.data.majority)}.`;
}

function situationSummary(results: StudyResults, answer: SituationAnswer): SituationSummary {
  const { label, sees, notCovered } = situationNamed(answer.situation);
  const attacks = answer.attacks.map((name) => attackOf(results, name));
  return {
    heading: label,
    who: `${sees} Attacks tried: ${list(attacks.map((one) => one.label))}.`,
    found: [
      cleanSentence(results, answer),
      namedSentence(results, answer),
      ...answer.mechanisms.flatMap((one) => noiseSentences(results, one)),
    ].filter((sentence) => sentence !== undefined),
    advice: adviceOf(results, answer),
    assumptions: [
      'These are the attackers that were tried; a stronger one may get more.',
      ...assumptionsOf(results, attacks),
      notCovered,
    ],
  };
}

/** What an attack does, in words: it gets words back, or tells texts apart. */
const doesWhat = (attack: AboutAttack, found: AttackAnswer): string => {
  const range = interval(found);
  if (readsTrainedModel(attack)) return `is right in ${writePercent(found.mean, 0)} of cases${range}`;
  return attack.measure.key === 'lcsRatio'
    ? `gets back ${writePercent(found.mean, 0)} of the words in order${range}`
    : `reaches ${attack.measure.name} ${found.mean.toFixed(2)}`;
};

const interval = ({ mean, lower, upper }: AttackAnswer): string => {
  const text = writeInterval({ mean, lower, upper, values: lower === upper ? [mean] : [lower, upper] }, (share) =>
    writePercent(share, 0),
  );
  return text === '' ? '' : ` (95\u00a0% interval ${text})`;
};

/** A membership attack that is right less than this more often than guessing leaves noise nothing to take away that counts. */
const leastFinding = 0.1;

const strongestWithoutNoise = (mechanisms: readonly MechanismAnswer[]): AttackAnswer | undefined =>
  mechanisms.flatMap(({ clean }) => clean).toSorted((a, b) => b.mean - a.mean)[0];

/** What the strongest attack gets without noise, beside what guessing gets. */
function cleanSentence(results: StudyResults, { mechanisms }: SituationAnswer): string | undefined {
  const first = strongestWithoutNoise(mechanisms);
  if (first === undefined) return undefined;
  const attack = attackOf(results, first.attack);
  const noiseless = results.levels.find(({ level, leakage }) => isNoiseless(level) && leakage[first.attack]);
  const floor = noiseless?.leakage[first.attack]?.floor ?? 0;
  return readsTrainedModel(attack)
    ? `Without noise, the strongest attack (${attack.label}), shown one text that the model was trained on and one that it was not, says which is which in ${writePercent(first.mean, 0)} of cases${interval(first)}; guessing is right in 50\u00a0%.`
    : `Without noise, the strongest attack (${attack.label}) ${doesWhat(attack, first)}; it scores ${writePercent(floor, 0)} where there is nothing to find.`;
}

/** How many training texts the strongest attack would name without noise, beside how many chance names. */
function namedSentence(results: StudyResults, { mechanisms }: SituationAnswer): string | undefined {
  const { attack } = strongestWithoutNoise(mechanisms) ?? {};
  const found = results.levels.find(({ level, leakage }) => isNoiseless(level) && leakage[attack ?? '']?.records);
  const records = found?.leakage[attack ?? '']?.records;
  // With fewer others, nobody can be named at this rate.
  if (records === undefined || (records.others + 1) * records.falseAlarms < 1) return undefined;
  return `If one false alarm in a hundred is accepted, it would name ${writeCount(records.named.mean)} of ${writeCount(records.members)} training texts without noise; chance alone names ${writeCount(records.byChance)}.`;
}

function noiseSentences(results: StudyResults, one: MechanismAnswer): string[] {
  const { label } = mechanismOf(results, one.mechanism);
  return [...epsilonSentence(results, one, label), ...limitSentences(results, one, label)];
}

function epsilonSentence(results: StudyResults, { mechanism, atEpsilon }: MechanismAnswer, label: string): string[] {
  const [first] = atEpsilon?.attacks ?? [];
  if (atEpsilon === undefined || first === undefined) return [];
  const attack = attackOf(results, first.attack);
  const { parameter, guarantee, utility } = atEpsilon;
  const noise = `${capital(label)} with ${plainEpsilon(guarantee)} (${parameterPhrase(results, mechanism, parameter)})`;
  if (first.place === 'less noise than any level') {
    return [`${noise} is less noise than any that was tried here, so this study cannot say what it prevents.`];
  }
  const beyond =
    first.place === 'more noise than any level'
      ? ` is more noise than any that was tried here; at the most that was (${levelPhrase(results, first.from?.[0])})`
      : ':';
  const got = `${attack.label} ${doesWhat(attack, first)}`;
  const where = first.place === 'between levels' ? ', read between the levels tried' : '';
  const accuracy = utility === undefined ? '' : ` ${accuracyOf(utility)}`;
  return [`${noise}${beyond} ${got}${where}.${accuracy}`];
}

/** Accuracy with the noise of the sentence before. */
const accuracyOf = ({ mean, place }: CurveReading): string =>
  place === 'less noise than any level'
    ? 'Accuracy was measured only with more noise.'
    : `Accuracy with this noise: ${writePercent(mean)}${place === 'more noise than any level' ? ' or less' : ''}.`;

const levelPhrase = (results: StudyResults, level: Level | undefined): string =>
  level?.parameter === undefined ? 'no noise' : parameterPhrase(results, level.mechanism, level.parameter);

const limitNames = {
  text: 'of the words in order',
  auc: 'of pairs told apart',
  tpr: 'of the training texts named at one false alarm in a hundred',
};

function limitSentences(results: StudyResults, { mechanism, limits }: MechanismAnswer, label: string): string[] {
  return limits.map(({ limit, attack, reached, parameter, interval: ends, guarantee, utility }) => {
    const goal = `At most ${writePercent(limit.most, 0)} ${limitNames[limit.measure]}`;
    const by = `by ${attackOf(results, attack).label}`;
    if (reached === 'not reached') return `${goal}: no amount of ${label} that was tried reaches this (${by}).`;
    if (reached === 'without noise') return `${goal}: no noise is needed for this (${by}).`;
    const at = parameterPhrase(results, mechanism, parameter as number);
    const range = [ends?.least, ends?.most].map((end) =>
      end === undefined ? 'not shown' : parameterPhrase(results, mechanism, end),
    );
    const epsilon = guarantee ? `, which has ${plainEpsilon(guarantee)}${weakNote(guarantee)}` : '';
    const cost = utility ? ` ${accuracyOf(utility)}` : '';
    const least =
      reached === 'least level'
        ? ', the least that was tried; less may be enough'
        : ` (95\u00a0% interval: ${range.join(' to ')})`;
    return `${goal}: ${label} from ${at} on${least}${epsilon} (${by}).${cost}`;
  });
}

const weakNote = (guarantee: StatedEpsilon): string =>
  isWeak(guarantee) ? ', a promise that means next to nothing' : '';

/** The mechanism that keeps the most accuracy where it stops every attack of the situation. */
function adviceOf(results: StudyResults, { situation, mechanisms }: SituationAnswer): string {
  const { release } = situationNamed(situation);
  if (mechanisms.length === 0) return 'No noise was tried, so there is nothing to choose from.';
  const strongest = strongestWithoutNoise(mechanisms);
  const finds = strongest && readsTrainedModel(attackOf(results, strongest.attack)) ? strongest.mean - 0.5 : 1;
  if (!mechanisms.some(({ isConclusive }) => isConclusive) || finds < leastFinding) {
    return 'These attacks find too little, even without noise, to choose an amount of noise by them: choose it by its guarantee.';
  }
  const found = mechanisms.flatMap(({ mechanism, stopsAt, undecided }) => {
    const at = stopsAt && resultsAt(results, stopsAt.level);
    return at && stopsAt ? [{ mechanism, at, undecided, decidedBy: stopsAt.decidedBy, utility: stopsAt.utility }] : [];
  });
  const [best] = found.toSorted((a, b) => (b.utility?.mean ?? 0) - (a.utility?.mean ?? 0));
  if (best === undefined)
    return 'No amount of noise that was tried is shown to stop all of these attacks: do not share, or try more noise.';
  const { at, decidedBy, undecided, utility } = best;
  const guarantee = release === 'training' ? promiseOf(at) : (at.shared?.rounds?.all ?? at.shared?.once);
  const rests =
    guarantee === undefined
      ? 'It has no guarantee, so this rests on measurement alone.'
      : isWeak(guarantee)
        ? `This rests on measurement alone: its guarantee (${plainEpsilon(guarantee)}) promises next to nothing.`
        : `Its guarantee is ${plainEpsilon(guarantee)}.`;
  const cost = utility ? ` ${accuracyOf(utility)}` : '';
  return `From ${mechanismOf(results, best.mechanism).label} with ${levelPhrase(results, at.level)} on, every attack that ${undecided.length > 0 ? 'can be judged' : 'was tried'} gets at most a tenth of what it gets without noise (counted from its score where there is nothing to find); ${attackOf(results, decidedBy).label} needs the most noise.${undecidedNote(results, undecided)}${cost} ${rests}`;
}

/** Attacks of which too little was measured are named, because nothing is said about them. */
const undecidedNote = (results: StudyResults, undecided: readonly string[]): string =>
  undecided.length === 0
    ? ''
    : ` Too little was measured to judge ${list(undecided.map((name) => attackOf(results, name).label))}.`;
