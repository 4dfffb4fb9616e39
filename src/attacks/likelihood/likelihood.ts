// The likelihood attack on one shared gradient. Tables and first block give a sentence at little cost; where it does not explain the whole
// gradient, undecided sentences climb the likelihood together, and what they find is refined, token by token.

import { ArgumentError } from '../../checks/index.js';
import { seededSource } from '../../random/index.js';
import type { SentenceNats } from '../attack.js';
import { type AttackedModel, tokensAroundText } from '../model.js';
import { shortlist } from '../span/shortlist.js';
import { spanAttack } from '../span/span.js';
import { findSubspace, inputGram } from '../span/subspace.js';
import type { GradientView, Recovery } from '../view.js';
import { compareRivals, figuresOf } from './answer.js';
import { candidatesFor } from './candidates.js';
import type { Evidence } from './evidence.js';
import { heightsOf, highest } from './heights.js';
import { chooseLabel, improve } from './improve.js';
import type { Pieces } from './objective.js';
import { ascend, fill } from './search.js';
import { spanEvidence } from './span-evidence.js';
import { tableProducts } from './table-products.js';
import { tableEvidence } from './tables.js';
import { type LikelihoodOptions, sentencePrior } from './task.js';

export async function likelihoodAttack(view: GradientView, options: LikelihoodOptions): Promise<Recovery> {
  const { whole, refinement } = options;
  if (view.batchSize !== 1) {
    throw new ArgumentError(`the likelihood attack reads one sentence at a time, got a batch of ${view.batchSize}`);
  }
  const length = view.lengths?.[0] ?? (await findLength(view, options));
  const { pieces, candidates, starts } = await readPieces(view, options, length);
  const label = await chooseLabel(view, options, pieces, starts[0] as readonly number[]);
  const judge = (sentences: readonly (readonly number[])[]) => whole.judge(view, sentences, label);
  const priorOf = sentencePrior(options, pieces.known);
  const heights = heightsOf(judge, priorOf, refinement?.tries ?? Number.POSITIVE_INFINITY);
  const first = highest(await heights.of(starts));
  const task = { view, options, pieces, candidates, length, label, heights, random: seededSource('likelihood') };
  const saysLittle = first.resolution > hidden;
  const improved = refinement === undefined || saysLittle ? first : await improve(first, starts, task, refinement);
  const { answer, confidence } = await compareRivals(improved, task, saysLittle ? 0 : undefined);
  return {
    sentences: [[...answer.tokens]],
    confidence: [confidence],
    figures: await figuresOf(answer, task),
    ...(options.evidence.span && pieces.span === undefined && { notes: [widthNote(view.model, options.evidence)] }),
  };
}

/** Noise of this share of the gradient's length leaves a dozen nats in all, and a token takes about nine: no text is worth a try. */
const hidden = 0.2;

/** What the attack maximises, for any sentences, each with the label that explains the gradient best. */
export async function judgeSentences(
  view: GradientView,
  sentences: readonly (readonly number[])[],
  options: LikelihoodOptions,
): Promise<SentenceNats[]> {
  const [first] = sentences;
  if (first === undefined) return [];
  const [best] = await options.whole.labels(view, first);
  const found: SentenceNats[] = [];
  // Only sentences of one length can be judged together: an answer of unknown length may have another.
  for (const length of new Set(sentences.map((tokens) => tokens.length))) {
    const places = [...sentences.keys()].filter((place) => sentences[place]?.length === length);
    const some = places.map((place) => sentences[place] as readonly number[]);
    const judged = await options.whole.judge(view, some, best?.label ?? 0);
    const priors = await sentencePrior(options, tokensAroundText(view.model.tokenizer, length))(some);
    for (const [k, place] of places.entries())
      found[place] = { likelihood: judged[k]?.nats as number, prior: priors[k] as number };
  }
  return found;
}

/** Limits are said, because a text that does not come back for this reason is not safe. */
const widthNote = ({ config: { hidden } }: AttackedModel, { tables }: Evidence): string =>
  `The first block says nothing about texts with as many tokens as the model is wide (${hidden}): ${tables ? 'the word and position tables and the whole gradient were read' : 'only the whole gradient was read, which finds long texts only with much effort'}.`;

/** What tables, first block and prior say, and the sentences that they prefer: one from nothing, one from the span's answer. */
async function readPieces(view: GradientView, { evidence, inputs, prior }: LikelihoodOptions, length: number) {
  const known = tokensAroundText(view.model.tokenizer, length);
  const tables = evidence.tables ? tableEvidence(await tableProducts(view, length)) : undefined;
  // With as many tokens as the model is wide, all vectors lie in the span.
  const narrow = evidence.span && length < view.model.config.hidden;
  const span = narrow ? spanEvidence(inputs, await inputGram(view)) : undefined;
  const pieces: Pieces = { prior, known, ...(tables && { tables }), ...(span && { span }) };
  const guess = narrow ? await spanAttack({ ...view, lengths: [length] }, { inputs }) : undefined;
  const candidates = candidatesFor(pieces, guess?.shortlists, length);
  const from: number[][] = [];
  if (tables !== undefined || guess === undefined) from.push(fill(pieces, candidates, length));
  if (guess !== undefined) from.push(withKnown(guess.sentences[0] as readonly number[], pieces));
  const climbed = from.map((start) => ascend(pieces, candidates, start).tokens);
  return { pieces, candidates, starts: [...new Map(climbed.map((tokens) => [tokens.join(), tokens])).values()] };
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
  const [common] = shortlist(Float32Array.from(prior)) as [number];
  return guess.map((token, place) => known.get(place) ?? (Number.isFinite(prior[token]) ? token : common));
}
