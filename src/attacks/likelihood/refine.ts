// Refines sentences by the whole likelihood: judges the most promising changes in batches, takes the best and what goes with it, and
// starts again. A change is kept only if the height of the whole sentence rises.

import { integerBelow, type RandomSource } from '../../random/index.js';
import { type Heights, highest, type Tried } from './heights.js';
import { type MoveSource, moved, rankMoves } from './moves.js';

export interface RefineOptions {
  readonly heights: Heights;
  readonly free: readonly number[];
  /** Nats that every token promises at each place of a sentence. */
  readonly promises: (tokens: readonly number[]) => Promise<readonly Float32Array[]>;
  readonly candidates: MoveSource['candidates'];
  /** What evidence that costs little says of changes of a sentence. */
  readonly otherwise?: (tokens: readonly number[]) => MoveSource['otherwise'];
  readonly random: RandomSource;
}

/** Sentences per batch, and the most changes of one sentence that are judged before it counts as the best around. */
const [atOnce, most] = [32, 640];

/** Sentences that a climb from a changed answer may judge. */
const further = 192;

/** Very short sentences have few neighbours. After so many changed answers in a row around which all were judged, nothing is left to do. */
const patience = 16;

/** Improvements below this are rounding. */
const least = 1e-6;

/**
 * Whether a sentence explains as much as the true one does in 21 of 22 cases, so that it is not worth more effort. A misfit far below 0 is
 * as bad as one far above: gradients that are not bounded can be too short as well as too long. Under more noise than `finest`, tokens in
 * another order can explain as much as that.
 */
export const isExplained = ({ misfit, resolution }: Pick<Tried, 'misfit' | 'resolution'>): boolean =>
  Math.abs(misfit) < 2 && resolution < finest;

/** At half of this noise all explained answers of 50 sentences were right; at more than it, many had tokens in another order. */
const finest = 0.002;

/** Climbs from each start in turn, the highest first, then from changed answers, until the gradient is explained or the budget is spent. */
export async function refine(starts: readonly (readonly number[])[], options: RefineOptions): Promise<Tried> {
  const { heights, free } = options;
  const judged = (await heights.of(starts)).sort((a, b) => b.height - a.height);
  let best = highest(judged);
  for (const start of judged) {
    best = highest([best, await climb(start, options, heights.left())]);
    if (heights.left() <= 0 || isExplained(best)) return best;
  }
  let fruitless = 0;
  while (heights.left() > 0 && free.length > 1 && !isExplained(best) && fruitless < patience) {
    const before = heights.left();
    const [start] = await heights.of([disturbed(best.tokens, options)]);
    if (start !== undefined) best = highest([best, await climb(start, options, further)]);
    fruitless = heights.left() === before ? fruitless + 1 : 0;
  }
  return best;
}

/** Climbs as far as the changes lead, judging at most `budget` sentences. */
export async function climb(start: Tried, options: RefineOptions, budget: number): Promise<Tried> {
  const { heights, free, promises, candidates } = options;
  const end = heights.left() - budget;
  const cheap = (tokens: readonly number[]) => {
    const otherwise = options.otherwise?.(tokens);
    return otherwise === undefined ? {} : { otherwise };
  };
  let best = start;
  while (heights.left() > Math.max(0, end)) {
    const { tokens } = best;
    const moves = rankMoves({ tokens, free, promised: await promises(tokens), candidates, ...cheap(tokens) });
    const enough = isExplained(best) ? atOnce : most;
    const fresh = moves.filter((move) => !heights.has(moved(tokens, move))).slice(0, enough);
    let higher: Tried | undefined;
    for (let begin = 0; begin < fresh.length && higher === undefined; begin += atOnce) {
      if (heights.left() <= Math.max(0, end)) break;
      const some = fresh.slice(begin, begin + atOnce);
      const tried = await heights.of(some.map((move) => moved(tokens, move)));
      const good = tried
        .map((one, k) => ({ one, move: some[k] as (typeof some)[number] }))
        .filter(({ one }) => one.height > best.height + least)
        .sort((a, b) => b.one.height - a.one.height);
      if (good.length === 0) continue;
      const together = await heights.of(
        combined(
          tokens,
          good.map(({ move }) => move),
        ),
      );
      higher = highest([...good.map(({ one }) => one), ...together]);
    }
    if (higher === undefined) return best;
    best = higher;
  }
  return best;
}

/** The best changes together, as far as they change different places: the first two, the first three and so on. */
function combined(tokens: readonly number[], moves: readonly (readonly (readonly [number, number])[])[]): number[][] {
  const used = new Set<number>();
  const all: number[][] = [];
  let sentence = [...tokens];
  for (const move of moves) {
    if (all.length === 8) break;
    if (move.some(([place]) => used.has(place))) continue;
    for (const [place] of move) used.add(place);
    sentence = moved(sentence, move);
    all.push(sentence);
  }
  return all.slice(1);
}

/** Two or three places change round, or get other candidates. */
function disturbed(tokens: readonly number[], { free, candidates, random }: RefineOptions): number[] {
  const count = Math.min(free.length, 2 + integerBelow(random, 2));
  const places = new Set<number>();
  while (places.size < count) places.add(free[integerBelow(random, free.length)] as number);
  const chosen = [...places];
  if (integerBelow(random, 2) === 0) {
    return moved(
      tokens,
      chosen.map((place, k) => [place, tokens[chosen[(k + 1) % count] as number] as number] as const),
    );
  }
  return moved(
    tokens,
    chosen.map((place) => {
      const offered = [...candidates(place)];
      return [place, offered[integerBelow(random, offered.length)] ?? (tokens[place] as number)] as const;
    }),
  );
}
