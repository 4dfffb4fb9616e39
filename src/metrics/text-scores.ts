// All scores of recovered texts against the ground truth.

import { ArgumentError } from '../checks/index.js';
import type { WordSource } from '../random/index.js';
import { type BootstrapOptions, type MeanWithInterval, meansWithIntervals } from './bootstrap.js';
import { editSimilarity, wordSimilarity } from './characters.js';
import { cosines, type Embed } from './cosine.js';
import { type FindFacts, factsRecovered, learnFacts } from './facts.js';
import type { Lexicon } from './lexicon.js';
import { meteor } from './meteor.js';
import { exactMatch, jaccard } from './overlap.js';
import { rougeL, rougeN } from './rouge.js';
import { type SplitWords, splitters } from './words.js';

/** Scores of one recovered text, from 0 (nothing recovered) to 1 (everything); only the cosine may be below 0. */
export interface TextScores {
  readonly lcsRatio: number;
  readonly rougeL: number;
  readonly rouge1: number;
  readonly rouge2: number;
  readonly jaccard: number;
  readonly meteor: number;
  readonly meteorNltk: number;
  readonly editSimilarity: number;
  readonly wordSimilarity: number;
  readonly exactMatch: number;
  /** Absent if the reference has neither names nor numbers. */
  readonly factsRecovered?: number;
  /** Absent without an encoder. */
  readonly cosine?: number;
}

/** The name of a text score. */
export type ScoreName = keyof TextScores;

/** Options of `scoreTexts`. */
export interface ScoreOptions {
  /** Stems and synonyms for METEOR. */
  readonly lexicon: Lexicon;
  /** How texts are split into words; by default at white space. */
  readonly splitWords?: SplitWords;
  /** The sentence encoder for `cosine`; without it that score is absent. */
  readonly embed?: Embed;
}

/** Scores each hypothesis against the reference at the same place. Names are learned from all references together. */
export async function scoreTexts(
  references: readonly string[],
  hypotheses: readonly string[],
  { lexicon, splitWords = splitters.spaces, embed }: ScoreOptions,
): Promise<TextScores[]> {
  if (references.length !== hypotheses.length) {
    throw new ArgumentError(
      `expected as many hypotheses as references, got ${hypotheses.length} and ${references.length}`,
    );
  }
  const findFacts = learnFacts(references);
  const near = embed === undefined ? [] : await cosines(references, hypotheses, embed);
  return references.map((reference, index) => {
    const scores = scorePair(reference, hypotheses[index] as string, splitWords, lexicon, findFacts);
    return embed === undefined ? scores : { ...scores, cosine: near[index] as number };
  });
}

function scorePair(
  reference: string,
  hypothesis: string,
  splitWords: SplitWords,
  lexicon: Lexicon,
  findFacts: FindFacts,
): TextScores {
  const pair = [splitWords(reference), splitWords(hypothesis)] as const;
  const longest = rougeL(...pair);
  const facts = factsRecovered(reference, hypothesis, findFacts);
  return {
    lcsRatio: longest.lcsRatio,
    rougeL: longest.f1,
    rouge1: rougeN(...pair, 1).f1,
    rouge2: rougeN(...pair, 2).f1,
    jaccard: jaccard(...pair),
    meteor: meteor(...pair, lexicon),
    meteorNltk: meteor(...pair, lexicon, { synonymsOf: 'stem' }),
    // Joined again, so that case and the amount of white space do not count.
    editSimilarity: editSimilarity(pair[0].join(' '), pair[1].join(' ')),
    wordSimilarity: wordSimilarity(...pair),
    exactMatch: exactMatch(...pair),
    ...(facts !== undefined && { factsRecovered: facts }),
  };
}

const scoreNames: readonly ScoreName[] = [
  'lcsRatio',
  'rougeL',
  'rouge1',
  'rouge2',
  'jaccard',
  'meteor',
  'meteorNltk',
  'editSimilarity',
  'wordSimilarity',
  'exactMatch',
  'factsRecovered',
  'cosine',
];

/** The mean of each score over all texts that have it, with a bootstrap interval. */
export const summarizeScores = (
  source: WordSource,
  scores: readonly TextScores[],
  options: BootstrapOptions = {},
): Partial<Record<ScoreName, MeanWithInterval>> => {
  const columns = Object.fromEntries(scoreNames.map((name) => [name, scores.map((one) => one[name])]));
  return meansWithIntervals(source, columns as Record<ScoreName, (number | undefined)[]>, options);
};
