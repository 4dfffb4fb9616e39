// What `epsilens attack decepticons` prints.

import type { ClientLossName, DecepticonsAttacker } from '../attacks/index.js';
import type { BatchLine, Floor } from './attack-decepticons-batch.js';
import type { Message } from './attack-decepticons-server.js';
import { describeScores, type ScoredPairs } from './attack-scores.js';
import { describePairs } from './attack-tokens.js';

export interface DecepticonsReport extends ScoredPairs, Message {
  readonly model: string;
  readonly attacker: DecepticonsAttacker;
  readonly loss: ClientLossName;
  readonly protection: string;
  readonly batchSize: number;
  readonly lines: readonly BatchLine[];
  readonly floor?: Floor;
  readonly finished: boolean;
}

export function describeDecepticons(report: DecepticonsReport, colour: boolean): string {
  const { model, attacker, loss, protection, shared, batchSize, lines, summary, floor, finished } = report;
  const mean = (numberOf: (line: DecepticonsReport['lines'][number]) => number) =>
    lines.reduce((sum, line) => sum + numberOf(line), 0) / Math.max(1, lines.length);
  const sentences = lines.flatMap((line) => line.sentences);
  return `${[
    `Decepticons (${attacker}) on ${model}: ${count(lines.length, 'batch', 'batches')} of ${count(batchSize, 'sentence')}, loss of ${losses[loss]}, ${protection}`,
    ...describeServer(report.server),
    `Shared: all ${shared.tensors} tensors, ${shared.numbers.toLocaleString('en')} numbers; the attack reads ${shared.read.length} of them`,
    '',
    ...describePairs(sentences, colour),
    ...describeScores(summary),
    '',
    ...(lines.length === 0
      ? []
      : [
          `  Cosine of what was shared to the true gradient: ${mean(({ cosine }) => cosine.all).toFixed(3)}, of the tensors read ${mean(({ cosine }) => cosine.read.all).toFixed(3)}`,
        ]),
    ...(floor === undefined
      ? []
      : [`  Floor: LCS ratio ${floor.lcsRatio.toFixed(3)} when the gradient is of ${floor.of}.`]),
    `  ${mean(({ seconds }) => seconds.attack).toFixed(2)} s a batch, and ${mean(({ seconds }) => seconds.client).toFixed(2)} s for the client.${finished ? '' : ' Stopped before the end: the same command with --out goes on.'}`,
  ].join('\n')}\n`;
}

/** The transformation, in two lines. */
function describeServer({ changed, tensors, settings, feedForwards, thresholds }: DecepticonsReport['server']) {
  const tables = settings.redrawn
    ? 'word and position tables drawn anew'
    : 'word and position tables kept but for the key';
  return [
    `The server set ${changed} of ${tensors} tensors: ${tables}; all tokens attend to position ${settings.keyPosition}, the key of their sentence;`,
    `  one measurement in all rows of ${count(feedForwards, 'feed-forward')}, ${thresholds.toLocaleString('en')} thresholds in their biases. --json has every change in words.`,
  ];
}

const losses: Readonly<Record<DecepticonsReport['loss'], string>> = {
  next: 'the next token',
  all: 'every token',
  masked: '15 % hidden tokens',
  class: 'the class',
};

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;
