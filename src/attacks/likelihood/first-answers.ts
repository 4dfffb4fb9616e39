// What tables and first block say about one shared gradient, the sentences that they prefer, and the label.

import { shortlist } from '../span/shortlist.js';
import { spanAttack } from '../span/span.js';
import { inputGram, showsInputs } from '../span/subspace.js';
import type { GradientView } from '../view.js';
import { type Candidates, candidatesFor } from './candidates.js';
import { chooseLabel } from './label.js';
import { matchedTokens } from './matches.js';
import { empty, natsOf, type Pieces, read, total } from './objective.js';
import { isExplained } from './refine.js';
import { ascend, blank, fill } from './search.js';
import { type Reading, spanEvidence } from './span-evidence.js';
import { tableProducts } from './table-products.js';
import { tableEvidence } from './tables.js';
import type { LikelihoodOptions } from './task.js';
import type { Judgement, LabelJudgement } from './whole.js';

/** With as many tokens as the model is wide, all vectors lie in the span. */
export const isNarrow = ({ model }: GradientView, length: number): boolean => length < model.config.hidden;

/** Noise of this share of the gradient's length leaves a dozen nats in all, and a token takes about nine: no text is worth a try. */
export const isHidden = ({ resolution }: Judgement): boolean => resolution > 0.2;

/**
 * What tables and first block say, the sentences that they prefer, and the label. The first block is read only where tables do not explain
 * the gradient. `given` is a sentence that is known to be near, if there is one: its label counts too.
 */
export async function readEvidence(
  view: GradientView,
  options: LikelihoodOptions,
  length: number,
  given?: readonly number[],
) {
  const { evidence, prior } = options;
  const tables = evidence.tables ? tableEvidence(await tableProducts(view, length)) : undefined;
  const outer = { prior, known: options.knownAt(length), ...(tables && { tables }) };
  const near = given === undefined ? [] : [given];
  let found = readTables(outer, length);
  let labels = await rankLabels(view, options, [...near, ...found.starts]);
  const [first] = labels as [LabelJudgement];
  const enough = tables !== undefined && (isExplained(first) || isHidden(first));
  if (evidence.span && showsInputs(view) && isNarrow(view, length) && !enough) {
    found = await addSpan(view, options, found, length);
    labels = await rankLabels(view, options, [...near, ...found.starts.slice(0, 1)]);
  }
  const [best] = labels as [LabelJudgement];
  const clear = given !== undefined || isHidden(first);
  const label = clear ? best.label : await chooseLabel(view, options, found.pieces, labels, length);
  return { ...found, starts: [...near, ...found.starts], label };
}

/** The labels, judged with the sentence that explains the gradient best. */
async function rankLabels(
  view: GradientView,
  { whole }: LikelihoodOptions,
  sentences: readonly (readonly number[])[],
): Promise<LabelJudgement[]> {
  const ranked: LabelJudgement[][] = [];
  for (const tokens of sentences) ranked.push(await whole.labels(view, tokens));
  const nats = (labels: readonly LabelJudgement[]) => labels[0]?.nats ?? Number.NEGATIVE_INFINITY;
  return ranked.reduce((best, labels) => (nats(labels) > nats(best) ? labels : best));
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

/** The span's guess, with known tokens in place and impossible ones replaced by the most common. */
export function withKnown(guess: readonly number[], { known, prior }: Pick<Pieces, 'known' | 'prior'>): number[] {
  const [common] = shortlist(Float32Array.from(prior)) as [number];
  return guess.map((token, place) => known.get(place) ?? (Number.isFinite(prior[token]) ? token : common));
}
