// What an attacker sees. Attacks never receive ground truth; scoring does.

import type { ReleasedGroup } from '../mechanisms/index.js';
import type { Arrays } from '../training/index.js';
import type { AttackedModel } from './model.js';

/** What a server sees of one client. */
export interface GradientView {
  readonly model: AttackedModel;
  /** Parameters that the server sent in place of the model's own; all others are the model's. */
  readonly parameters: Arrays;
  /** The shared gradient, by the name of the parameter: the sum over the client's sentences, with noise. */
  readonly gradients: Arrays;
  /** Standard deviation of the noise on each number of a tensor, which the protocol makes public; 0 without noise. */
  readonly noise: Readonly<Record<string, number>>;
  /** How the gradient was bounded and noised, which the protocol makes public; absent if nobody says. */
  readonly laws?: readonly ReleasedGroup[];
  /** Sentences in the batch. */
  readonly batchSize: number;
  /** Tokens per sentence, special ones included, if known. */
  readonly lengths?: readonly number[];
  /** Class of each sentence, if known. */
  readonly labels?: readonly number[];
}

/** What an attack recovered. */
export interface Recovery {
  /** Token ids of each sentence, special tokens included. */
  readonly sentences: readonly (readonly number[])[];
  /** How sure the attack is of each token: higher is surer. A probability if the descriptor says so, otherwise on a scale of its own. */
  readonly confidence: readonly (readonly number[])[];
  /** Further figures of the attack, such as the rank of the gradient. */
  readonly figures?: Readonly<Record<string, number>>;
  /** Where the attack reached a limit of its own, one plain sentence each, without private text. */
  readonly notes?: readonly string[];
}

/** What an attacker sees who can ask a trained model for its predictions on examples, some of which were in its training data. */
export interface LossView {
  /** The loss of each candidate, in random order. */
  readonly losses: Float64Array;
  /** The log-odds of each candidate's own label, log p/(1 − p): the loss again, without the rounding of losses near 0. */
  readonly margins: Float64Array;
  /** Models of the attacker's own, trained like the target on data like its data; none if there are none. */
  readonly references: readonly ReferenceModel[];
  /** What the target's parameters and training show of each candidate; absent if the attack sees only predictions. */
  readonly insight?: Insight;
  /** Losses of the texts that the attack asked about for each candidate, in its order; absent if it asked about none. */
  readonly queried?: readonly Float64Array[];
  /** Examples that were in no training data of the target, as the attacker knows; absent if there are none. */
  readonly population?: Population;
}

/** What parameters and training of a model show of some examples. */
export interface Insight {
  /** The length of each example's gradient at the trained parameters. */
  readonly gradientNorms: Float64Array;
  /** Nats for being a member, from the releases of training (see `watchReleases`); zeros if no step was watched. */
  readonly evidence: Float64Array;
}

/** A model that the attacker trained, so that its training data are known. */
export interface ReferenceModel {
  /** Log-odds of each candidate. */
  readonly margins: Float64Array;
  /** 1 for each candidate that it was trained on, otherwise 0. */
  readonly inside: Uint8Array;
  /** Log-odds of examples that it was trained on, and of others. */
  readonly own: {
    readonly members: Float64Array;
    readonly others: Float64Array;
    /** What its parameters and training show of them; absent if the attack sees only predictions. */
    readonly insight?: { readonly members: Insight; readonly others: Insight };
  };
}

/** Log-odds of known non-members, by the target and by each reference model. */
export interface Population {
  readonly margins: Float64Array;
  readonly references: readonly Float64Array[];
}
