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
import { type LimitedNats, limited, refine } from './refine.js';
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
  /** The likelihood of the whole gradient of a sentence, which chooses between the answers. */
  readonly whole: WholeLikelihood;
  /** The likelihood of the head's gradient, which improves them, and how many sentences may be tried. */
  readonly head?: { readonly likelihood: WholeLikelihood; readonly tries: number };
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
  const found = distinct(starts.map((start) => ascend(pieces, candidates, start)));
  const head = options.head && limited((tokens) => headNats(view, tokens, options), options.head.tries);
  const refined = head && (await refine(pieces, candidates, await higher(pieces, found, head), head));
  const { reading, nats: all } = await choose(view, pieces, distinct([...(refined ? [refined] : []), ...found]), whole);
  const nats = natsOf(pieces, reading);
  const ofHead = head?.known(reading.tokens);
  return {
    sentences: [[...reading.tokens]],
    confidence: [posterior(pieces, candidates, reading, head?.known)],
    figures: {
      ...(tables && { tableNats: nats.tables }),
      ...(span && { spanNats: nats.span }),
      priorNats: nats.prior,
      ...(ofHead !== undefined && { headNats: ofHead }),
      wholeNats: all,
    },
  };
}

const headNats = (view: GradientView, tokens: readonly number[], { head }: LikelihoodOptions): Promise<number> =>
  (head as NonNullable<typeof head>).likelihood.nats(view, tokens);

/** The sentence that pieces and head together prefer. */
async function higher(pieces: Pieces, found: readonly Reading[], head: LimitedNats): Promise<Reading> {
  const heights: number[] = [];
  for (const reading of found) heights.push(total(natsOf(pieces, reading)) + ((await head.of(reading.tokens)) ?? 0));
  return found[heights.indexOf(Math.max(...heights))] as Reading;
}

/** The special tokens around every text, if the sentence has room for them. */
export function knownTokens({ tokenizer }: Pick<AttackedModel, 'tokenizer'>, length: number): Map<number, number> {
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

/** The sentence whose whole gradient, with the prior, is likeliest. The pieces are parts of it and are not added. */
async function choose(
  view: GradientView,
  { prior, known }: Pieces,
  found: readonly Reading[],
  whole: WholeLikelihood,
): Promise<{ reading: Reading; nats: number }> {
  const judged = [];
  for (const reading of found) {
    const nats = await whole.nats(view, reading.tokens);
    judged.push({ reading, nats, height: nats + outerNats({ prior, known }, reading.tokens) });
  }
  return judged.reduce((best, one) => (one.height > best.height ? one : best));
}
