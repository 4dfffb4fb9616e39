// DAGER (Petrov et al. 2024) for one sentence. The gradient of a query map is Xᵀ D, so its rank is the number of tokens, and every
// input of the block lies in its span. Tokens are checked by the first block, whole sentences by the second.

import { check } from '../../checks/index.js';
import type { RandomSource } from '../../random/index.js';
import { tokensAround, tokensAroundText } from '../model.js';
import type { FirstInputs } from '../span/inputs.js';
import type { SecondInputs } from '../span/second-inputs.js';
import type { GradientView, Recovery } from '../view.js';
import { findCandidates, type PositionCandidates } from './candidates.js';
import { findQuerySpans, type RankOptions } from './query-spans.js';
import { type Checked, searchFromLeft, searchWhole } from './sentences.js';

export interface DagerOptions extends RankOptions {
  readonly tokenThreshold: number;
  readonly sentenceThreshold: number;
  /** The most candidates per position. Default: 1 for encoders, all for decoders. */
  readonly candidates?: number;
  readonly combinations: number;
  readonly inputs: FirstInputs;
  /** Measures distances to the span of the second block. */
  readonly second: SecondInputs;
  /** The most tokens to look for if the length is unknown. */
  readonly longest: number;
  /** Draws combinations where they are too many to try them all. */
  readonly random: RandomSource;
}

export async function dagerAttack(view: GradientView, options: DagerOptions): Promise<Recovery> {
  const { inputs, second, longest, tokenThreshold, combinations, random } = options;
  const { layout, tokenizer } = view.model;
  const [length] = view.lengths ?? [];
  if (length !== undefined) check({ length }, `a whole number from 1 to ${inputs.positions}`, isLength(inputs));
  const { rank, bases } = await findQuerySpans(view, options);
  const found = await findCandidates(inputs, bases[0], length ?? longest, tokenThreshold);
  const lengths = length === undefined ? findLengths(view, found, rank) : [length];
  const causal = layout.attention === 'causal';
  const most = options.candidates ?? (causal ? Number.POSITIVE_INFINITY : 1);
  const span = { basis: bases[1], weights: new Float64Array(rank).fill(1) };
  const measure = (sentences: readonly (readonly number[])[]) => second.scoreTokens(sentences, span);
  let best: Checked | undefined;
  for (const one of lengths) {
    const known = tokensAroundText(tokenizer, one);
    const candidates = found.slice(0, one).map(({ tokens }, position) => {
      const special = known.get(position);
      return special === undefined ? tokens.slice(0, most).map(({ token }) => token) : [special];
    });
    const search = { candidates, measure, threshold: options.sentenceThreshold, combinations, random };
    const checked = await (causal ? searchFromLeft(search) : searchWhole(search));
    if (best === undefined || checked.distance < best.distance) best = checked;
  }
  return recoveryOf(view, best as Checked, found, rank);
}

const isLength =
  ({ positions }: FirstInputs) =>
  (length: number) =>
    Number.isInteger(length) && length >= 1 && length <= positions;

/**
 * The lengths that a sentence may have: it ends where a token of the end passes, and without such tokens where nothing passes any
 * more. If nothing passes at all, the rank is the length.
 */
function findLengths({ model }: GradientView, found: readonly PositionCandidates[], rank: number): readonly number[] {
  const { before, after } = tokensAround(model.tokenizer);
  const silent = found.findIndex(({ passing }) => passing.length === 0);
  const end = silent === -1 ? found.length : silent;
  const ends = Array.from({ length: end }, (_, place) => place + 1).filter(
    (length) =>
      length >= before.length + after.length &&
      after.every((token, i) => holds(found[length - after.length + i] as PositionCandidates, token)),
  );
  if (after.length > 0 && ends.length > 0) return ends;
  if (after.length === 0 && end > 0) return [end];
  return [Math.min(found.length, Math.max(1, before.length + after.length, rank))];
}

const holds = ({ passing }: PositionCandidates, wanted: number): boolean =>
  passing.some(({ token }) => token === wanted);

/** A token is the surer the closer it is to the span; special tokens are known. */
function recoveryOf(
  { model }: GradientView,
  { tokens, distance }: Checked,
  found: readonly PositionCandidates[],
  rank: number,
): Recovery {
  const known = tokensAroundText(model.tokenizer, tokens.length);
  const confidence = tokens.map((token, position) => {
    if (known.has(position)) return 1;
    return 1 - (found[position]?.tokens.find((one) => one.token === token)?.distance as number);
  });
  const free = found.slice(0, tokens.length).filter((_, position) => !known.has(position));
  const passed = free.filter(({ passing }) => passing.length > 0).length / Math.max(1, free.length);
  return { sentences: [tokens], confidence: [confidence], figures: { rank, passed, secondDistance: distance } };
}
