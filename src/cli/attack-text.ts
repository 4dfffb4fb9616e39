// What `epsilens attack` prints: truth and recovery side by side, then figures.

import type { MembershipResult } from '../attacks/index.js';
import { describeScores } from './attack-scores.js';
import type { SpanReport } from './attack-span.js';
import { describePairs } from './attack-tokens.js';

export function describeSpan(
  { model, protection, shared, lines, summary, floor, finished }: SpanReport,
  colour: boolean,
): string {
  const seconds = lines.reduce((sum, line) => sum + line.seconds, 0) / Math.max(1, lines.length);
  return `${[
    `Span attack on ${model}: ${lines.length} sentence${lines.length === 1 ? '' : 's'}, ${protection}`,
    `Shared: ${shared.tensors.length} tensor${shared.tensors.length === 1 ? '' : 's'} of attention, ${shared.numbers.toLocaleString('en')} numbers`,
    '',
    ...describePairs(lines, colour, ({ cosine }) => `; cosine of what was shared ${cosine.all.toFixed(3)}`),
    ...describeScores(summary),
    '',
    ...(floor === undefined
      ? []
      : [`  Floor: LCS ratio ${floor.toFixed(3)} when the gradient is of another sentence.`]),
    `  ${seconds.toFixed(2)} s a sentence.${finished ? '' : ' Stopped before the end: the same command with --out goes on.'}`,
  ].join('\n')}\n`;
}

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
