// `epsilens attack span`: text from the gradients of the first attention block.

import {
  openClient,
  openFirstInputs,
  openPrior,
  openSecondInputs,
  type Shared,
  spanAttack,
  spanParameters,
} from '../attacks/index.js';
import { ArgumentError } from '../math/index.js';
import { matchGuesses } from '../metrics/index.js';
import { loadModel } from '../models/index.js';
import { seededSource } from '../random/index.js';
import { addProtectionFlags, describeProtection, type ProtectionFlags, protectionFrom } from './attack-options.js';
import { attackOutside, describeOutside } from './attack-outside.js';
import { openResults } from './attack-results.js';
import { recoveredShare, type ScoredPairs, scorePairs } from './attack-scores.js';
import { addSentenceFlags, loadSentences, type SentenceFlags } from './attack-sentences.js';
import { describeSpan } from './attack-text.js';
import { pairOf, type TokenPair, wantsColour } from './attack-tokens.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { bar, progressLine, stopOnInterrupt } from './progress.js';

interface SpanFlags extends SentenceFlags, ProtectionFlags {
  readonly batch?: number;
  readonly prior?: string;
  readonly unknownLengths?: boolean;
  readonly gradients?: string;
  readonly length?: number;
  readonly noiseDeviation?: number;
  /** `--no-similarity` leaves out the sentence encoder. */
  readonly similarity: boolean;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addSpanAttack(attack: Command): void {
  const command = attack
    .command('span')
    .description('recover the text from the gradients of the first attention block: no optimisation, no labels');
  addProtectionFlags(addSentenceFlags(command))
    .option('--batch <number>', 'sentences whose gradients are shared as one sum', wholeNumber(1))
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
    .option('--out <folder>', 'keep results there, and go on with them next time')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (flags: SpanFlags) => {
      const { gradients } = flags;
      if (gradients !== undefined) {
        if (flags.text !== undefined || flags.data !== undefined) {
          throw new ArgumentError('expected one of --text, --data and --gradients, got two');
        }
        if (flags.batch !== undefined || flags.prior !== undefined) {
          throw new ArgumentError('--batch and --prior are not for --gradients');
        }
        const found = await attackOutside({ ...flags, gradients });
        process.stdout.write(flags.json ? `${JSON.stringify(found, null, 2)}\n` : describeOutside(found));
        return;
      }
      const report = await runSpan(flags);
      process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : describeSpan(report, wantsColour()));
    });
}

/** One attacked sentence. */
interface SpanLine extends TokenPair {
  readonly index: number;
  readonly cosine: Shared['cosine'];
  readonly rank: number;
  readonly seconds: number;
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
  const protection = protectionFrom(flags);
  const progress = progressLine((flags.quiet || flags.json) ?? false);
  const stop = stopOnInterrupt();
  try {
    progress.show('loading the model …');
    const { model, data } = await loadSentences(flags);
    const { batch = 1 } = flags;
    const prior = flags.prior === undefined ? undefined : openPrior(await loadModel(flags.prior), model);
    const shared = spanParameters({ model }, batch);
    const results = await openResults<SpanLine>(flags);
    const client = await openClient({ model, data, shared });
    const longest = data.rows.reduce((most, { length }) => Math.max(most, length), 1);
    const reach = flags.unknownLengths ? Math.min(model.config.positions, Math.max(longest, 64)) : longest;
    const inputs = await openFirstInputs({ model, parameters: client.parameters }, reach);
    const secondInputs = openSecondInputs({ model, parameters: client.parameters });
    const lines = [...results.done];
    try {
      // A batch of which only some lines were kept is done again.
      const begin = lines.length - (lines.length % batch);
      for (let first = begin; first < data.rows.length && !stop.signal.aborted; first += batch) {
        progress.show(`${bar(first / data.rows.length)} sentence ${first + 1}/${data.rows.length}`);
        const indices = [...data.rows.keys()].slice(first, first + batch);
        const { view, cosine } = await client.share(
          indices,
          protection,
          seededSource(flags.seed).stream(`noise ${first}`),
          { hideLengths: flags.unknownLengths ?? false },
        );
        const start = performance.now();
        const { sentences, subspace } = await spanAttack(view, {
          inputs,
          secondInputs,
          longest: reach,
          ...(prior && { prior }),
        });
        const seconds = (performance.now() - start) / 1000 / indices.length;
        const truths = indices.map((index) => data.rows[index] as readonly number[]);
        const text = (ids: readonly number[]) => model.tokenizer.decode(ids);
        const match = matchGuesses(truths.map(text), sentences.map(text), recoveredShare);
        for (const [i, index] of indices.entries()) {
          if (index < lines.length) continue;
          const guess = sentences[match[i] as number] as readonly number[];
          const pair = pairOf(model.tokenizer, truths[i] as readonly number[], guess);
          const line: SpanLine = { index, ...pair, cosine, rank: subspace.rank, seconds };
          lines.push(line);
          await results.append(line);
        }
      }
    } finally {
      await prior?.close();
      await secondInputs.close();
      await inputs.close();
      await client.close();
    }
    progress.show('scoring …');
    const numbers = shared.reduce((sum, name) => sum + (client.parameters[name] as Float32Array).length, 0);
    const report = await summarize(flags, lines, {
      model: flags.model,
      protection: describeProtection(protection),
      shared: { tensors: shared, numbers },
      finished: lines.length === data.rows.length,
    });
    await results.finish(report);
    return report;
  } finally {
    stop.end();
    progress.end();
  }
}

async function summarize(
  flags: SpanFlags,
  lines: readonly SpanLine[],
  head: Pick<SpanReport, 'model' | 'protection' | 'shared' | 'finished'>,
): Promise<SpanReport> {
  const floor =
    lines.length < 2 * (flags.batch ?? 1)
      ? undefined
      : lines.reduce(
          (sum, { truthText }, i) =>
            sum + recoveredShare(truthText, (lines[(i + (flags.batch ?? 1)) % lines.length] as SpanLine).recoveredText),
          0,
        ) / lines.length;
  return { ...head, lines, ...(await scorePairs(lines, flags)), ...(floor !== undefined && { floor }) };
}
