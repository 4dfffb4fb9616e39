// What an attacker gets and knows to be right: tokens by the probability that the attack gives them.

import {
  answersFrom,
  calibrationError,
  type MeanWithInterval,
  meansWithIntervals,
  type ReliabilityShare,
  reliabilityBins,
  reliabilityShares,
  type StatedAnswer,
} from '../../metrics/index.js';
import type { WordSource } from '../../random/index.js';
import type { TokensAround } from '../model.js';
import type { RecoveredSentence } from './recovered.js';

/** A token that is given at least this probability comes back with certainty, if it is right. */
export const certainFrom = 0.9;

/** How sure an attack is whose confidence is a probability, and whether it may be. */
export interface Certainty {
  /** Share of a text's tokens that are back in place with a confidence of at least 0.9: mean over texts, with its 95 % interval. */
  readonly share: MeanWithInterval;
  /** Tokens that were given at least 0.9. */
  readonly given: number;
  /** How many of those are right and in place. */
  readonly right: number;
  /** By ranges of confidence: how many tokens, and which share of them is right. */
  readonly reliability: readonly ReliabilityShare[];
  /** Mean distance between confidence and the share that is right; absent without tokens. */
  readonly calibrationError?: number;
}

type Tokens = Pick<RecoveredSentence, 'truthTokens' | 'guessTokens' | 'confidence'>;

/** The guessed tokens with their confidence. A token is right if the truth has it at the same place. Special tokens around the text are left out. */
export function statedTokens(
  { truthTokens, guessTokens, confidence = [] }: Tokens,
  around: TokensAround,
): StatedAnswer[] {
  const [truth, guess, sure] = [bare(truthTokens, around), bare(guessTokens, around), bare(confidence, around)];
  return guess.map((token, place) => ({ confidence: sure[place] ?? 0, right: token === truth[place] }));
}

/** The share of a text's tokens that are back with certainty; 0 for a text without tokens of its own. */
export function certainShare(sentence: Tokens, around: TokensAround): number {
  const certain = statedTokens(sentence, around).filter(({ confidence, right }) => right && confidence >= certainFrom);
  return certain.length / Math.max(1, bare(sentence.truthTokens, around).length);
}

/** Undefined without sentences. */
export function certaintyOf(
  random: WordSource,
  sentences: readonly Tokens[],
  around: TokensAround,
): Certainty | undefined {
  const { share } = meansWithIntervals(random, { share: sentences.map((one) => certainShare(one, around)) });
  if (share === undefined) return undefined;
  const bins = reliabilityBins(sentences.flatMap((one) => statedTokens(one, around)));
  const { answers: given, right } = answersFrom(bins, certainFrom);
  const error = calibrationError(bins);
  return {
    share,
    given,
    right,
    reliability: reliabilityShares(bins),
    ...(error !== undefined && { calibrationError: error }),
  };
}

const bare = <T>(tokens: readonly T[], { before, after }: TokensAround): readonly T[] =>
  tokens.slice(before.length, Math.max(before.length, tokens.length - after.length));
