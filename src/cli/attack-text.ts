// What `epsilens attack` prints: truth and recovery side by side, then figures.

import type { MembershipResult } from '../attacks/index.js';
import type { SpanReport } from './attack-span.js';

const shownSentences = 8;
const [green, red, plain] = ['\x1b[32m', '\x1b[31m', '\x1b[0m'];

export function describeSpan(
  { model, protection, shared, lines, summary, floor, finished }: SpanReport,
  colour: boolean,
): string {
  const shown = lines
    .slice(0, shownSentences)
    .flatMap(({ truth, recovered, truthText, recoveredText, cosine }) => [
      `  truth      ${truthText}`,
      colour ? `  recovered  ${coloured(truth, recovered)}` : `  recovered  ${recoveredText}`,
      `  ${' '.repeat(11)}${rightTokens(truth, recovered)} of ${truth.length} tokens in place; cosine of what was shared ${cosine.all.toFixed(3)}`,
      '',
    ]);
  const more =
    lines.length > shownSentences
      ? [`  … and ${lines.length - shownSentences} more (--json or --out for all)`, '']
      : [];
  const seconds = lines.reduce((sum, line) => sum + line.seconds, 0) / Math.max(1, lines.length);
  const rows = (
    ['rougeL', 'rouge1', 'rouge2', 'meteor', 'wordSimilarity', 'exactMatch', 'factsRecovered', 'cosine'] as const
  ).flatMap((name) => {
    const figure = summary[name];
    return figure === undefined
      ? []
      : [
          `  ${name.padEnd(16)}${figure.mean.toFixed(3).padStart(7)}   ${figure.lower.toFixed(3)} to ${figure.upper.toFixed(3)}`,
        ];
  });
  return `${[
    `Span attack on ${model}: ${lines.length} sentence${lines.length === 1 ? '' : 's'}, ${protection}`,
    `Shared: ${shared.tensors.length} tensor${shared.tensors.length === 1 ? '' : 's'} of the first block, ${shared.numbers.toLocaleString('en')} numbers`,
    '',
    ...shown,
    ...more,
    `  ${'score'.padEnd(16)}${'mean'.padStart(7)}   95 % interval`,
    ...rows,
    '',
    ...(floor === undefined ? [] : [`  Floor: ROUGE-L ${floor.toFixed(3)} when the gradient is of another sentence.`]),
    `  ${seconds.toFixed(2)} s a sentence.${finished ? '' : ' Stopped before the end: the same command with --out goes on.'}`,
  ].join('\n')}\n`;
}

const rightTokens = (truth: readonly string[], recovered: readonly string[]): number =>
  truth.filter((token, place) => token === recovered[place]).length;

/** Tokens in place green, others red. */
const coloured = (truth: readonly string[], recovered: readonly string[]): string =>
  recovered.map((token, place) => `${token === truth[place] ? green : red}${token}${plain}`).join(' ');

export interface MembershipReport extends MembershipResult {
  readonly model: string;
  readonly data: string;
  readonly accuracy: { readonly members: number; readonly others: number };
}

export function describeMembership(report: MembershipReport): string {
  const { model, data, members, others, auc, advantage, tprAt1, tprAt01, lossGap, floor, accuracy } = report;
  const row = (name: string, { value, lower, upper }: MembershipResult['auc'], chance: string) =>
    `  ${name.padEnd(22)}${value.toFixed(3).padStart(7)}   ${lower.toFixed(3)} to ${upper.toFixed(3)}   ${chance}`;
  return `${[
    `Membership by loss: ${model} on ${data}; ${members} members, ${others} others`,
    '',
    `  ${'figure'.padEnd(22)}${'value'.padStart(7)}   95 % interval    by chance`,
    row('AUC', auc, `0.5 (others split in two: ${floor.auc.toFixed(3)})`),
    row('best TPR − FPR', advantage, `${floor.advantage.toFixed(3)} on others split in two`),
    row('TPR at 1 % FPR', tprAt1, '0.01'),
    row('TPR at 0.1 % FPR', tprAt01, '0.001'),
    row('loss gap', lossGap, '0'),
    '',
    `  Accuracy ${(100 * accuracy.members).toFixed(1)} % on members, ${(100 * accuracy.others).toFixed(1)} % on others: a gap of ${(100 * (accuracy.members - accuracy.others)).toFixed(1)} points.`,
  ].join('\n')}\n`;
}
