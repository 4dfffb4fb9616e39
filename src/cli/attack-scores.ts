// How much text came back: all scores with intervals, and as lines of a table.

import { openLexicon, rougeL, scoreTexts, splitters, summarizeScores, type TextScores } from '../metrics/index.js';
import { openSentenceEncoder } from '../models/index.js';
import { seededSource } from '../random/index.js';

export interface TextPair {
  readonly truthText: string;
  readonly recoveredText: string;
}

export interface ScoredPairs {
  readonly scores: readonly TextScores[];
  readonly summary: ReturnType<typeof summarizeScores>;
}

interface ScoreFlags {
  /** `--no-similarity` leaves out the sentence encoder. */
  readonly similarity: boolean;
  readonly seed: number;
}

export async function scorePairs(pairs: readonly TextPair[], { similarity, seed }: ScoreFlags): Promise<ScoredPairs> {
  const [truths, guesses] = [pairs.map(({ truthText }) => truthText), pairs.map(({ recoveredText }) => recoveredText)];
  const encoder = similarity && pairs.length > 0 ? await openSentenceEncoder() : undefined;
  const embed = encoder && ((texts: readonly string[]) => encoder.embed(texts));
  const scores = await scoreTexts(truths, guesses, { lexicon: openLexicon(), ...(embed && { embed }) });
  await encoder?.close();
  return { scores, summary: summarizeScores(seededSource(seed), scores) };
}

/** ROUGE-L of words, as in the table. */
export const recoveredShare = (truth: string, guess: string): number =>
  rougeL(splitters.spaces(truth), splitters.spaces(guess)).lcsRatio;

const shownScores = [
  'lcsRatio',
  'rougeL',
  'rouge1',
  'rouge2',
  'meteor',
  'wordSimilarity',
  'exactMatch',
  'factsRecovered',
  'cosine',
] as const;

export function describeScores(summary: ScoredPairs['summary']): string[] {
  const rows = shownScores.flatMap((name) => {
    const figure = summary[name];
    if (figure === undefined) return [];
    const { mean, lower, upper, count } = figure;
    const range = count > 1 ? `${lower.toFixed(3)} to ${upper.toFixed(3)}` : 'one text: none';
    return [`  ${name.padEnd(16)}${mean.toFixed(3).padStart(7)}   ${range}`];
  });
  return [`  ${'score'.padEnd(16)}${'mean'.padStart(7)}   95 % interval`, ...rows];
}
