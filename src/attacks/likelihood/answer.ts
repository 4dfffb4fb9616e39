// What is said of an answer: how sure each of its tokens is, and what the parts of the gradient contribute to it.

import { freePlaces } from './candidates.js';
import { certainty, logOddsAt } from './certainty.js';
import { heightsOf, highest, type Tried } from './heights.js';
import { commoner } from './improve.js';
import { moved, topTokens } from './moves.js';
import { sentencePrior, type Task } from './task.js';

/** Tokens of each kind that are judged at a place. */
const perPlace = 2;

/** An answer, and the probability that each of its tokens is right. */
export interface SureAnswer {
  readonly answer: Tried;
  readonly confidence: readonly number[];
}

/** Times that an answer gives way to a rival. */
const mostTurns = 4;

/** Compares each token with its rivals. A rival that explains more takes the answer's place, and is compared in turn. */
export async function compareRivals(first: Tried, task: Task, turns = mostTurns): Promise<SureAnswer> {
  const { view, options, pieces, length, label, heights } = task;
  const free = freePlaces(pieces, length);
  const unlimited = heightsOf(
    (sentences) => options.whole.judge(view, sentences, label),
    sentencePrior(options, pieces.known),
    Number.POSITIVE_INFINITY,
  );
  let answer = first;
  for (let turn = 0; turn <= turns && turns > 0; turn++) {
    const rivals = (await rivalsOf(answer, free, task)).filter((tokens) => !heights.has(tokens));
    const best = highest([answer, ...(await unlimited.of(rivals))]);
    if (best === answer || turn === turns) break;
    answer = best;
  }
  const { unexplained, resolution } = answer;
  const odds = logOddsAt(answer, [...heights.all(), ...unlimited.all()], free);
  const confidence = answer.tokens.map((_, place) =>
    pieces.known.has(place) ? 1 : certainty({ logOdds: odds.get(place) ?? 0, unexplained, resolution }),
  );
  return { answer, confidence };
}

/** The answer with another token at one place: with those that promise most there, and those that tables and first block name. */
async function rivalsOf(answer: Tried, free: readonly number[], task: Task): Promise<number[][]> {
  const { view, options, pieces, candidates, label } = task;
  const slopes = await options.refinement?.flips.of(view, answer.tokens, label);
  return free.flatMap((place) => {
    const own = answer.tokens[place] as number;
    const promised = slopes?.[place]?.map((nats, token) => nats + commoner(pieces, token, own));
    const named = [
      ...(promised ? topTokens(promised, perPlace) : []),
      ...(candidates.at[place] ?? []).slice(0, perPlace),
    ];
    return [...new Set(named)].filter((token) => token !== own).map((token) => moved(answer.tokens, [[place, token]]));
  });
}

/** Nats of the answer by evidence: what each part of the gradient contributes, and the prior. */
export async function figuresOf(answer: Tried, { view, options: { whole }, label, heights }: Task) {
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
    ...(Number.isFinite(answer.misfit) && { misfit: answer.misfit }),
    tries: heights.all().length,
  };
}
