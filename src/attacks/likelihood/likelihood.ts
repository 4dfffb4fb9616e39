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
import { compareByPieces, compareRivals, figuresOf } from './answer.js';
import { type Candidates, candidatesFor } from './candidates.js';
import type { Evidence } from './evidence.js';
import { heightsOf, highest } from './heights.js';
import { chooseLabel, improve } from './improve.js';
import { matchedTokens } from './matches.js';
import { empty, natsOf, type Pieces, read, total } from './objective.js';
import { isExplained } from './refine.js';
import { ascend, blank, fill } from './search.js';
import { type Reading, spanEvidence } from './span-evidence.js';
import { tableProducts } from './table-products.js';
import { tableEvidence } from './tables.js';
import { type LikelihoodOptions, sentencePrior } from './task.js';
import type { Judgement } from './whole.js';

export async function likelihoodAttack(view: GradientView, options: LikelihoodOptions): Promise<Recovery> {
  const { whole, refinement } = options;
  if (view.batchSize !== 1) {
    throw new ArgumentError(`the likelihood attack reads one sentence at a time, got a batch of ${view.batchSize}`);
  }
  const length = view.lengths?.[0] ?? (await findLength(view, options));
  const { pieces, candidates, starts, label } = await readEvidence(view, options, length);
  const judge = (sentences: readonly (readonly number[])[]) => whole.judge(view, sentences, label);
  const priorOf = sentencePrior(options, pieces.known);
  const heights = heightsOf(judge, priorOf, refinement?.tries ?? Number.POSITIVE_INFINITY);
  const first = highest(await heights.of(starts));
  const task = { view, options, pieces, candidates, length, label, heights, random: seededSource('likelihood') };
  const effort = first.resolution > hidden ? undefined : refinement;
  const sure = effort
    ? await compareRivals(await improve(first, starts, task, effort), task)
    : compareByPieces(first, task);
  return {
    sentences: [[...sure.answer.tokens]],
    confidence: [sure.confidence],
    figures: await figuresOf(sure, task),
    ...(options.evidence.span && !isNarrow(view, length) && { notes: [widthNote(view.model, options.evidence)] }),
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

/** With as many tokens as the model is wide, all vectors lie in the span. */
const isNarrow = ({ model }: GradientView, length: number): boolean => length < model.config.hidden;

/** What tables and first block say, the sentences that they prefer, and the label. The first block is read only where tables do not explain the gradient. */
async function readEvidence(view: GradientView, options: LikelihoodOptions, length: number) {
  const { evidence, whole } = options;
  const tables = evidence.tables ? tableEvidence(await tableProducts(view, length)) : undefined;
  const outer = {
    prior: options.prior,
    known: tokensAroundText(view.model.tokenizer, length),
    ...(tables && { tables }),
  };
  let found = readTables(outer, length);
  let labels = await whole.labels(view, found.starts[0] as readonly number[]);
  if (evidence.span && isNarrow(view, length) && !(tables && isExplained(labels[0] as Judgement))) {
    found = await addSpan(view, options, found, length);
    labels = await whole.labels(view, found.starts[0] as readonly number[]);
  }
  return { ...found, label: await chooseLabel(view, options, found.pieces, labels, length) };
}

/** What has been read of a gradient, and the sentences that it prefers, the best first. */
interface Read {
  readonly pieces: Pieces;
  readonly candidates: Candidates;
  readonly starts: readonly (readonly number[])[];
}

/** By tables and prior: from nothing, and from the words that match places best. */
function readTables(pieces: Pieces, length: number): Read {
  const candidates = candidatesFor(pieces, undefined, length);
  const from = [blank(pieces, length), matchedTokens(pieces, length)];
  const [best] = ranked(
    pieces,
    from.map((tokens) => read(pieces, fill(pieces, candidates, tokens))),
  ) as [Reading];
  return { pieces, candidates, starts: [ascend(pieces, candidates, best.tokens).tokens] };
}

/** By the first block too: from what the tables found, and from the span's answer. */
async function addSpan(view: GradientView, { inputs }: LikelihoodOptions, tables: Read, length: number): Promise<Read> {
  const pieces = { ...tables.pieces, span: spanEvidence(inputs, await inputGram(view)) };
  const guess = await spanAttack({ ...view, lengths: [length] }, { inputs });
  if (pieces.tables && !speaks(pieces, guess.shortlists, length)) return tables;
  const candidates = candidatesFor(pieces, guess.shortlists, length);
  const from = pieces.tables ? tables.starts.slice(0, 1) : [];
  const starts = [...from, withKnown(guess.sentences[0] as readonly number[], pieces)];
  const climbed = starts.map((tokens) => ascend(pieces, candidates, tokens));
  return { pieces, candidates, starts: ranked(pieces, climbed).map(({ tokens }) => tokens) };
}

/** Whether the first block names any token at any place, by more nats than choosing one takes. */
function speaks({ span, prior }: Pieces, shortlists: readonly (readonly number[])[], length: number): boolean {
  const nothing = { tokens: Array<number>(length).fill(empty), strengths: new Float64Array(length) };
  return shortlists.some((tokens, place) =>
    span?.gains(nothing, place, tokens.slice(0, 4)).nats.some((nats) => nats > Math.log(prior.length)),
  );
}

/** Sentences in the order of their nats, each once. */
function ranked(pieces: Pieces, readings: readonly Reading[]): Reading[] {
  const all = readings.map((reading) => ({ reading, nats: total(natsOf(pieces, reading)) }));
  const sorted = all.sort((a, b) => b.nats - a.nats).map(({ reading }) => reading);
  return [...new Map(sorted.map((reading) => [reading.tokens.join(), reading])).values()];
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
