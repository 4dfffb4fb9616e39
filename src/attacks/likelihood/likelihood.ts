// The likelihood attack on one shared gradient: reads the pieces that speak, climbs from two starts, and keeps the sentence that explains
// the gradient best.

import { ArgumentError } from '../../checks/index.js';
import { type AttackedModel, tokensAround } from '../model.js';
import type { FirstInputs } from '../span/inputs.js';
import { shortlist } from '../span/shortlist.js';
import { spanAttack } from '../span/span.js';
import { findSubspace, inputGram } from '../span/subspace.js';
import type { GradientView, Recovery } from '../view.js';
import { candidatesFor } from './candidates.js';
import type { Evidence } from './evidence.js';
import { natsOf, outerNats, type Pieces, total } from './objective.js';
import { ascend, fill, posterior } from './search.js';
import { type Reading, spanEvidence } from './span-evidence.js';
import { tableProducts } from './table-products.js';
import { tableEvidence } from './tables.js';
import type { WholeLikelihood } from './whole.js';

/** What stays open between gradients. */
export interface LikelihoodOptions {
  readonly evidence: Evidence;
  readonly inputs: FirstInputs;
  /** Log-probability of each token. */
  readonly prior: Float64Array;
  /** The longest sentence to look for if the length is unknown. */
  readonly longest: number;
  readonly whole?: WholeLikelihood;
}

export async function likelihoodAttack(view: GradientView, options: LikelihoodOptions): Promise<Recovery> {
  const { evidence, inputs, prior, whole } = options;
  if (view.batchSize !== 1) {
    throw new ArgumentError(`the likelihood attack reads one sentence at a time, got a batch of ${view.batchSize}`);
  }
  const length = view.lengths?.[0] ?? (await findLength(view, options));
  const known = knownTokens(view.model, length);
  const tables = evidence.tables ? tableEvidence(await tableProducts(view, length)) : undefined;
  const span = evidence.span ? spanEvidence(inputs, await inputGram(view)) : undefined;
  const pieces: Pieces = { prior, known, ...(tables && { tables }), ...(span && { span }) };
  const guess = evidence.span ? await spanAttack({ ...view, lengths: [length] }, { inputs }) : undefined;
  const candidates = candidatesFor(pieces, guess?.shortlists, length);
  const starts: number[][] = [];
  if (tables !== undefined) starts.push(fill(pieces, candidates, length));
  if (guess !== undefined) starts.push(withKnown(guess.sentences[0] as readonly number[], pieces));
  const found = starts.map((start) => ascend(pieces, candidates, start));
  const best = await choose(view, pieces, distinct(found), whole);
  const nats = natsOf(pieces, best.reading);
  return {
    sentences: [[...best.reading.tokens]],
    confidence: [posterior(pieces, candidates, best.reading)],
    figures: {
      ...(tables && { tableNats: nats.tables }),
      ...(span && { spanNats: nats.span }),
      priorNats: nats.prior,
      ...(best.whole !== undefined && { wholeNats: best.whole }),
    },
  };
}

/** The special tokens around every text, if the sentence has room for them. */
function knownTokens({ tokenizer }: Pick<AttackedModel, 'tokenizer'>, length: number): Map<number, number> {
  const { before, after } = tokensAround(tokenizer);
  if (before.length + after.length > length) return new Map();
  return new Map([
    ...before.map((token, k) => [k, token] as const),
    ...after.map((token, k) => [length - after.length + k, token] as const),
  ]);
}

/** Where the tables speak, the length up to which places are occupied; otherwise the rank of the span. */
async function findLength(view: GradientView, { evidence, longest }: LikelihoodOptions): Promise<number> {
  if (!evidence.tables) {
    const { rank } = await findSubspace(view, Math.min(longest, view.model.config.hidden), false);
    return Math.min(longest, Math.max(1, rank));
  }
  const { occupied } = tableEvidence(await tableProducts(view, longest));
  let [length, sum, most] = [1, 0, Number.NEGATIVE_INFINITY];
  for (const [place, nats] of occupied.entries()) {
    sum += nats;
    if (sum > most) [length, most] = [place + 1, sum];
  }
  return length;
}

/** The span's guess, with known tokens in place and impossible ones replaced by the most common. */
function withKnown(guess: readonly number[], { known, prior }: Pieces): number[] {
  const [usual] = shortlist(Float32Array.from(prior)) as [number];
  return guess.map((token, place) => known.get(place) ?? (Number.isFinite(prior[token]) ? token : usual));
}

const distinct = (readings: readonly Reading[]): Reading[] => [
  ...new Map(readings.map((reading) => [reading.tokens.join(), reading])).values(),
];

/** The sentence with the highest likelihood: of the whole gradient, where it can be computed, otherwise of its pieces. */
async function choose(
  view: GradientView,
  pieces: Pieces,
  found: readonly Reading[],
  whole: WholeLikelihood | undefined,
): Promise<{ reading: Reading; whole?: number }> {
  const judged = [];
  for (const reading of found) {
    const all = await whole?.nats(view, reading.tokens);
    const { prior, known } = pieces;
    const height =
      all === undefined ? total(natsOf(pieces, reading)) : all + outerNats({ prior, known }, reading.tokens);
    judged.push({ reading, height, ...(all !== undefined && { whole: all }) });
  }
  return judged.reduce((best, one) => (one.height > best.height ? one : best));
}
