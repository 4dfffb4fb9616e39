// What an attacker sees. The truth is not in it; who attacks cannot score, who scores does not attack.

import type { Model } from '../models/index.js';
import type { Arrays } from '../training/index.js';

/** A server that follows the protocol and looks at what one client shares. */
export interface GradientView {
  readonly model: Model;
  /** Where the client computed its gradients. Parameters not here are the model's own. */
  readonly parameters: Arrays;
  /** What the client shared, by the name of the parameter: the sum over its sentences, with noise. */
  readonly gradients: Arrays;
  /** Standard deviation of the noise on each number of a tensor, which the protocol makes public; 0 for none. */
  readonly noise: Readonly<Record<string, number>>;
  /** Sentences in the batch. */
  readonly batchSize: number;
  /** Tokens of each sentence, special ones included, where known. */
  readonly lengths?: readonly number[];
  readonly labels?: readonly number[];
}

/** What an attack gives back. */
export interface Recovery {
  /** Token ids of each sentence, special tokens included. */
  readonly sentences: readonly (readonly number[])[];
  /** How sure the attack is of each token, larger for surer; its scale is the attack's own. */
  readonly confidence: readonly (readonly number[])[];
}
