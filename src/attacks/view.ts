// What an attacker sees. Attacks never receive ground truth; scoring does.

import type { Arrays } from '../training/index.js';
import type { AttackedModel } from './model.js';

/** A server that looks at what one client shares. */
export interface GradientView {
  readonly model: AttackedModel;
  /** What the server sent in place of the model's own parameters; those not here are the model's own. */
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
  /** Figures of the attack's own, such as the rank it saw. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** Whoever can ask the trained model for the loss of examples, some of which were in its training data. */
export interface LossView {
  /** The loss of each candidate, in no telling order. */
  readonly losses: Float64Array;
}
