// What is said of an answer: how sure each of its tokens is, and what the parts of the gradient contribute to it.

import { logSumExp } from '../../math/index.js';
import { freePlaces, triedAt } from './candidates.js';
import { certainty, differenceOf, logOddsAt } from './certainty.js';
import { heightsOf, highest, type Tried } from './heights.js';
import { commoner } from './improve.js';
import { moved, topTokens } from './moves.js';
import { gainsAt, read } from './objective.js';
import { sentencePrior, type Task } from './task.js';

/** Tokens of each kind that are judged at a place. */
const perPlace = 1;

/** An answer, and how sure it is. */
export interface SureAnswer {
  readonly answer: Tried;
  /** The probability that each of its tokens is right. */
  readonly confidence: readonly number[];
  /** Nats by which the answer is ahead of the best other sentence that was compared with it; absent if there is none. */
  readonly lead?: number;
}

/** Compares each token with its rivals, as far as that has not been done. A rival that explains more takes the answer's place. */
export async function compareRivals(first: Tried, task: Task): Promise<SureAnswer> {
  const { view, options, pieces, length, label, heights } = task;
  const free = freePlaces(pieces, length);
  const compared = new Set(heights.all().map(({ tokens }) => differenceOf(tokens, first.tokens)));
  const rivals = await rivalsOf(
    first,
    free.filter((place) => !compared.has(place)),
    task,
  );
  const unlimited = heightsOf(
    (sentences) => options.whole.judge(view, sentences, label),
    sentencePrior(options, pieces.known),
    Number.POSITIVE_INFINITY,
  );
  const tried = [...heights.all(), ...(await unlimited.of(rivals))];
  const answer = highest([first, ...tried]);
  const others = tried.filter(({ tokens }) => tokens.join() !== answer.tokens.join());
  return {
    answer,
    confidence: confidenceOf(answer, task, logOddsAt(first, tried, free)),
    ...(others.length > 0 && { lead: answer.height - highest(others).height }),
  };
}

/** Compares each token with its rivals by tables, first block and prior alone, which costs no pass through the model. */
export function compareByPieces(answer: Tried, task: Task): SureAnswer {
  const { pieces, candidates } = task;
  const { tokens } = answer;
  const reading = read(pieces, tokens);
  const gaps = freePlaces(pieces, tokens.length).map((place) => {
    const tried = triedAt(candidates, tokens, place);
    const own = tried.indexOf(tokens[place] as number);
    const { nats } = gainsAt(pieces, reading, place, tried);
    return { place, gaps: nats.filter((_, k) => k !== own).map((other) => (nats[own] as number) - other) };
  });
  const odds = new Map(gaps.map(({ place, gaps: some }) => [place, -logSumExp(some.map((gap) => -gap))]));
  const lead = gaps.reduce(
    (least, { gaps: some }) => some.reduce((a, b) => Math.min(a, b), least),
    Number.POSITIVE_INFINITY,
  );
  return { answer, confidence: confidenceOf(answer, task, odds), ...(Number.isFinite(lead) && { lead }) };
}

function confidenceOf({ tokens, unexplained, resolution }: Tried, { pieces }: Task, odds: ReadonlyMap<number, number>) {
  return tokens.map((_, place) =>
    pieces.known.has(place) ? 1 : certainty({ logOdds: odds.get(place) ?? 0, unexplained, resolution }),
  );
}

/** The answer with another token at one place: with those that promise most there, and those that tables and first block name. */
async function rivalsOf(answer: Tried, places: readonly number[], task: Task): Promise<number[][]> {
  if (places.length === 0) return [];
  const { view, options, pieces, candidates, label } = task;
  const slopes = await options.refinement?.flips.of(view, answer.tokens, label);
  return places.flatMap((place) => {
    const own = answer.tokens[place] as number;
    const promised = slopes?.[place]?.map((nats, token) => nats + commoner(pieces, token, own));
    const rivals = (named: readonly number[]) => named.filter((token) => token !== own).slice(0, perPlace);
    const both = [...rivals(promised ? topTokens(promised, perPlace + 1) : []), ...rivals(candidates.at[place] ?? [])];
    return [...new Set(both)].map((token) => moved(answer.tokens, [[place, token]]));
  });
}

/** Nats of the answer by evidence: what each part of the gradient contributes, and the prior. */
export async function figuresOf({ answer, lead }: SureAnswer, { view, options: { whole }, label, heights }: Task) {
  const { embeddings, blocks } = view.model.layout;
  const tables = new Set([embeddings.words.weight, embeddings.positions.weight, embeddings.tokenTypes?.weight]);
  const groups = view.model.layout.parameterGroups;
  const inBlocks = new Set(groups.filter((group) => blocks.some(({ query }) => group.includes(query.weight))).flat());
  const figures = { tableNats: 0, blockNats: 0, headNats: 0 };
  for (const [name, nats] of await whole.byTensor(view, answer.tokens, label)) {
    const part = tables.has(name) ? 'tableNats' : inBlocks.has(name) ? 'blockNats' : 'headNats';
    figures[part] += nats;
  }
  return {
    ...figures,
    wholeNats: answer.nats,
    priorNats: answer.prior,
    ...(lead !== undefined && { lead }),
    ...(Number.isFinite(answer.misfit) && { misfit: answer.misfit }),
    tries: heights.all().length,
  };
}
