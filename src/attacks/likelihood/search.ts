// Coordinate ascent on the likelihood: the best token at one place after another, then moves of two places at once, without which repeated
// and exchanged tokens stay where they are.

import { type Candidates, freePlaces, triedAt } from './candidates.js';
import { change, empty, gainsAt, natsOf, type Pieces, read, total } from './objective.js';
import { pairMoves } from './pair-moves.js';
import type { Reading } from './span-evidence.js';

/** Improvements below this share of a nat are rounding. */
const least = 1e-6;

/** Rounds of single and pair moves, and sweeps over all places in each. Ascents end long before. */
const [rounds, sweeps] = [8, 20];

/** Climbs from these tokens as far as single and pair moves lead. Known tokens stay. */
export function ascend(pieces: Pieces, candidates: Candidates, start: readonly number[]): Reading {
  let reading = read(pieces, start);
  for (let round = 0; round < rounds; round++) {
    const { reading: climbed, slack } = climb(pieces, candidates, reading);
    const moved = movePairs(pieces, candidates, climbed, slack);
    reading = moved ?? climbed;
    if (moved === undefined) break;
  }
  return reading;
}

/** Places without a token are filled in turn, those that show most first. */
export function fill(pieces: Pieces, candidates: Candidates, from: readonly number[]): number[] {
  const [tokens, places] = [[...from], from.length];
  const { span, ...outer } = pieces;
  const shows = (place: number) => pieces.tables?.occupied[place] ?? 0;
  const free = freePlaces(pieces, places)
    .filter((place) => tokens[place] === empty)
    .sort((a, b) => shows(b) - shows(a));
  for (const place of free) {
    const tried = triedAt(candidates, tokens, place);
    const { nats } = gainsAt(outer, { tokens, strengths: new Float64Array(places) }, place, tried);
    tokens[place] = tried[indexOfLargest(nats)] as number;
  }
  return tokens;
}

/** A sentence of which only known tokens are there. */
export const blank = ({ known }: Pieces, places: number): number[] =>
  Array.from({ length: places }, (_, place) => known.get(place) ?? empty);

/** Sweeps over the places until nothing changes. `slack` is how much more the span would give to another token at each place. */
function climb(pieces: Pieces, candidates: Candidates, from: Reading): { reading: Reading; slack: Float64Array } {
  let reading = { tokens: [...from.tokens], strengths: from.strengths.slice() };
  const slack = new Float64Array(reading.tokens.length);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    let changed = false;
    for (const place of freePlaces(pieces, reading.tokens.length)) {
      const tried = triedAt(candidates, reading.tokens, place);
      const gains = gainsAt(pieces, reading, place, tried);
      const own = tried.indexOf(reading.tokens[place] as number);
      const best = indexOfLargest(gains.nats);
      const chosen = (gains.nats[best] as number) > (gains.nats[own] ?? Number.NEGATIVE_INFINITY) + least ? best : own;
      changed ||= chosen !== own;
      reading = put(reading, place, tried[chosen] as number, gains.strengths[chosen] as number);
      slack[place] = Math.max(...gains.span) - (gains.span[chosen] as number);
    }
    if (!changed) break;
  }
  return { reading, slack };
}

function put({ tokens, strengths }: Reading, place: number, token: number, strength: number) {
  const changed = { tokens: [...tokens], strengths: strengths.slice() };
  changed.tokens[place] = token;
  changed.strengths[place] = strength;
  return changed;
}

/** The sentence after all pair moves that raise the likelihood; undefined if none does. */
function movePairs(pieces: Pieces, candidates: Candidates, from: Reading, slack: Float64Array): Reading | undefined {
  let [reading, height] = [from, total(natsOf(pieces, from))];
  for (const move of pairMoves(pieces, candidates, from, slack)) {
    const changed = change(pieces, reading, move);
    const reached = total(natsOf(pieces, changed));
    if (reached > height + least) [reading, height] = [changed, reached];
  }
  return reading === from ? undefined : reading;
}

function indexOfLargest(numbers: Float64Array): number {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if ((numbers[i] as number) > (numbers[best] as number)) best = i;
  return best;
}
