// Which sentences a client has: a text, or a sample of a data set.

import { ArgumentError } from '../checks/index.js';
import { loadModel, type Model } from '../models/index.js';
import { permutation, seededSource } from '../random/index.js';
import type { LabelledExamples } from '../training/index.js';
import { type Command, wholeNumber } from './command.js';
import { addDataFlags, type DataFlags, dataForms, loadData } from './data-options.js';

export interface SentenceFlags extends DataFlags {
  readonly model: string;
  readonly text?: readonly string[];
  readonly data?: string;
  readonly split: string;
  readonly count: number;
  readonly maxTokens: number;
  readonly seed: number;
}

const modelForms = 'a folder in the Hugging Face layout, or bundled:bert-mini, bundled:gpt2-mini';

export function addSentenceFlags(command: Command, { models = modelForms, count = 10 } = {}): Command {
  command
    .option('--model <model>', models, 'bundled:bert-mini')
    .option('--text <text>', 'a sentence of the client; may be given several times', (text, before: string[] = []) => [
      ...before,
      text,
    ])
    .option('--data <data>', `instead: ${dataForms}`)
    .option('--split <name>', 'of the data set: train, validation or test', 'train')
    .option('--count <number>', 'sentences drawn from the data set', wholeNumber(1), count)
    .option('--max-tokens <count>', 'sentences are cut to this many tokens', wholeNumber(3), 64)
    .option('--seed <number>', 'of the sample, of the noise and of a new head', wholeNumber(0), 1);
  return addDataFlags(command);
}

export interface Texts {
  readonly texts: readonly string[];
  readonly labels: readonly number[];
  /** Of the data set; 0 for texts. */
  readonly classes: number;
}

/** `sources` are the options of which one must be there. */
export async function loadTexts(flags: SentenceFlags, sources = '--text and --data'): Promise<Texts> {
  const { text, data, split, count, seed } = flags;
  if ((text === undefined) === (data === undefined)) throw new ArgumentError(`expected one of ${sources}`);
  if (data === undefined) {
    const texts = text as readonly string[];
    if (texts.some((one) => !/[\p{L}\p{N}]/u.test(one))) {
      throw new ArgumentError('invalid --text: expected letters or digits to recover, got none');
    }
    return { texts, labels: texts.map(() => 0), classes: 0 };
  }
  const dataSet = await loadData(data, flags);
  const examples = dataSet.splits[split as keyof typeof dataSet.splits];
  if (examples === undefined) {
    throw new ArgumentError(`${data}: expected a split among ${Object.keys(dataSet.splits).join(', ')}, got ${split}`);
  }
  const order = permutation(seededSource(seed).stream('sentences'), examples.length);
  const chosen = [...order.subarray(0, count)].map((index) => examples[index] as (typeof examples)[number]);
  return {
    texts: chosen.map(({ text }) => text),
    labels: chosen.map(({ label }) => label ?? 0),
    classes: dataSet.classes.length,
  };
}

/** A head of as many classes as the data has, drawn where the model has none. */
export const loadClassifier = ({ model, seed }: SentenceFlags, { classes }: Texts): Promise<Model> =>
  loadModel(model, { seed, ...(classes > 0 && { numLabels: Math.max(2, classes) }) });

export interface Sentences {
  readonly model: Model;
  readonly data: LabelledExamples;
}

export async function loadSentences(flags: SentenceFlags): Promise<Sentences> {
  const texts = await loadTexts(flags, '--text, --data and --gradients');
  const model = await loadClassifier(flags, texts);
  const maxTokens = Math.min(flags.maxTokens, model.config.positions);
  const rows = texts.texts.map((text) => [...model.tokenizer.encode(text, { maxTokens })]);
  return { model, data: { inputIds: rows, labels: texts.labels } };
}
