// The stages that judge sentences by the whole gradient: changes of what tables and first block found, undecided sentences, and
// the refinement of what those find.

import { type Candidates, freePlaces } from './candidates.js';
import type { Tried } from './heights.js';
import { type Move, topTokens } from './moves.js';
import { type Pieces, placesOf } from './objective.js';
import { changeOf } from './pair-moves.js';
import { climb, isExplained, refine } from './refine.js';
import type { SoftAnswer } from './soft-search.js';
import type { LikelihoodOptions, Task } from './task.js';

export async function improve(
  first: Tried,
  starts: readonly (readonly number[])[],
  task: Task,
  { flips, soft, tries }: NonNullable<LikelihoodOptions['refinement']>,
): Promise<Tried> {
  const { view, pieces, candidates, length, label, heights, random } = task;
  const options = {
    heights,
    free: freePlaces(pieces, length),
    random,
    candidates: offered(pieces, candidates),
    otherwise: (tokens: readonly number[]) => {
      if (pieces.tables === undefined) return undefined;
      const places = placesOf(tokens);
      return (move: Move) => changeOf(pieces, tokens, places, new Map(move));
    },
    promises: async (tokens: readonly number[]) => {
      const slopes = await flips.of(view, tokens, label);
      return slopes.map((row, place) =>
        row.map((nats, token) => nats + commoner(pieces, token, tokens[place] as number)),
      );
    },
  };
  if (isExplained(first)) return first;
  const near = await climb(first, options, Math.ceil(nearShare * tries));
  if (isExplained(near)) return near;
  const found = await soft.run(view, { ...softStart(pieces, length), labels: [label] }, random);
  const all = [near.tokens, ...starts, ...found.sentences];
  return refine(all, { ...options, candidates: offered(pieces, candidates, found) });
}

/** The share of all tries that goes to changes of what tables and first block found, before undecided sentences climb. */
const nearShare = 0.25;

/** How much more common one token is than another, in nats. */
export const commoner = ({ prior }: Pieces, token: number, than: number): number =>
  (prior[token] ?? Number.NEGATIVE_INFINITY) - (prior[than] ?? 0);

/** Undecided sentences start at what tables and prior say of each place by itself. */
export function softStart({ tables, prior, known }: Pieces, length: number) {
  const logs = Array.from({ length }, (_, place) => {
    const single = tables?.single(place);
    return prior.map((nats, token) => nats + (single?.[token] ?? 0));
  });
  return { logs, known, prior };
}

/** Tokens that are tried at a place beside those that promise most: what pieces and undecided sentences prefer there. */
function offered({ prior }: Pieces, candidates: Candidates, found?: SoftAnswer) {
  const [few, fewer] = [12, 4];
  const possible = (token: number) => Number.isFinite(prior[token]);
  const lists = candidates.at.map((named, place) => {
    const soft = found?.sentences.flatMap((_, row) => topTokens(found.logs(row, place), row === 0 ? few : fewer)) ?? [];
    return [...new Set([...soft, ...named])].filter(possible);
  });
  return (place: number): readonly number[] => lists[place] ?? [];
}
