// Matches recovered sentences with true ones, and with what was recovered from unrelated text, whose score is the floor.

import type { Tokenizer } from '../../data/index.js';
import { matchTokens } from '../../metrics/index.js';
import { type TokensAround, tokensAround } from '../model.js';
import type { GenieTally } from './genie.js';
import type { SearchLimit } from './limit.js';
import type { AttackedBatch } from './reconstruction.js';

/** One true sentence and what the attack recovered of it: private text. */
export interface RecoveredSentence {
  /** The sentence's index among the client's. */
  readonly index: number;
  readonly truth: string;
  readonly guess: string;
  /** The truth as the model reads it, special tokens included. */
  readonly truthTokens: readonly string[];
  readonly guessTokens: readonly string[];
  /** How sure the attack is of each guessed token: a probability for some attacks, otherwise on a scale of their own. */
  readonly confidence?: readonly number[];
  /** Truth and answer by the attack's own objective, in nats, if it has one. */
  readonly limit?: SearchLimit;
  /** How a genie did on this text's gradient, if it was asked. */
  readonly genie?: GenieTally;
  /** What was recovered from unrelated text; scored in the same way, it gives the floor. */
  readonly unrelated?: string;
  /** What the attack's prior says without any gradient, if it has one: the second floor. */
  readonly ofPrior?: string;
}

type Sentences = readonly (readonly number[])[];

/** `unrelated` holds, at the place of each batch, one whose guesses have nothing to do with it. Default: the next batch. */
export function recoverSentences(
  tokenizer: Tokenizer,
  truths: Sentences,
  batches: readonly (readonly number[])[],
  attacked: readonly AttackedBatch[],
  unrelated: readonly (AttackedBatch | undefined)[] = otherBatches(attacked),
): RecoveredSentence[] {
  const match = matcher(tokensAround(tokenizer));
  return attacked.flatMap(({ batch, guesses, confidence, limit, genie }, place) => {
    const indices = batches[batch] as readonly number[];
    const own = indices.map((index) => truths[index] as readonly number[]);
    const [found, other] = [match(own, guesses), unrelated[place]?.guesses];
    const others = other && match(own, other);
    return indices.map((index, i) => {
      const guess = found[i] as number;
      return {
        index,
        ...pairOf(tokenizer, own[i] as readonly number[], guesses[guess] ?? []),
        confidence: confidence[guess] ?? [],
        ...(limit && { limit }),
        ...(genie && { genie }),
        ...(others && { unrelated: textOf(tokenizer, other[others[i] as number] ?? []) }),
      };
    });
  });
}

/** The next batch, whose guesses serve for the floor; a single batch has none. */
export const otherBatches = (attacked: readonly AttackedBatch[]): (AttackedBatch | undefined)[] =>
  attacked.map((_, place) => (attacked.length > 1 ? attacked[(place + 1) % attacked.length] : undefined));

/** Finds the place of the guess for each truth by ROUGE-L over tokens, without the special tokens around every text; −1 for none. */
function matcher({ before, after }: TokensAround) {
  const bare = (ids: readonly number[]) => ids.slice(before.length, ids.length - after.length);
  return (truths: Sentences, guesses: Sentences): number[] => {
    const bareGuesses = guesses.map(bare);
    const matched = matchTokens(truths.map(bare), bareGuesses);
    return matched.map((one) => bareGuesses.indexOf(one as number[]));
  };
}

function pairOf(tokenizer: Tokenizer, truth: readonly number[], guess: readonly number[]) {
  const tokens = (ids: readonly number[]) => ids.map((id) => tokenizer.tokenOf(id) ?? `${id}`);
  return {
    truth: textOf(tokenizer, truth),
    guess: textOf(tokenizer, guess),
    truthTokens: tokens(truth),
    guessTokens: tokens(guess),
  };
}

/** Leaves out ids without a token, which an attack may find. */
const textOf = (tokenizer: Tokenizer, ids: readonly number[]): string =>
  tokenizer.decode(ids.filter((id) => tokenizer.tokenOf(id) !== undefined));
