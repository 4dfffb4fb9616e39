// `epsilens classify`: label and probabilities of texts, or of their words, by a trained model. Files are streamed: memory does not grow
// with their length.

import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { type LanguageModel, loadModel } from '../api/index.js';
import { ArgumentError, FileError } from '../checks/index.js';
import { type Row, readRows } from '../data/index.js';
import type { Prediction, TextLabels } from '../models/index.js';
import { describePredictions, describeWords, lineOf, linesOfWords } from './classify-text.js';
import { type Command, wholeNumber } from './command.js';
import { addColumnFlags, columnFlagNames, type DataFlags, dataOptions } from './data-options.js';
import { downloadNamed } from './downloads.js';
import { addExamples } from './examples.js';
import { refuseIgnored } from './flag-rules.js';
import { type Progress, progressLine, stopOnInterrupt } from './progress.js';

interface ClassifyFlags extends Omit<DataFlags, 'classes' | 'groupColumn'> {
  readonly model: string;
  readonly text?: readonly string[];
  readonly data?: string;
  readonly maxTokens: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** A text, and where it is from. */
interface SourceText {
  readonly text: string;
  /** In a file: the line at which the text begins (in Parquet, the row). */
  readonly line?: number;
}

/** One text whose words have labels. */
export interface LabelledText extends TextLabels, SourceText {}

/** One classified text. */
export interface ClassifiedText extends Prediction, SourceText {
  /** In a file with labels: the label there. */
  readonly expected?: string;
}

export function addClassify(program: Command): void {
  const command = program
    .command('classify')
    .description('predict labels and probabilities for texts, or for their words, with a trained model')
    .requiredOption(
      '--model <model>',
      'a trained classifier of texts or of tokens: a folder such as OUT/model of train, or hf:owner/name',
    )
    .option('--text <text>', 'a text; may be given several times', (text, before: string[] = []) => [...before, text])
    .option('--data <file>', 'a file of texts instead, of any length (TSV, CSV, JSONL, Parquet, text; gzip of any)')
    .option('--max-tokens <count>', 'texts are cut to this many tokens, as in training', wholeNumber(3), 128);
  refuseIgnored(command, [{ flags: columnFlagNames, with: ['--data'] }]);
  addColumnFlags(command, 'lines')
    .option('--json', 'print one JSON document and nothing else; with --data it grows as texts are classified')
    .option('--quiet', 'no progress line')
    .action(classify);
  addExamples(
    command,
    'epsilens classify --model run/model --text "a film to remember"',
    'epsilens classify --model run/model --data reviews.csv > labels.tsv',
  );
}

async function classify(flags: ClassifyFlags): Promise<void> {
  const { text, data } = flags;
  if ((text === undefined) === (data === undefined)) {
    throw new ArgumentError(`expected either --text or --data, got ${text === undefined ? 'neither' : 'both'}`);
  }
  if (data !== undefined) await expectFile(data);
  const progress = progressLine(flags.quiet ?? false);
  await downloadNamed({ model: flags.model }, progress);
  const stop = stopOnInterrupt();
  try {
    progress.show('loading the model …');
    const model = await loadModel(flags.model);
    if (text !== undefined) await classifyTexts(model, text, flags);
    else await classifyFile(model, data as string, flags, progress, stop.signal);
  } finally {
    stop.end();
    progress.end();
  }
}

async function classifyTexts(model: LanguageModel, texts: readonly string[], flags: ClassifyFlags): Promise<void> {
  const { maxTokens, json = false } = flags;
  const withText = <Answer>(answers: readonly Answer[]) =>
    answers.map((answer, index) => ({ text: texts[index] as string, ...answer }));
  const show = (predictions: unknown, described: string) => {
    const document = { model: flags.model, classes: model.classes, predictions };
    return print(json ? `${JSON.stringify(document, null, 2)}\n` : described);
  };
  if (model.head === 'tokens') {
    const labelled = withText(await model.classifyTokens(texts, { maxTokens }));
    return show(labelled, describeWords(labelled));
  }
  const classified = withText(await model.classify(texts, { maxTokens }));
  return show(classified, describePredictions(classified, model.classes));
}

/** Texts that are classified together: enough for full batches of every length, few enough to show progress. */
const chunkSize = 512;

async function classifyFile(
  model: LanguageModel,
  path: string,
  flags: ClassifyFlags,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const counts = { texts: 0, truncated: 0, labelled: 0, right: 0 };
  const { json = false, maxTokens } = flags;
  progress.show('counting the texts …');
  const options = { textBy: 'lines', ...dataOptions(flags) } as const;
  const total = flags.quiet ? undefined : await countRows(path, options);
  const start = performance.now();
  if (total) progress.show(`${total.toLocaleString('en')} texts`, { share: 0 });
  // One JSON document, written as it grows: a line per text.
  const { model: name } = flags;
  if (json) await print(`{"model":${JSON.stringify(name)},"classes":${JSON.stringify(model.classes)},"predictions":[`);
  for await (const rows of chunks(readRows(path, options))) {
    if (signal.aborted) break;
    const texts = rows.map(({ text }) => text);
    const rowAt = (index: number) => rows[index] as Row;
    const classified: readonly (ClassifiedText | LabelledText)[] =
      model.head === 'tokens'
        ? (await model.classifyTokens(texts, { maxTokens })).map((one, i) => withPlace(one, rowAt(i)))
        : (await model.classify(texts, { maxTokens })).map((one, i) => withRow(one, rowAt(i)));
    const separator = json && counts.texts > 0 ? ',' : '';
    for (const one of classified) count(counts, one, model.classes);
    progress.end();
    await print(
      json
        ? `${separator}\n${classified.map((one) => JSON.stringify(one)).join(',\n')}`
        : `${classified.map((one) => ('words' in one ? linesOfWords(one) : lineOf(one))).join('\n')}\n`,
    );
    const rate = counts.texts / ((performance.now() - start) / 1000);
    progress.show(
      `${counts.texts.toLocaleString('en')} texts, ${Math.round(rate)} per second`,
      total ? { share: counts.texts / total } : undefined,
    );
  }
  progress.end();
  if (json) await print(`\n],${JSON.stringify({ ...counts, finished: !signal.aborted }).slice(1)}\n`);
  else if (!flags.quiet) process.stderr.write(summaryOf(counts, maxTokens));
  if (signal.aborted) process.exitCode = 1;
}

/** For the time left. A row that cannot be read is reported when its turn comes, so here it only ends the count. */
async function countRows(path: string, options: Parameters<typeof readRows>[1]): Promise<number | undefined> {
  let count = 0;
  try {
    for await (const _ of readRows(path, options)) count++;
  } catch {
    return undefined;
  }
  return count;
}

const withPlace = <Answer>(answer: Answer, { text, line }: Row) => ({ line, text, ...answer });

const withRow = (prediction: Prediction, row: Row): ClassifiedText => ({
  ...withPlace(prediction, row),
  ...(row.label !== undefined && { expected: row.label }),
});

interface Counts {
  texts: number;
  truncated: number;
  /** Texts whose label in the file is one of the model's classes. */
  labelled: number;
  /** Texts for which the model predicts the label in the file. */
  right: number;
}

function count(counts: Counts, one: ClassifiedText | LabelledText, classes: readonly string[]): void {
  counts.texts++;
  if (one.truncated) counts.truncated++;
  if ('words' in one) return;
  const { expected, label } = one;
  if (expected === undefined || !classes.includes(expected)) return;
  counts.labelled++;
  if (expected === label) counts.right++;
}

function summaryOf({ texts, truncated, labelled, right }: Readonly<Counts>, maxTokens: number): string {
  const cut = truncated > 0 ? ` ${truncated} were cut to ${maxTokens} tokens.` : '';
  const accuracy = labelled > 0 ? ` ${((100 * right) / labelled).toFixed(1)} % of ${labelled} labels match.` : '';
  return `${texts} texts.${cut}${accuracy}\n`;
}

async function* chunks(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let chunk: Row[] = [];
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length < chunkSize) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Writes to standard output, and waits until its reader has kept up. */
async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

async function expectFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return;
  throw new FileError(
    `${path}: expected a file of texts, got ${found ? 'a folder: give one of its files' : 'nothing'}`,
  );
}
