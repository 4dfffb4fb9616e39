// How much text came back, by every score, and how much would have by chance.

import { type Embed, type Lexicon, rougeL, scoreTexts, splitters, type TextScores } from '../../metrics/index.js';
import type { RecoveredSentence } from './recovered.js';

export interface ScoredSentence extends RecoveredSentence {
  readonly scores: TextScores;
  /** The main measure of what was recovered from other sentences. */
  readonly floor?: number;
}

export interface ScoringOptions {
  readonly lexicon: Lexicon;
  /** Sentence vectors; without them there is no cosine. */
  readonly embed?: Embed;
}

export async function scoreSentences(
  sentences: readonly RecoveredSentence[],
  options: ScoringOptions,
): Promise<ScoredSentence[]> {
  const scores = await scoreTexts(
    sentences.map(({ truth }) => truth),
    sentences.map(({ guess }) => guess),
    options,
  );
  return sentences.map((one, place) => ({
    ...one,
    scores: scores[place] as TextScores,
    ...(one.unrelated !== undefined && { floor: lcsRatio(one.truth, one.unrelated) }),
  }));
}

const lcsRatio = (truth: string, guess: string): number =>
  rougeL(splitters.spaces(truth), splitters.spaces(guess)).lcsRatio;
