// How much text came back, by every score, and how much unrelated text scores.

import { type Embed, type Lexicon, rougeL, scoreTexts, splitters, type TextScores } from '../../metrics/index.js';
import type { RecoveredSentence } from './recovered.js';
import { isRecovered, recoveryThreshold } from './stands-out.js';

/** A recovered sentence with its scores. */
export interface ScoredSentence extends RecoveredSentence {
  readonly scores: TextScores;
  /** The LCS ratio of what was recovered from unrelated text. */
  readonly floor?: number;
  /** Whether the recovery stands out of what unrelated text scores; if not, the guess is noise. Absent without floors. */
  readonly recovered?: boolean;
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
  const floors = sentences.map(({ truth, unrelated }) =>
    unrelated === undefined ? undefined : lcsRatio(truth, unrelated),
  );
  const threshold = recoveryThreshold(floors.filter((floor) => floor !== undefined));
  return sentences.map((one, place) => {
    const [own, floor] = [scores[place] as TextScores, floors[place]];
    return {
      ...one,
      scores: own,
      ...(floor !== undefined && { floor }),
      ...(threshold !== undefined && { recovered: isRecovered(own.lcsRatio, threshold) }),
    };
  });
}

const lcsRatio = (truth: string, guess: string): number =>
  rougeL(splitters.spaces(truth), splitters.spaces(guess)).lcsRatio;
