// `epsilens score`: measures how much of a text came back.

import { readFileSync } from 'node:fs';
import { ArgumentError, FileError, messageOf } from '../checks/index.js';
import { decodeText, type TextEncoding } from '../data/index.js';
import {
  type Embed,
  expectWordNet,
  findSplitter,
  matchGuesses,
  openLexicon,
  rougeN,
  type SplitWords,
  scoreTexts,
  summarizeScores,
  type TextScores,
} from '../metrics/index.js';
import { expectSentenceEncoder, openSentenceEncoder } from '../models/index.js';
import { explainFileError } from '../platform/index.js';
import { seededSource } from '../random/index.js';
import { type Command, wholeNumber } from './command.js';
import { encodingHelp } from './data-options.js';
import { addExamples } from './examples.js';
import { refuseIgnored } from './flag-rules.js';
import { progressLine } from './progress.js';
import { refuseRenamed, renamedFlags } from './renamed-flags.js';
import { describeFileScores, describeScores } from './score-text.js';

interface ScoreFlags {
  readonly reference?: string;
  readonly hypothesis?: string;
  readonly references?: string;
  readonly hypotheses?: string;
  readonly match?: boolean;
  readonly encoding?: string;
  readonly tokens: string;
  readonly similarity: boolean;
  readonly seed: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addScore(program: Command): void {
  const command = program
    .command('score')
    .description(
      'Compare recovered texts with the true ones: ROUGE, METEOR, Jaccard, characters, names and numbers, and the cosine of ' +
        'sentence vectors. 0 means nothing came back, 1 everything. docs/scores.md defines each score.',
    )
    .option('--reference <text>', 'the true text')
    .option('--hypothesis <text>', 'what was recovered')
    .option('--references <file>', 'true texts, one per line')
    .option('--hypotheses <file>', 'recovered texts, one per line; an empty line where nothing was recovered')
    .option('--encoding <name>', `with files: ${encodingHelp}`)
    .option('--match', 'recovered lines are in any order: pair them with the true ones by assignment on ROUGE-1')
    .option(
      '--tokens <kind>',
      'spaces (split at white space) or words (punctuation marks are separate words)',
      'spaces',
    )
    .option('--no-similarity', 'leave out the cosine of sentence vectors')
    .option('--seed <number>', 'with files: seed of the bootstrap intervals', wholeNumber(0), 1)
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line');
  addExamples(
    command,
    'epsilens score --reference "the cat sat here" --hypothesis "here the cat sat"',
    'epsilens score --references true.txt --hypotheses recovered.txt --match',
  );
  refuseIgnored(command, [{ flags: ['--match', '--seed', '--encoding'], with: ['--references', '--hypotheses'] }]);
  refuseRenamed(command, renamedFlags.score).action(async (flags: ScoreFlags) => {
    const { references, hypotheses, isFile } = readTexts(flags);
    expectWordNet();
    if (flags.similarity) expectSentenceEncoder();
    const splitWords = findSplitter(flags.tokens);
    const paired = flags.match ? matchLines(references, hypotheses, splitWords) : hypotheses;
    const scores = await scoreWithEncoder(references, paired, splitWords, flags);
    const print = (text: string, document: unknown) =>
      process.stdout.write(flags.json ? `${JSON.stringify(document, null, 2)}\n` : text);
    if (!isFile) {
      const [one] = scores as [TextScores];
      return void print(describeScores(one), withNull(one));
    }
    const summary = summarizeScores(seededSource(flags.seed), scores);
    const means = Object.fromEntries(Object.entries(summary).map(([name, { mean }]) => [name, mean]));
    const intervals = Object.entries(summary).map(([name, { mean, ...rest }]) => [name, rest]);
    const document = {
      ...withNull(means),
      pairs: scores.length,
      confidence: 0.95,
      intervals: Object.fromEntries(intervals),
      lines: scores.map(withNull),
    };
    print(describeFileScores(summary, scores.length), document);
  });
}

/** Texts without names or numbers have no such score; JSON then has null instead of no key. */
const withNull = (scores: object) => ({ factsRecovered: null, ...scores });

async function scoreWithEncoder(
  references: readonly string[],
  hypotheses: readonly string[],
  splitWords: SplitWords,
  { similarity, quiet }: ScoreFlags,
): Promise<TextScores[]> {
  const lexicon = openLexicon();
  if (!similarity) return scoreTexts(references, hypotheses, { lexicon, splitWords });
  const progress = progressLine(quiet ?? false);
  const encoder = await openSentenceEncoder();
  const embed: Embed = async (texts) => {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += 512) {
      progress.show(`sentence vectors: ${start} of ${texts.length}`, { share: start / texts.length });
      vectors.push(...(await encoder.embed(texts.slice(start, start + 512))));
    }
    return vectors;
  };
  try {
    return await scoreTexts(references, hypotheses, { lexicon, splitWords, embed });
  } finally {
    progress.end();
    await encoder.close();
  }
}

interface Texts {
  readonly references: readonly string[];
  readonly hypotheses: readonly string[];
  readonly isFile: boolean;
}

function readTexts({ reference, hypothesis, references, hypotheses, match, encoding }: ScoreFlags): Texts {
  const ways = 'give --reference and --hypothesis, or --references and --hypotheses';
  const [texts, files] = [
    [reference, hypothesis],
    [references, hypotheses],
  ].map((pair) => pair.filter((one) => one !== undefined)) as [string[], string[]];
  if (texts.length + files.length !== 2 || texts.length === 1) {
    throw new ArgumentError(`expected two texts or two files to compare: ${ways}`);
  }
  if (files.length === 0) {
    if (reference?.trim() === '') throw new ArgumentError('invalid --reference: expected a text, got an empty one');
    return { references: [reference as string], hypotheses: [hypothesis as string], isFile: false };
  }
  const [truths, guesses] = [readLines(references as string, encoding), readLines(hypotheses as string, encoding)];
  const empty = truths.findIndex((line) => line.trim() === '');
  if (empty >= 0) throw new ArgumentError(`${references}: line ${empty + 1} is empty: expected a text to be recovered`);
  if (!match && truths.length !== guesses.length) {
    throw new ArgumentError(
      `expected as many lines in both files, got ${truths.length} in ${references} and ${guesses.length} in ${hypotheses}`,
    );
  }
  return { references: truths, hypotheses: guesses, isFile: true };
}

function readLines(path: string, encoding: string | undefined): string[] {
  let text: string;
  try {
    text = decodeText(path, readFileSync(path), encoding as TextEncoding | undefined);
  } catch (error) {
    if (error instanceof FileError) throw new ArgumentError(messageOf(error));
    if (error instanceof ArgumentError) throw error;
    throw new ArgumentError((explainFileError(error, { path, tried: 'read' }) as Error).message);
  }
  if (text.trim() === '') throw new ArgumentError(`${path}: the file is empty: expected one text per line`);
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** The hypothesis matched with each reference; empty if there are too few. */
function matchLines(references: readonly string[], hypotheses: readonly string[], splitWords: SplitWords): string[] {
  const partners = matchGuesses(
    references.map(splitWords),
    hypotheses.map(splitWords),
    (truth, guess) => rougeN(truth, guess, 1).f1,
  );
  return Array.from(partners, (partner) => hypotheses[partner] ?? '');
}
