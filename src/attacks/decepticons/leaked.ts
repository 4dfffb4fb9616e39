// The tokens of a text without their order, from one gradient: that of the decoder's bias counts every token that was to be
// predicted; in that of the word table, rows are larger for tokens that occur.

import type { ModelCore } from '../../models/index.js';
import type { GradientView } from '../view.js';
import { checkedGradient } from './rows.js';
import type { Settings } from './settings.js';

type LeakView = Pick<GradientView, 'gradients'> & { readonly model: ModelCore };

/** The parameter whose gradient is read. Where few tokens are predicted, the decoder's bias shows only those. */
export function leakParameter(model: ModelCore, { equalise }: Pick<Settings, 'equalise'>): string {
  const { decoderBias, embeddings } = model.layout;
  return decoderBias === undefined || equalise ? embeddings.words.weight : decoderBias;
}

/** `count` tokens, each as often as it seems to occur: both gradients grow in proportion to that. */
export function leakedTokens(
  view: LeakView,
  settings: Pick<Settings, 'equalise'>,
  count: number,
  tokens: number,
): number[] {
  const { vocabulary, hidden } = view.model.config;
  const name = leakParameter(view.model, settings);
  if (name !== view.model.layout.embeddings.words.weight) {
    // Σ probability − Σ [target]: the first is small.
    const bias = checkedGradient(view.gradients, name, vocabulary);
    return seats(
      bias.subarray(0, tokens).map((x) => Math.max(0, -x)),
      count,
    );
  }
  const gradient = checkedGradient(view.gradients, name, vocabulary * hidden);
  const norms = new Float32Array(tokens);
  for (let token = 0; token < tokens; token++) {
    norms[token] = Math.hypot(...gradient.subarray(token * hidden, (token + 1) * hidden));
  }
  return seats(norms, count);
}

/**
 * Distributes seats in proportion to the weights (D'Hondt): the next seat goes to the token with the most weight per seat, that
 * seat included. Where fewer tokens than seats have any weight, all of them occur, so each gets one seat first.
 */
function seats(weights: Float32Array, count: number): number[] {
  const strongest = Array.from(weights.keys())
    .filter((token) => (weights[token] as number) > 0)
    .sort((a, b) => (weights[b] as number) - (weights[a] as number))
    .slice(0, count);
  const certain = strongest.length < count ? 1 : 0;
  const given = new Map(strongest.map((token) => [token, certain]));
  const claim = (token: number) => (weights[token] as number) / ((given.get(token) as number) + 1);
  for (let seat = certain * strongest.length; seat < count && strongest.length > 0; seat++) {
    const next = strongest.reduce((best, token) => (claim(token) > claim(best) ? token : best));
    given.set(next, (given.get(next) as number) + 1);
  }
  return [...given].flatMap(([token, times]) => Array<number>(times).fill(token));
}
