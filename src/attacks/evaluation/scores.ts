// How much text came back, by every score, and how much unrelated text scores.

import { type Embed, type Lexicon, rougeL, scoreTexts, splitters, type TextScores } from '../../metrics/index.js';
import type { RecoveredSentence } from './recovered.js';
import { isRecovered, recoveryThreshold } from './stands-out.js';

/** A recovered sentence with its scores. */
export interface ScoredSentence extends RecoveredSentence {
  readonly scores: TextScores;
  /** The LCS ratio of what was recovered from unrelated text. */
  readonly floor?: number;
  /** The LCS ratio of what the attack's prior says without any gradient: its most common tokens in turn. */
  readonly priorFloor?: number;
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
  const scoreOf = (truth: string, other: string | undefined) =>
    other === undefined ? undefined : lcsRatio(truth, other);
  const floors = sentences.map(({ truth, unrelated }) => scoreOf(truth, unrelated));
  const priorFloors = sentences.map(({ truth, ofPrior }) => scoreOf(truth, ofPrior));
  const threshold = recoveryThreshold(present(floors), present(priorFloors));
  return sentences.map((one, place) => {
    const [own, floor, priorFloor] = [scores[place] as TextScores, floors[place], priorFloors[place]];
    return {
      ...one,
      scores: own,
      ...(floor !== undefined && { floor }),
      ...(priorFloor !== undefined && { priorFloor }),
      ...(threshold !== undefined && { recovered: isRecovered(own.lcsRatio, threshold) }),
    };
  });
}

const present = (floors: readonly (number | undefined)[]): number[] => floors.filter((floor) => floor !== undefined);

const lcsRatio = (truth: string, guess: string): number =>
  rougeL(splitters.spaces(truth), splitters.spaces(guess)).lcsRatio;
