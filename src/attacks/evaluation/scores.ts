// How much text came back, by every score, and how much unrelated text scores.

import { type Embed, type Lexicon, rougeL, scoreTexts, splitters, type TextScores } from '../../metrics/index.js';
import type { RecoveredSentence } from './recovered.js';

/** A recovered sentence with its scores. */
export interface ScoredSentence extends RecoveredSentence {
  readonly scores: TextScores;
  /** The LCS ratio of what was recovered from unrelated text. */
  readonly floor?: number;
}

export interface ScoringOptions {
  readonly lexicon: Lexicon;
  /** Computes sentence vectors; without it there is no cosine. */
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
