// The span attack (after DAGER, Petrov et al. 2024; the form that works under noise is ours): every token of the client's text is
// an input of the first block, so its vector lies in the span that the gradient shows. For each position the token is chosen whose
// vector the span explains best. No optimisation, no labels, no prior.

import { ArgumentError } from '../../math/index.js';
import type { GradientView, Recovery } from '../view.js';
import { type FirstInputs, openFirstInputs } from './inputs.js';
import { pursue } from './pursuit.js';
import { findSubspace, type Subspace } from './subspace.js';

export interface SpanOptions {
  /** Kept inputs of this model, from `openFirstInputs`: saves their preparation when many gradients are attacked. */
  readonly inputs?: FirstInputs;
  /** Longest sentence to look for where lengths are not known. */
  readonly longest?: number;
}

export interface SpanRecovery extends Recovery {
  readonly subspace: Pick<Subspace, 'values' | 'weights' | 'rank'>;
}

/** Tokens of each position that are looked at more closely. */
const shortlistSize = 64;

/** One sentence. */
export async function spanAttack(view: GradientView, options: SpanOptions = {}): Promise<SpanRecovery> {
  if (view.batchSize !== 1) throw new ArgumentError(`spanAttack: expected a batch of 1, got ${view.batchSize}`);
  const [known] = view.lengths ?? [];
  const longest = known ?? options.longest ?? Math.min(64, view.model.config.positions);
  const inputs = options.inputs ?? (await openFirstInputs(view, longest));
  try {
    const most = Math.min(longest, view.model.config.hidden);
    const subspace = await findSubspace(view, most, known !== undefined);
    const length = known ?? Math.max(1, subspace.rank);
    const { basis, weights } = usable(subspace);
    const scores = await inputs.explain(basis, weights, length);
    const shortlists = scores.map((one) => shortlist(one, shortlistSize));
    const { tokens, confidence } = pursue(inputs, shortlists, { basis, weights });
    const { values, rank } = subspace;
    return { sentences: [tokens], confidence: [confidence], subspace: { values, weights: subspace.weights, rank } };
  } finally {
    if (options.inputs === undefined) await inputs.close();
  }
}

/**
 * Vectors with signal, weighted so that the sum over them of w·(u·x)² estimates how much of x lies in the true span: a vector that
 * is signal to the share c shows only c of what x has along the true one, so it counts 1/c, less where it is mostly noise. Where none
 * stands out, the first is better than nothing.
 */
function usable({ basis, weights: shares, values }: Subspace): Pick<Subspace, 'basis' | 'weights'> {
  const count = shares.findLastIndex((share) => share > 0) + 1;
  const size = basis.length / values.length;
  if (count === 0) return { basis: basis.subarray(0, size), weights: Float64Array.of(1) };
  const weights = shares.subarray(0, count).map((c) => c / (c * c + ((1 - c) * count) / size));
  return { basis: basis.subarray(0, size * count), weights };
}

/** The tokens that a position's scores put first. */
function shortlist(scores: Float32Array, size: number): number[] {
  // A threshold that leaves few, found on a sample of the scores, so that few are sorted.
  const sample = new Float32Array(Math.ceil(scores.length / 16));
  for (let i = 0; i < sample.length; i++) sample[i] = scores[i * 16] as number;
  sample.sort();
  const least = scores.length > 4096 ? (sample.at(-Math.ceil(size / 8)) as number) : Number.NEGATIVE_INFINITY;
  const few: number[] = [];
  for (let v = 0; v < scores.length; v++) if ((scores[v] as number) >= least) few.push(v);
  return few.sort((a, b) => (scores[b] as number) - (scores[a] as number)).slice(0, size);
}
