// What every model offers once it is built: the same for all, so that training and attacks need not know which it is.

import { gather, reshape, type Value } from '../engine/index.js';

/** Token ids i64 [batch, tokens], or word embeddings [batch, tokens, hidden]. */
export type ModelInput = { readonly ids: Value } | { readonly words: Value };

export interface ModelGraph {
  /** Word embeddings before anything is added: what gradient inversion optimises. */
  readonly words: Value;
  /** The embeddings, then the output of every layer: [batch, tokens, hidden]. */
  readonly states: readonly Value[];
  /** The last states as the heads see them (GPT-2 normalises first). */
  readonly final: () => Value;
  /** Logits of the classes: [batch, labels]. */
  readonly classify: () => Value;
  /**
   * Logits of tokens: the masked ones (BERT) or the next ones (GPT-2), [batch, tokens, vocabulary]; only those at `places`
   * (i64, row · tokens + token) where given, [places, vocabulary].
   */
  readonly lmLogits: (places?: Value) => Value;
}

/** The states at these places, or all. */
export function pickPlaces(states: Value, places?: Value): Value {
  if (places === undefined) return states;
  const [batch, tokens, hidden] = states.shape as [number, number, number];
  return gather(reshape(states, [batch * tokens, hidden]), places);
}
