// What `epsilens attack` prints: truth and recovery side by side, then figures.

import type { MembershipReport } from '../api/index.js';
import {
  type Attack,
  type AttackedModel,
  type GradientAttack,
  type GradientFileResult,
  type LossAttack,
  lossWords,
  type ReconstructionResult,
  tokensAround,
} from '../attacks/index.js';
import type { ScoreName } from '../metrics/index.js';
import { describeLikelihood } from './likelihood-text.js';
import { accuracyLines, figureHeader, figureRow, rateRow } from './membership-rows.js';
import { hang, wrap } from './wrap.js';

export interface ReconstructionContext {
  /** Lines about what the attacker prepared. */
  readonly lines: readonly string[];
  readonly tokenizer: AttackedModel['tokenizer'];
  readonly colour: boolean;
  /** Whether to show also the guesses that are noise. Default: false. */
  readonly showGuesses?: boolean;
}

export function describeReconstruction(
  attack: GradientAttack,
  result: ReconstructionResult & { readonly protection: string },
  context: ReconstructionContext,
): string {
  const { model, loss, protection, batchSize, batches, shared, sentences, summary, floor, finished } = result;
  const mean = (numberOf: (batch: (typeof batches)[number]) => number) =>
    batches.reduce((sum, batch) => sum + numberOf(batch), 0) / Math.max(1, batches.length);
  const size = batchSize === 1 ? '' : ` in batches of ${batchSize}`;
  const rest = finished ? [] : ['  Stopped before the end: with --out, the same command resumes.'];
  return `${[
    ...wrap(
      `${capital(attack.words.label)} attack on ${model}: ${count(sentences.length, 'sentence')}${size}, loss of ${lossWords[loss]}, ${protection}`,
    ),
    ...context.lines.flatMap((line) => wrap(line)),
    ...wrap(
      `Shared: ${count(shared.tensors, 'tensor')}, ${shared.numbers.toLocaleString('en')} numbers; the attack reads ${count(shared.read.length, 'tensor')}`,
    ),
    '',
    ...describeSentences(result, attack.measure.name, context),
    ...describeScores(summary),
    ...describeLikelihood(result),
    '',
    ...(batches.length === 0
      ? []
      : hang(
          '  ',
          `Cosine between shared and true gradient: ${mean(({ cosine }) => cosine.all).toFixed(3)}; over the tensors read: ${mean(({ cosine }) => cosine.read).toFixed(3)}`,
        )),
    ...(floor
      ? [
          `  Floor: ${attack.measure.name} ${floor.mean.toFixed(3)} when the gradient comes from ${floor.of}.`,
          ...(floor.prior === undefined
            ? []
            : [`  Without any gradient, the prior alone scores ${floor.prior.toFixed(3)}.`]),
          `  Above ${floor.threshold.toFixed(3)} a sentence counts as recovered.`,
        ]
      : []),
    `  ${mean(({ seconds }) => seconds.attack).toFixed(2)} s per batch, and ${mean(({ seconds }) => seconds.client).toFixed(2)} s for the client.`,
    ...describeNotes(batches.flatMap(({ notes = [] }) => notes)),
    ...rest,
  ].join('\n')}\n`;
}

/** Each note once, although many batches may have it. */
const describeNotes = (notes: readonly string[]): string[] =>
  [...new Set(notes)].flatMap((note) => hang('  ', `Note: ${note}`));

const shownSentences = 8;
const [green, red, plain] = ['\x1b[32m', '\x1b[31m', '\x1b[0m'];

/** The first few sentences. On a terminal, tokens in their place are green, others red. What is noise is not shown unless asked for. */
function describeSentences(
  { sentences, floor }: ReconstructionResult,
  measure: string,
  { tokenizer, colour, showGuesses = false }: ReconstructionContext,
): string[] {
  const isShown = ({ recovered }: Sentence) => recovered !== false || showGuesses;
  const limit = floor === undefined ? '' : ` above ${floor.threshold.toFixed(3)}`;
  if (sentences.length > 0 && !sentences.some(isShown)) {
    return [
      `  Nothing recovered from ${count(sentences.length, 'sentence')}: no ${measure} is${limit}.`,
      '  What the attack guessed is noise (--show-guesses prints it).',
      '',
    ];
  }
  const shown = sentences
    .slice(0, shownSentences)
    .flatMap((one) => [
      `  truth      ${one.truth}`,
      ...(isShown(one)
        ? describeGuess(one, tokenizer, colour)
        : [`  recovered  nothing: its ${measure} is not${limit}`]),
      '',
    ]);
  const more = sentences.length - shownSentences;
  return more > 0 ? [...shown, `  … and ${more} more (--json or --out for all)`, ''] : shown;
}

type Sentence = ReconstructionResult['sentences'][number];

function describeGuess(
  { guess, truthTokens, guessTokens, recovered }: Sentence,
  tokenizer: AttackedModel['tokenizer'],
  colour: boolean,
): string[] {
  const { before, after } = tokensAround(tokenizer);
  // Everybody knows the special tokens around a text.
  const bare = (tokens: readonly string[]) => tokens.slice(before.length, tokens.length - after.length);
  const [own, found] = [bare(truthTokens), bare(guessTokens)];
  const right = own.filter((token, place) => token === found[place]).length;
  const painted = found.map((token, place) => `${token === own[place] ? green : red}${token}${plain}`);
  return [
    `  ${recovered === false ? 'guessed  ' : 'recovered'}  ${colour ? painted.join(' ') : guess}`,
    `  ${' '.repeat(11)}${right} of ${own.length} tokens in place${recovered === false ? ': noise, not recovered' : ''}`,
  ];
}

const shownScores: readonly ScoreName[] = [
  'lcsRatio',
  'rougeL',
  'rouge1',
  'rouge2',
  'meteor',
  'wordSimilarity',
  'exactMatch',
  'factsRecovered',
  'cosine',
];

function describeScores(summary: ReconstructionResult['summary']): string[] {
  const rows = shownScores.flatMap((name) => {
    const figure = summary[name];
    if (figure === undefined) return [];
    const { mean, lower, upper, count: texts } = figure;
    const range = texts > 1 ? `${lower.toFixed(3)} to ${upper.toFixed(3)}` : 'one text: none';
    return [`  ${name.padEnd(16)}${mean.toFixed(3).padStart(7)}   ${range}`];
  });
  return [`  ${'score'.padEnd(16)}${'mean'.padStart(7)}   95 % interval`, ...rows];
}

export function describeGradientFile(
  attack: GradientAttack,
  result: GradientFileResult & { readonly model: string; readonly gradients: string },
  showGuesses = false,
): string {
  const { model, gradients, tokens, text, figures, notes = [], recovered } = result;
  const found = Object.entries(figures).map(([name, value]) => `, ${name} ${value}`);
  return `${[
    ...wrap(
      `${capital(attack.words.label)} attack on ${model} with the gradients of ${gradients}: ${tokens.length} tokens${found.join('')}`,
    ),
    '',
    ...(recovered === false
      ? [
          '  Nothing recovered: on pure noise of this size the attack is as sure of its',
          `  tokens.${showGuesses ? ' It guessed:' : ' What it guessed is noise (--show-guesses prints it).'}`,
        ]
      : []),
    ...(recovered === false && showGuesses ? [''] : []),
    ...(recovered === false && !showGuesses ? [] : [`  ${text}`, '', `  ${tokens.join(' ')}`]),
    ...describeNotes(notes),
  ].join('\n')}\n`;
}

export function describeMembership({ words }: LossAttack, report: Omit<MembershipReport, 'records'>): string {
  const { model, data, members, others, othersFrom, auc, advantage, tprAt1, tprAt01, lossGap, floor, accuracy } =
    report;
  const source = othersFrom === 'held-out' ? 'held out before training' : `the split ${othersFrom}`;
  return `${[
    ...wrap(
      `${capital(words.label)} attack on ${model}, trained on ${data}: ${members} members, ${others} others (${source})`,
    ),
    '',
    figureHeader,
    figureRow('AUC', auc, `0.5 (${floor.auc.toFixed(3)} on others split)`),
    figureRow('best TPR − FPR', advantage, `${floor.advantage.toFixed(3)} on others split in two`),
    rateRow('TPR at 1 % FPR', tprAt1, 0.01, others),
    rateRow('TPR at 0.1 % FPR', tprAt01, 0.001, others),
    figureRow('loss gap', lossGap, '0'),
    '',
    ...accuracyLines(accuracy),
    ...report.warnings.flatMap((warning) => ['', ...hang('  ', `Warning: ${warning}`)]),
    '',
    ...hang('  ', report.verdict),
  ].join('\n')}\n`;
}

/** The paragraph below the options of `epsilens attack NAME --help`. */
export const describeAttack = ({ words }: Attack): string =>
  `\n${wrap(`${words.definition} (${words.reference})`).join('\n')}`;

/** Whether to use colours: on a terminal, unless NO_COLOR is set. */
export const wantsColour = (): boolean => process.stdout.isTTY === true && process.env.NO_COLOR === undefined;

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`;
