// Changes of a sentence that are worth judging: one token, two that change places, one that moves while those between close up. First-order
// promises of single tokens, added up, decide which of a kind come first.

/** New tokens by place. */
export type Move = readonly (readonly [place: number, token: number])[];

export interface MoveSource {
  readonly tokens: readonly number[];
  /** Places whose tokens are not known. */
  readonly free: readonly number[];
  /** Nats that every token promises at each place over the one that is there, the prior's included. */
  readonly promised: readonly Float32Array[];
  /** Further tokens that are tried at each place. */
  readonly candidates: (place: number) => Iterable<number>;
  /** What evidence that costs little says of a move, in nats. */
  readonly otherwise?: (move: Move) => number;
}

/** Places over which a token moves at most: of longer texts there would be too many moves to rank. */
const furthest = 24;

/** Tokens that are tried at each place because they promise most. */
const promising = 12;

/**
 * Single tokens, exchanges and shifts take turns, and so do the places of single tokens, each in the order of its promise: promises are
 * rough, and those of different kinds and places cannot be compared. Without turns a few of them would take all tries. Where other evidence
 * speaks, its favourites of all kinds are a fourth.
 */
export function rankMoves(source: MoveSource): Move[] {
  const { tokens, free, promised, otherwise } = source;
  const promise = (move: Move) => move.reduce((sum, [place, token]) => sum + (promised[place]?.[token] ?? 0), 0);
  const changing = (moves: Iterable<Move>) =>
    [...moves]
      .map((move) => move.filter(([place, token]) => tokens[place] !== token))
      .filter(({ length }) => length > 0);
  const ranked = (moves: Iterable<Move>) => sorted(changing(moves), (move) => promise(move) / Math.sqrt(move.length));
  const byPlace = free.map((place) => ranked(singlesAt(source, place)));
  const lists = [
    inTurns(sorted(byPlace, ([best = []]) => promise(best))),
    ranked(exchanges(source)),
    ranked(shifts(source)),
  ];
  if (otherwise !== undefined) lists.push(sorted(lists.flat(), otherwise));
  return inTurns(lists);
}

function sorted<T>(items: readonly T[], by: (item: T) => number): T[] {
  const ranked = items.map((item) => ({ item, rank: by(item) }));
  return ranked.sort((a, b) => b.rank - a.rank).map(({ item }) => item);
}

/** The first of each list, then the second of each and so on; each move once. */
function inTurns(lists: readonly (readonly Move[])[]): Move[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, k) => lists.flatMap((list) => list.slice(k, k + 1)));
  return [...new Map(turns.flat().map((move) => [move.join(), move])).values()];
}

/** A sentence after a move. */
export function moved(tokens: readonly number[], move: Move): number[] {
  const changed = [...tokens];
  for (const [place, token] of move) changed[place] = token;
  return changed;
}

function* singlesAt({ tokens, free, promised, candidates }: MoveSource, place: number): Generator<Move> {
  const pool = free.map((other) => tokens[other] as number);
  const best = topTokens(promised[place] as Float32Array, promising);
  for (const token of new Set([...best, ...candidates(place), ...pool])) yield [[place, token]];
}

function* exchanges({ tokens, free }: MoveSource): Generator<Move> {
  for (const [a, p] of free.entries())
    for (const q of free.slice(a + 1))
      yield [
        [p, tokens[q] as number],
        [q, tokens[p] as number],
      ];
}

/** A token moves from one place to another; those between move by one. */
function* shifts({ tokens, free }: MoveSource): Generator<Move> {
  const at = (k: number) => tokens[free[k] as number] as number;
  for (let a = 0; a < free.length; a++) {
    for (let b = a + 2; b < Math.min(free.length, a + furthest); b++) {
      const places = free.slice(a, b + 1);
      yield places.map((place, k) => [place, k < b - a ? at(a + k + 1) : at(a)] as const);
      yield places.map((place, k) => [place, k > 0 ? at(a + k - 1) : at(b)] as const);
    }
  }
}

/** The tokens with the largest numbers, the largest first. */
export function topTokens(numbers: ArrayLike<number>, count: number): number[] {
  const best: number[] = [];
  for (let token = 0; token < numbers.length; token++) {
    const own = numbers[token] as number;
    if (best.length === count && own <= (numbers[best[count - 1] as number] as number)) continue;
    let k = best.length;
    while (k > 0 && (numbers[best[k - 1] as number] as number) < own) k--;
    best.splice(k, 0, token);
    if (best.length > count) best.pop();
  }
  return best.filter((token) => numbers[token] !== Number.NEGATIVE_INFINITY);
}
