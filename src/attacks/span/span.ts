// The span attack (after DAGER, Petrov et al. 2024; the variant that works under noise is ours). Every token of the client's text is
// an input of the first block, so its vector lies in the span that the gradient shows. For each position, the attack chooses the
// tokens whose vectors the span explains best. It needs no optimisation and no labels.

import { ArgumentError } from '../../checks/index.js';
import type { GradientView, Recovery } from '../view.js';
import { arrange } from './arrange.js';
import { searchWithPrior } from './beam.js';
import { type FirstInputs, openFirstInputs } from './inputs.js';
import { checkBatch, planOf } from './plan.js';
import type { Prior } from './prior.js';
import { type Chosen, type Known, pursue } from './pursuit.js';
import { openSecondInputs, type SecondInputs } from './second-inputs.js';
import { shortlist } from './shortlist.js';
import { findSubspace, type Subspace, usable } from './subspace.js';

/** What the span attack may reuse or know. */
export interface SpanOptions {
  /** Inputs of this model from `openFirstInputs`, which saves preparing them for each of many gradients. */
  readonly inputs?: FirstInputs;
  /** The same for batches of several sentences, from `openSecondInputs`. */
  readonly secondInputs?: SecondInputs;
  /** The longest sentence to look for if lengths are unknown. Default: 64 tokens, or the model's positions if there are fewer. */
  readonly longest?: number;
  /** A language model that decides between candidates which noise makes hard to tell apart; for one sentence at a time. */
  readonly prior?: Prior;
}

/** What the span attack recovered, and the span it read. */
export interface SpanRecovery extends Recovery {
  readonly subspace: Pick<Subspace, 'values' | 'weights' | 'rank'>;
  /** The tokens of each position that fit the span best, before any was chosen. */
  readonly shortlists: readonly (readonly number[])[];
}

/**
 * Recovers the sentences of one shared gradient. Sentences of a batch come back in the order of `lengths`; the order of those with
 * equal length is arbitrary.
 */
export async function spanAttack(view: GradientView, options: SpanOptions = {}): Promise<SpanRecovery> {
  checkBatch(view);
  if (options.prior !== undefined && view.batchSize > 1) {
    throw new ArgumentError(`prior: expected one sentence at a time, got a batch of ${view.batchSize}`);
  }
  const { hidden } = view.model.config;
  const known = view.lengths !== undefined;
  const longest = known
    ? Math.max(...(view.lengths ?? []))
    : (options.longest ?? Math.min(64, view.model.config.positions));
  const inputs = options.inputs ?? (await openFirstInputs(view, longest));
  try {
    const tokens = (view.lengths ?? [longest]).reduce((sum, length) => sum + length, 0);
    const subspace = await findSubspace(view, Math.min(tokens, hidden), known);
    const lengths = view.lengths ?? [Math.max(1, subspace.rank)];
    const span = usable(subspace);
    const scores = await inputs.scoreTokens(span.basis, span.weights, Math.max(...lengths));
    const plan = planOf(view, lengths, subspace.rank);
    const barred = plan.known.map(({ token }) => token);
    for (const one of scores) for (const token of barred) one[token] = Number.NEGATIVE_INFINITY;
    const shortlists = scores.map(shortlist);
    const chosen = pursue(inputs, shortlists, span, plan);
    // Where words and places combine in several ways, other tokens lie in the span as well; only the second block can tell.
    const others = shortlists.map((tokens, position) =>
      tokens.filter((token) => (scores[position]?.[token] as number) > within),
    );
    const sentences =
      lengths.length === 1
        ? [await oneSentence(chosen, subspace, options.prior)]
        : await tellApart(view, chosen, { known: plan.known, ...(plan.exact && { others }) }, options);
    const sureness = chosen.map((here) => new Map(here.map(({ token, confidence }) => [token, confidence])));
    for (const { token, position } of plan.known) sureness[position]?.set(token, 1);
    // A token that only the prior or the second block preferred has confidence 0.
    const confidence = sentences.map((one) => one.map((token, position) => sureness[position]?.get(token) ?? 0));
    const { values, weights, rank } = subspace;
    return { sentences, confidence, subspace: { values, weights, rank }, shortlists };
  } finally {
    if (options.inputs === undefined) await inputs.close();
  }
}

/** Weight of a nat of the language model, relative to a whole input in the span, when noise hides the span entirely. */
const priorWeight = 0.01;

/** The surest tokens. A prior is weighted by the share of the span that noise hides, so it changes nothing without noise. */
async function oneSentence(
  chosen: readonly (readonly Chosen[])[],
  { weights }: Subspace,
  prior: Prior | undefined,
): Promise<number[]> {
  const hidden = 1 - weights.reduce((sum, share) => sum + share, 0) / chosen.length;
  if (prior === undefined || hidden < 1e-3) return chosen.map(([first]) => (first as Chosen).token);
  const candidates = chosen.map(([first]) => (first as Chosen).candidates);
  return searchWithPrior(candidates, prior, priorWeight * hidden);
}

/** A token explained to this share is in the span, apart from float32 rounding. */
const within = 1 - 1e-4;

/** Distributes the tokens chosen for each position over the sentences. */
async function tellApart(
  view: GradientView,
  chosen: readonly (readonly Chosen[])[],
  { known, others }: { readonly known: readonly Known[]; readonly others?: readonly (readonly number[])[] },
  options: SpanOptions,
): Promise<number[][]> {
  const { lengths = [] } = view;
  const second = options.secondInputs ?? openSecondInputs(view);
  try {
    const tokens = lengths.reduce((sum, length) => sum + length, 0);
    const span = usable(await findSubspace(view, tokens, true, 1));
    return await arrange({
      tokens: chosen.map((here) => here.map(({ token }) => token)),
      lengths,
      known: (sentence, position) =>
        position === 0 || position === (lengths[sentence] as number) - 1
          ? known.find((one) => one.position === position)?.token
          : undefined,
      ...(others && { others }),
      measure: (sentences) => second.scoreTokens(sentences, span),
    });
  } finally {
    if (options.secondInputs === undefined) await second.close();
  }
}
