// What the stages of the likelihood attack share: what stays open between gradients, and what is known of the one under attack.

import type { SeededSource } from '../../random/index.js';
import type { FirstInputs } from '../span/inputs.js';
import type { GradientView } from '../view.js';
import type { Candidates } from './candidates.js';
import type { Evidence } from './evidence.js';
import type { Flips } from './flips.js';
import type { Heights } from './heights.js';
import type { SentencePrior } from './language-prior.js';
import { outerNats, type Pieces } from './objective.js';
import type { SoftSearch } from './soft-search.js';
import type { WholeLikelihood } from './whole.js';

/** What stays open between gradients. */
export interface LikelihoodOptions {
  readonly evidence: Evidence;
  readonly inputs: FirstInputs;
  /** Log-probability of each token. */
  readonly prior: Float64Array;
  /** Log-probability of whole sentences, if a language model gives it. */
  readonly language?: SentencePrior;
  /** The longest sentence to look for if the length is unknown. */
  readonly longest: number;
  /** Tokens of a sentence of this length that everybody knows, by place. */
  readonly knownAt: (length: number) => ReadonlyMap<number, number>;
  /** The likelihood of the whole gradient of a sentence. */
  readonly whole: WholeLikelihood;
  /** How answers are improved, and how many sentences may be judged. */
  readonly refinement?: { readonly flips: Flips; readonly soft: SoftSearch; readonly tries: number };
}

/** One gradient under attack. */
export interface Task {
  readonly view: GradientView;
  readonly options: LikelihoodOptions;
  readonly pieces: Pieces;
  readonly candidates: Candidates;
  readonly length: number;
  readonly label: number;
  readonly heights: Heights;
  readonly random: SeededSource;
}

/** Log-probabilities of whole sentences: by the language model, or token by token. */
export function sentencePrior({ language, prior }: LikelihoodOptions, known: Pieces['known']) {
  return async (sentences: readonly (readonly number[])[]): Promise<ArrayLike<number>> =>
    language?.nats(sentences) ?? sentences.map((tokens) => outerNats({ prior, known }, tokens));
}
