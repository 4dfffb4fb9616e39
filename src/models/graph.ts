// The graph of a built model: the same for every architecture, so that training and attacks need not know which it is.

import { gather, reshape, type Value } from '../engine/index.js';

/** Token ids i64 [batch, tokens], or word embeddings [batch, tokens, hidden]. */
export type ModelInput = { readonly ids: Value } | { readonly words: Value };

/** Values of a built model. The functions add a head to the graph when they are called. */
export interface ModelGraph {
  /** Word embeddings before anything is added, which gradient inversion optimises. */
  readonly words: Value;
  /** The embeddings, then the output of every layer: [batch, tokens, hidden]. */
  readonly states: readonly Value[];
  /** The last states as the heads read them (GPT-2 normalises them first). */
  readonly final: () => Value;
  /** Class logits: [batch, labels]. */
  readonly classify: () => Value;
  /** Label logits of every token: [batch, tokens, labels]. */
  readonly labelTokens: () => Value;
  /**
   * Token logits, of masked tokens (BERT) or next tokens (GPT-2): [batch, tokens, vocabulary], or [places, vocabulary] at the
   * given places only (i64, row · tokens + token).
   */
  readonly lmLogits: (places?: Value) => Value;
}

/** The states at these places (default: all). */
export function pickPlaces(states: Value, places?: Value): Value {
  if (places === undefined) return states;
  const [batch, tokens, hidden] = states.shape as [number, number, number];
  return gather(reshape(states, [batch * tokens, hidden]), places);
}
