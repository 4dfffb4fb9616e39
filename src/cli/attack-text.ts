// What `epsilens attack` prints: truth and recovery side by side, then figures.

import type { MembershipReport } from '../api/index.js';
import {
  type Attack,
  type AttackedModel,
  chanceAt,
  type Figure,
  type GradientAttack,
  type GradientFileResult,
  type LossAttack,
  lossWords,
  type ReconstructionResult,
  tokensAround,
} from '../attacks/index.js';
import type { ScoreName } from '../metrics/index.js';
import { WIDTH, wrap } from './wrap.js';

export interface ReconstructionContext {
  /** Lines about what the attacker prepared. */
  readonly lines: readonly string[];
  readonly tokenizer: AttackedModel['tokenizer'];
  readonly colour: boolean;
}

export function describeReconstruction(
  attack: GradientAttack,
  result: ReconstructionResult & { readonly protection: string },
  { lines, tokenizer, colour }: ReconstructionContext,
): string {
  const { model, loss, protection, batchSize, batches, shared, sentences, summary, floor, finished } = result;
  const mean = (numberOf: (batch: (typeof batches)[number]) => number) =>
    batches.reduce((sum, batch) => sum + numberOf(batch), 0) / Math.max(1, batches.length);
  const size = batchSize === 1 ? '' : ` in batches of ${batchSize}`;
  const rest = finished ? '' : ' Stopped before the end: with --out, the same command resumes.';
  return `${[
    `${capital(attack.words.label)} attack on ${model}: ${count(sentences.length, 'sentence')}${size}, loss of ${lossWords[loss]}, ${protection}`,
    ...lines,
    `Shared: ${count(shared.tensors, 'tensor')}, ${shared.numbers.toLocaleString('en')} numbers; the attack reads ${count(shared.read.length, 'tensor')}`,
    '',
    ...describeSentences(sentences, tokenizer, colour),
    ...describeScores(summary),
    '',
    ...(batches.length === 0
      ? []
      : [
          `  Cosine between the shared and the true gradient: ${mean(({ cosine }) => cosine.all).toFixed(3)}; over the tensors read: ${mean(({ cosine }) => cosine.read).toFixed(3)}`,
        ]),
    ...(floor
      ? [`  Floor: ${attack.measure.name} ${floor.mean.toFixed(3)} when the gradient comes from ${floor.of}.`]
      : []),
    `  ${mean(({ seconds }) => seconds.attack).toFixed(2)} s per batch, and ${mean(({ seconds }) => seconds.client).toFixed(2)} s for the client.${rest}`,
  ].join('\n')}\n`;
}

const shownSentences = 8;
const [green, red, plain] = ['\x1b[32m', '\x1b[31m', '\x1b[0m'];

/** The first few sentences. On a terminal, tokens in their place are green, others red. */
function describeSentences(
  sentences: ReconstructionResult['sentences'],
  tokenizer: AttackedModel['tokenizer'],
  colour: boolean,
): string[] {
  const { before, after } = tokensAround(tokenizer);
  // Everybody knows the special tokens around a text.
  const bare = (tokens: readonly string[]) => tokens.slice(before.length, tokens.length - after.length);
  const shown = sentences.slice(0, shownSentences).flatMap(({ truth, guess, truthTokens, guessTokens }) => {
    const [own, found] = [bare(truthTokens), bare(guessTokens)];
    const right = own.filter((token, place) => token === found[place]).length;
    const painted = found.map((token, place) => `${token === own[place] ? green : red}${token}${plain}`);
    return [
      `  truth      ${truth}`,
      `  recovered  ${colour ? painted.join(' ') : guess}`,
      `  ${' '.repeat(11)}${right} of ${own.length} tokens in place`,
      '',
    ];
  });
  const more = sentences.length - shownSentences;
  return more > 0 ? [...shown, `  … and ${more} more (--json or --out for all)`, ''] : shown;
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
): string {
  const { model, gradients, tokens, text, figures } = result;
  const found = Object.entries(figures).map(([name, value]) => `, ${name} ${value}`);
  return `${[
    `${capital(attack.words.label)} attack on ${model} with the gradients of ${gradients}: ${tokens.length} tokens${found.join('')}`,
    '',
    `  ${text}`,
    '',
    `  ${tokens.join(' ')}`,
  ].join('\n')}\n`;
}

export function describeMembership({ words }: LossAttack, report: MembershipReport): string {
  const { model, data, members, others, othersFrom, auc, advantage, tprAt1, tprAt01, lossGap, floor, accuracy } =
    report;
  const row = (name: string, { value, lower, upper }: Figure, chance: string) =>
    `  ${name.padEnd(22)}${value.toFixed(3).padStart(7)}   ${lower.toFixed(3)} to ${upper.toFixed(3)}   ${chance}`;
  const rate = (name: string, figure: Figure | null, falsePositiveRate: number) =>
    figure === null
      ? `  ${name.padEnd(22)}not measurable with ${others} non-members: ${Math.round(1 / falsePositiveRate).toLocaleString('en')} are needed`
      : row(name, figure, chanceAt(falsePositiveRate, others).toFixed(3));
  const source = othersFrom === 'held-out' ? 'held out before training' : `the split ${othersFrom}`;
  return `${[
    `${capital(words.label)} attack on ${model}, trained on ${data}: ${members} members, ${others} others (${source})`,
    '',
    `  ${'figure'.padEnd(22)}${'value'.padStart(7)}   95 % interval    by chance`,
    row('AUC', auc, `0.5 (others split in two: ${floor.auc.toFixed(3)})`),
    row('best TPR − FPR', advantage, `${floor.advantage.toFixed(3)} on others split in two`),
    rate('TPR at 1 % FPR', tprAt1, 0.01),
    rate('TPR at 0.1 % FPR', tprAt01, 0.001),
    row('loss gap', lossGap, '0'),
    '',
    `  Accuracy ${(100 * accuracy.members).toFixed(1)} % on members, ${(100 * accuracy.others).toFixed(1)} % on others: a gap of ${(100 * (accuracy.members - accuracy.others)).toFixed(1)} points.`,
    ...report.warnings.flatMap((warning) => ['', ...indented(`Warning: ${warning}`)]),
    '',
    ...indented(report.verdict),
  ].join('\n')}\n`;
}

const indented = (sentence: string): string[] => wrap(sentence, WIDTH - 2).map((line) => `  ${line}`);

/** The paragraph below the options of `epsilens attack NAME --help`. */
export const describeAttack = ({ words }: Attack): string =>
  `\n${wrap(`${words.definition} (${words.reference})`, 80).join('\n')}`;

/** Whether to use colours: on a terminal, unless NO_COLOR is set. */
export const wantsColour = (): boolean => process.stdout.isTTY === true && process.env.NO_COLOR === undefined;

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`;
