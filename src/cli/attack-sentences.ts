// Which sentences a client has: a text, or a sample of a data set.

import { ArgumentError } from '../math/index.js';
import { loadModel, type Model } from '../models/index.js';
import { permutation, seededSource } from '../random/index.js';
import type { LabelledRows } from '../training/index.js';
import { type Command, wholeNumber } from './command.js';
import { addDataFlags, type DataFlags, dataForms, loadData } from './data-options.js';

export interface SentenceFlags extends DataFlags {
  readonly model: string;
  readonly text?: string;
  readonly data?: string;
  readonly part: string;
  readonly count: number;
  readonly maxTokens: number;
  readonly seed: number;
}

export function addSentenceFlags(command: Command): Command {
  command
    .option(
      '--model <model>',
      'a folder in the Hugging Face layout, or bundled:bert-mini, bundled:gpt2-mini',
      'bundled:bert-mini',
    )
    .option('--text <text>', 'the client’s sentence')
    .option('--data <data>', `instead: ${dataForms}`)
    .option('--part <name>', 'of the data set: train, validation or test', 'train')
    .option('--count <number>', 'sentences drawn from the data set', wholeNumber(1), 10)
    .option('--max-tokens <count>', 'sentences are cut to this many tokens', wholeNumber(3), 64)
    .option('--seed <number>', 'of the sample, of the noise and of a new head', wholeNumber(0), 1);
  return addDataFlags(command);
}

export interface Sentences {
  readonly model: Model;
  readonly data: LabelledRows;
}

export async function loadSentences(flags: SentenceFlags): Promise<Sentences> {
  if ((flags.text === undefined) === (flags.data === undefined))
    throw new ArgumentError('expected one of --text, --data and --gradients');
  if (flags.data === undefined) {
    const model = await loadModel(flags.model, { seed: flags.seed });
    return { model, data: { rows: [encode(model, flags.text as string, flags)], labels: [0] } };
  }
  const dataSet = await loadData(flags.data, flags);
  const examples = dataSet.parts[flags.part as keyof typeof dataSet.parts];
  if (examples === undefined) {
    throw new ArgumentError(
      `${flags.data}: expected a part among ${Object.keys(dataSet.parts).join(', ')}, got ${flags.part}`,
    );
  }
  const model = await loadModel(flags.model, { labels: Math.max(2, dataSet.classes.length), seed: flags.seed });
  const order = permutation(seededSource(flags.seed).stream('sentences'), examples.length);
  const chosen = [...order.subarray(0, flags.count)].map((index) => examples[index] as (typeof examples)[number]);
  return {
    model,
    data: {
      rows: chosen.map(({ text }) => encode(model, text, flags)),
      labels: chosen.map(({ label }) => label ?? 0),
    },
  };
}

function encode({ tokenizer, config }: Model, text: string, { maxTokens }: SentenceFlags): number[] {
  return [...tokenizer.encode(text, { maxTokens: Math.min(maxTokens, config.positions) })];
}
