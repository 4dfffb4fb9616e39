// `epsilens attack span`: text from the gradients of the first attention block.

import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openClient, openFirstInputs, type Shared, spanAttack, spanParameters } from '../attacks/index.js';
import { writeJson } from '../data/index.js';
import { ArgumentError } from '../math/index.js';
import { openLexicon, rougeL, scoreTexts, splitters, summarizeScores, type TextScores } from '../metrics/index.js';
import { openSentenceEncoder } from '../models/index.js';
import { seededSource } from '../random/index.js';
import { addProtectionFlags, describeProtection, type ProtectionFlags, protectionFrom } from './attack-options.js';
import { attackOutside, describeOutside } from './attack-outside.js';
import { addSentenceFlags, loadSentences, type SentenceFlags } from './attack-sentences.js';
import { describeSpan } from './attack-text.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { bar, progressLine, stopOnInterrupt } from './progress.js';

interface SpanFlags extends SentenceFlags, ProtectionFlags {
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
    .description(
      'recover the text from the gradients of the first attention block: no optimisation, no labels, no prior',
    );
  addProtectionFlags(addSentenceFlags(command))
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
        const found = await attackOutside({ ...flags, gradients });
        process.stdout.write(flags.json ? `${JSON.stringify(found, null, 2)}\n` : describeOutside(found));
        return;
      }
      const report = await runSpan(flags);
      const colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
      process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : describeSpan(report, colour));
    });
}

/** One attacked sentence. */
interface SpanLine {
  readonly index: number;
  readonly truth: readonly string[];
  readonly recovered: readonly string[];
  readonly truthText: string;
  readonly recoveredText: string;
  readonly cosine: Shared['cosine'];
  readonly rank: number;
  readonly seconds: number;
}

export interface SpanReport {
  readonly model: string;
  readonly protection: string;
  readonly shared: { readonly tensors: readonly string[]; readonly numbers: number };
  readonly lines: readonly SpanLine[];
  readonly scores: readonly TextScores[];
  readonly summary: ReturnType<typeof summarizeScores>;
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
    const shared = spanParameters({ model });
    const done = flags.out === undefined ? [] : await openResults(flags.out, flags);
    const client = await openClient({ model, data, shared });
    const longest = data.rows.reduce((most, { length }) => Math.max(most, length), 1);
    const reach = flags.unknownLengths ? Math.min(model.config.positions, Math.max(longest, 64)) : longest;
    const inputs = await openFirstInputs({ model, parameters: client.parameters }, reach);
    const lines = [...done];
    try {
      for (let index = lines.length; index < data.rows.length && !stop.signal.aborted; index++) {
        progress.show(`${bar(index / data.rows.length)} sentence ${index + 1}/${data.rows.length}`);
        const random = seededSource(flags.seed).stream(`noise ${index}`);
        const { view, cosine } = await client.share([index], protection, random, {
          hideLengths: flags.unknownLengths ?? false,
        });
        const start = performance.now();
        const { sentences, subspace } = await spanAttack(view, { inputs, longest: reach });
        const [truth, guess] = [data.rows[index] as readonly number[], sentences[0] as readonly number[]];
        const { tokenizer } = model;
        const line: SpanLine = {
          index,
          truth: truth.map((id) => tokenizer.tokenOf(id) ?? `${id}`),
          recovered: guess.map((id) => tokenizer.tokenOf(id) ?? `${id}`),
          truthText: tokenizer.decode(truth),
          recoveredText: tokenizer.decode(guess),
          cosine,
          rank: subspace.rank,
          seconds: (performance.now() - start) / 1000,
        };
        lines.push(line);
        if (flags.out !== undefined) await appendFile(join(flags.out, 'sentences.jsonl'), `${JSON.stringify(line)}\n`);
      }
    } finally {
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
    if (flags.out !== undefined) await writeJson(join(flags.out, 'report.json'), report);
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
  const [truths, guesses] = [lines.map(({ truthText }) => truthText), lines.map(({ recoveredText }) => recoveredText)];
  const encoder = flags.similarity ? await openSentenceEncoder() : undefined;
  const embed = encoder && ((texts: readonly string[]) => encoder.embed(texts));
  const scores = await scoreTexts(truths, guesses, { lexicon: openLexicon(), ...(embed && { embed }) });
  await encoder?.close();
  const floor =
    lines.length < 2
      ? undefined
      : lines.reduce(
          (sum, _, i) => sum + recovered(truths[i] as string, guesses[(i + 1) % lines.length] as string),
          0,
        ) / lines.length;
  return {
    ...head,
    lines,
    scores,
    summary: summarizeScores(seededSource(flags.seed), scores),
    ...(floor !== undefined && { floor }),
  };
}

const recovered = (truth: string, guess: string): number =>
  rougeL(splitters.spaces(truth), splitters.spaces(guess)).ofLonger;

/** Results of an earlier run with the same settings. */
async function openResults(out: string, flags: SpanFlags): Promise<SpanLine[]> {
  const { out: _, json: __, quiet: ___, ...settings } = flags;
  const path = join(out, 'settings.json');
  if (existsSync(path)) {
    if (JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))) !== JSON.stringify(settings)) {
      throw new ArgumentError(`${out} holds results of other settings: use another folder`);
    }
    const lines = join(out, 'sentences.jsonl');
    const text = existsSync(lines) ? readFileSync(lines, 'utf8') : '';
    // A line cut off by a crash is done again.
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as SpanLine);
  }
  await mkdir(out, { recursive: true });
  await writeJson(path, settings);
  return [];
}
