// What `epsilens account` prints: every accountant's answer, which one to quote, and the statement.

import { type Guarantee, writeNumber } from '../privacy/index.js';
import type { AccountFlags, AccountResult, Answer, AnswerName } from './account-figures.js';
import { hang, wrap } from './wrap.js';

/** The column at which the notes of the table begin. */
const NOTES = 39;

const notes: Readonly<Record<AnswerName, string>> = {
  pld: 'the tightest proven bound',
  rdp: 'quick; what most papers quote',
  moments: 'Abadi et al. 2016',
  zcdp: 'without amplification by sampling',
  advanced: 'advanced composition',
  basic: 'adds up the steps',
  gdp: 'a limit for many steps',
};

const reasons = {
  pld: 'it is proved, and the tightest of those that are',
  rdp: 'it is proved, and pld has no answer here',
} as const;

export function describeAccount(flags: AccountFlags, result: AccountResult): string {
  const { sampleRate, steps, delta, epsilon, accountant } = flags;
  const { answers, noiseMultiplier, quoted, shuffled, series, statement } = result;
  const settings = [
    `sample rate ${writeNumber(sampleRate, 6)}`,
    `noise multiplier ${writeNumber(noiseMultiplier, 6, 'up')}`,
    count(steps, 'step'),
    `delta ${writeNumber(delta)}`,
  ];
  const table = [
    row('accountant', 'epsilon', 'bound', ''),
    ...Object.entries(answers).flatMap(([name, answer]) => answerRow(name as AnswerName, answer)),
  ];
  const advice = quoted
    ? `Quote the ${quoted} number, with delta and the neighbours: ${reasons[quoted]}.`
    : 'There is no number to quote: neither pld nor rdp has an answer here.';
  const caution =
    `The table holds for Poisson batches only. For shuffled batches, replacing one example, epsilon is at most ` +
    `${writeNumber(shuffled.epsilon, 5, 'up')} over ${count(shuffled.epochs, 'epoch')}: no amplification is proved.`;
  return `${[
    ...hang('DP-SGD: ', settings.join(', ')),
    ...(epsilon === undefined ? [] : [`The noise is the least that keeps epsilon ${epsilon} by ${accountant}.`]),
    'Neighbours: adding or removing one example.',
    'Epsilon has no unit (natural logarithm).',
    '',
    ...table,
    '',
    ...wrap(advice),
    ...wrap(caution),
    ...(series ? ['', `${'step'.padStart(11)}${'epsilon'.padStart(12)}`, ...series.flatMap(seriesRow)] : []),
    '',
    ...statement.flatMap((sentence) => wrap(sentence)),
  ].join('\n')}\n`;
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** ε as it may be quoted: a bound is never rounded below itself. */
const figure = ({ epsilon, bound }: Guarantee) => writeNumber(epsilon, 5, bound === 'approximate' ? 'near' : 'up');

const row = (name: string, epsilon: string, bound: string, note: string) =>
  `  ${name.padEnd(10)}${epsilon.padStart(11)}   ${bound.padEnd(13)}${note}`.trimEnd();

function answerRow(name: AnswerName, answer: Answer): string[] {
  if ('error' in answer) return beside(row(name, '–', '–', ''), answer.error);
  const { bound, order, lower, upper } = answer;
  const between = lower !== undefined && upper !== undefined && bound !== 'exact';
  const details = [
    notes[name],
    ...(order === undefined ? [] : [`order ${order}`]),
    ...(between ? [`between ${writeNumber(lower, 5, 'down')} and ${writeNumber(upper, 5, 'up')}`] : []),
    ...(bound === 'approximate' ? ['may be too low: do not quote'] : []),
  ];
  return beside(row(name, figure(answer), bound, ''), details.join('; '));
}

function seriesRow(place: { readonly step: number } & Answer): string[] {
  const step = `${place.step}`.padStart(11);
  return 'error' in place
    ? beside(`${step}${'–'.padStart(12)}`, place.error)
    : [`${step}${figure(place).padStart(12)}`];
}

/** A note beside its row. */
const beside = (beginning: string, note: string): string[] => hang(beginning.padEnd(NOTES), note);
