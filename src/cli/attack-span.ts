// `epsilens attack span`: text from the gradients of the first attention block.

import { ArgumentError } from '../checks/index.js';
import { attackOutside, describeOutside } from './attack-outside.js';
import { openResults } from './attack-results.js';
import { recoveredShare, type ScoredPairs, scorePairs } from './attack-scores.js';
import { addSentenceFlags } from './attack-sentences.js';
import { type BatchFlags, openSpan, type SpanLine } from './attack-span-batch.js';
import { describeSpan } from './attack-text.js';
import { wantsColour } from './attack-tokens.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { answerShare, ownShare, shareWork } from './jobs.js';
import { bar, progressLine, stopOnInterrupt } from './progress.js';
import { addProtectionFlags, describeProtection, protectionFrom } from './protection-flags.js';

interface SpanFlags extends BatchFlags {
  readonly gradients?: string;
  readonly length?: number;
  readonly noiseDeviation?: number;
  /** `--no-similarity` leaves out the sentence encoder. */
  readonly similarity: boolean;
  readonly jobs: number;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addSpanAttack(attack: Command): void {
  const command = attack
    .command('span')
    .description('recover the text from the gradients of the first attention block: no optimisation, no labels');
  addProtectionFlags(addSentenceFlags(command))
    .option('--batch-size <number>', 'sentences whose gradients are shared as one sum', wholeNumber(1))
    .option(
      '--prior <model>',
      'a language model of the same vocabulary that decides between near-equal tokens: bundled:gpt2-mini for bundled models',
    )
    .option('--unknown-lengths', 'the attacker must find out how long a sentence is')
    .option(
      '--gradients <file>',
      'instead of a text: gradients from outside, in safetensors (docs/attacks.md says how to export them)',
    )
    .option('--length <tokens>', 'with --gradients: tokens of the sentence, where known', wholeNumber(1))
    .option(
      '--noise-deviation <number>',
      'with --gradients: standard deviation of the noise on each number, where known',
      positiveNumber,
    )
    .option('--no-similarity', 'leave out the cosine of sentence vectors')
    .option('--jobs <count>', 'processes at a time, one core each', wholeNumber(1), 1)
    .option('--out <folder>', 'keep results there, and go on with them next time')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (flags: SpanFlags) => {
      const { gradients } = flags;
      if (gradients !== undefined) {
        if (flags.text !== undefined || flags.data !== undefined) {
          throw new ArgumentError('expected one of --text, --data and --gradients, got two');
        }
        if (flags.batchSize !== undefined || flags.prior !== undefined) {
          throw new ArgumentError('--batch-size and --prior are not for --gradients');
        }
        const found = await attackOutside({ ...flags, gradients });
        process.stdout.write(flags.json ? `${JSON.stringify(found, null, 2)}\n` : describeOutside(found));
        return;
      }
      const share = await ownShare();
      if (share !== undefined) return runShare(flags, share);
      const report = await runSpan(flags);
      process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : describeSpan(report, wantsColour()));
    });
}

export interface SpanReport extends ScoredPairs {
  readonly model: string;
  readonly protection: string;
  readonly shared: { readonly tensors: readonly string[]; readonly numbers: number };
  readonly lines: readonly SpanLine[];
  /** Mean ROUGE-L when the gradient is of another sentence. */
  readonly floor?: number;
  readonly finished: boolean;
}

async function runSpan(flags: SpanFlags): Promise<SpanReport> {
  const progress = progressLine((flags.quiet || flags.json) ?? false);
  const stop = stopOnInterrupt();
  try {
    progress.show('loading the model …');
    const { batchSize: batch = 1, jobs } = flags;
    const span = await openSpan(flags);
    const results = await openResults<SpanLine>(flags);
    const lines = new Map(results.done.map((line) => [line.index, line]));
    const keep = async (found: readonly SpanLine[]) => {
      const fresh = found.filter(({ index }) => !lines.has(index));
      for (const line of fresh) lines.set(line.index, line);
      await results.append(...fresh);
      progress.show(`${bar(lines.size / span.sentences)} ${lines.size}/${span.sentences} sentences`);
    };
    try {
      const firsts = Array.from({ length: Math.ceil(span.sentences / batch) }, (_, place) => place * batch);
      // A batch of which only some lines were kept is done again.
      const open = firsts.filter((first) => membersOf(first, batch, span.sentences).some((index) => !lines.has(index)));
      if (jobs > 1 && open.length > 1) await shareWork(open, jobs, keep, stop.signal);
      else for (const first of open) if (!stop.signal.aborted) await keep(await span.attack(first));
    } finally {
      await span.close();
    }
    progress.show('scoring …');
    const inOrder = [...lines.values()].sort((a, b) => a.index - b.index);
    const report = await summarize(flags, inOrder, {
      model: flags.model,
      protection: describeProtection(protectionFrom(flags)),
      shared: span.shared,
      finished: lines.size === span.sentences,
    });
    await results.finish(report);
    return report;
  } finally {
    stop.end();
    progress.end();
  }
}

const membersOf = (first: number, batch: number, sentences: number): number[] =>
  Array.from({ length: Math.min(batch, sentences - first) }, (_, place) => first + place);

/** In a process that another has started: its share, and nothing else. */
async function runShare(flags: SpanFlags, share: readonly number[]): Promise<void> {
  const span = await openSpan(flags);
  await answerShare(share, span.attack);
  await span.close();
}

async function summarize(
  flags: SpanFlags,
  lines: readonly SpanLine[],
  head: Pick<SpanReport, 'model' | 'protection' | 'shared' | 'finished'>,
): Promise<SpanReport> {
  const floor =
    lines.length < 2 * (flags.batchSize ?? 1)
      ? undefined
      : lines.reduce(
          (sum, { truthText }, i) =>
            sum +
            recoveredShare(truthText, (lines[(i + (flags.batchSize ?? 1)) % lines.length] as SpanLine).recoveredText),
          0,
        ) / lines.length;
  return { ...head, lines, ...(await scorePairs(lines, flags)), ...(floor !== undefined && { floor }) };
}
