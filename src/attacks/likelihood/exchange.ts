// Tokens that the sentences of a batch exchange: the tables of a sum tell which tokens stand at a place, but not in which sentence.

import { dot } from '../../math/index.js';
import type { Arrays } from '../../training/index.js';
import type { GradientView } from '../view.js';
import { rounding } from './table-products.js';
import { lengthOf } from './whole.js';

/** A sentence of a batch, and what it adds to the sum. */
export interface Part {
  readonly tokens: readonly number[];
  readonly label: number;
  readonly gradients: Arrays;
}

type Computed = (tokens: readonly number[], label: number) => Promise<Arrays>;

/** The sentences after all exchanges of two of them that explain the sum better; the same array if there is none. */
export async function exchange(
  view: GradientView,
  parts: readonly Part[],
  computed: Computed,
): Promise<readonly Part[]> {
  let best = parts;
  for (let i = 0; i < parts.length; i++) {
    for (let j = i + 1; j < parts.length; j++) {
      const pair = await bestPair(view, best, [i, j], computed);
      if (pair !== undefined) best = best.map((part, k) => (k === i ? pair[0] : k === j ? pair[1] : part));
    }
  }
  return best;
}

/** The pair after the exchanges that leave less of the sum unexplained, one after another; undefined if none does. */
async function bestPair(
  view: GradientView,
  parts: readonly Part[],
  [i, j]: readonly [number, number],
  computed: Computed,
): Promise<readonly [Part, Part] | undefined> {
  const others = parts.filter((_, k) => k !== i && k !== j);
  const unexplained = openUnexplained(view, others);
  let pair = [parts[i] as Part, parts[j] as Part] as const;
  let least = unexplained(pair);
  let found = false;
  for (const [first, second] of exchanges(pair[0].tokens, pair[1].tokens)) {
    // Each exchange starts from the pair as it is by now.
    const [a, b] = pair;
    const tokens = [swapped(a.tokens, b.tokens, first, second), swapped(b.tokens, a.tokens, first, second)] as const;
    if (tokens[0].join() === a.tokens.join()) continue;
    const tried = [
      { ...a, tokens: tokens[0], gradients: await computed(tokens[0], a.label) },
      { ...b, tokens: tokens[1], gradients: await computed(tokens[1], b.label) },
    ] as const;
    const left = unexplained(tried);
    if (left >= least) continue;
    [pair, least, found] = [tried, left, true];
  }
  return found ? pair : undefined;
}

/** The most combinations of labels that are compared with each other; beyond, one sentence after the other takes its best. */
const mostCombinations = 4096;

/** One of each list, so that together they leave least of the sum unexplained. */
export function bestTogether(view: GradientView, lists: readonly (readonly Part[])[]): Part[] {
  const all = lists.flat();
  const weights = weightsOf(view);
  const product = (a: Arrays, b: Arrays) => {
    let sum = 0;
    for (const [name, weight] of weights) sum += weight * dot(a[name] ?? [], b[name] ?? []);
    return sum;
  };
  const along = all.map(({ gradients }) => product(view.gradients, gradients));
  const gram = all.map((one) => all.map((other) => product(one.gradients, other.gradients)));
  const costOf = (chosen: readonly number[]) =>
    chosen.reduce(
      (sum, a) => sum - 2 * (along[a] as number) + chosen.reduce((inner, b) => inner + (gram[a]?.[b] as number), 0),
      0,
    );
  const places = lists.map((list) => list.map((part) => all.indexOf(part)));
  const combinations = places.reduce((count, { length }) => count * length, 1);
  const beginnings = (found: readonly (readonly number[])[], choices: readonly number[]) =>
    found.flatMap((chosen) => choices.map((choice) => [...chosen, choice]));
  let found: readonly (readonly number[])[] = [[]];
  for (const choices of places) {
    found = beginnings(found, choices);
    if (combinations > mostCombinations) found = [cheapest(found, costOf)];
  }
  return cheapest(found, costOf).map((place) => all[place] as Part);
}

const cheapest = (chosen: readonly (readonly number[])[], costOf: (one: readonly number[]) => number) =>
  chosen.reduce((best, one) => (costOf(one) < costOf(best) ? one : best));

/** One over the variance of the noise on each number, rounding included, by tensor. */
function weightsOf(view: GradientView): Map<string, number> {
  const names = Object.keys(view.gradients);
  const exact = rounding * lengthOf(view, names);
  return new Map(names.map((name) => [name, 1 / Math.max(view.noise[name] ?? 0, exact) ** 2]));
}

/** Ranges of places that two sentences may exchange: single places, and everything up to a place. */
function* exchanges(a: readonly number[], b: readonly number[]): Generator<readonly [number, number]> {
  const common = Math.min(a.length, b.length) - 1;
  for (let place = 1; place < common; place++) yield [place, place + 1];
  for (let end = 3; end <= common; end++) yield [1, end];
}

const swapped = (own: readonly number[], other: readonly number[], begin: number, end: number): number[] => [
  ...own.slice(0, begin),
  ...other.slice(begin, end),
  ...own.slice(end),
];

/** What is left of the shared gradient once these sentences are subtracted. */
export function leftOf({ gradients }: GradientView, parts: readonly Part[]): Arrays {
  if (parts.length === 0) return gradients;
  const left: Record<string, Float32Array> = {};
  for (const [name, shared] of Object.entries(gradients)) {
    const rest = shared.slice();
    for (const { gradients: own } of parts) {
      const part = own[name];
      if (part !== undefined) for (let i = 0; i < rest.length; i++) rest[i] = (rest[i] as number) - (part[i] as number);
    }
    left[name] = rest;
  }
  return left;
}

/** The squared length, in units of the noise, of what these two and the other sentences leave of the sum. */
function openUnexplained(view: GradientView, others: readonly Part[]): (pair: readonly [Part, Part]) => number {
  const rest = leftOf(view, others);
  const left = [...weightsOf(view)].map(([name, weight]) => ({ name, rest: rest[name] as Float32Array, weight }));
  return ([{ gradients: a }, { gradients: b }]) => {
    let sum = 0;
    for (const { name, rest, weight } of left) {
      const [first, second] = [a[name], b[name]];
      if (first === undefined || second === undefined) continue;
      let squares = 0;
      for (let k = 0; k < rest.length; k++)
        squares += ((rest[k] as number) - (first[k] as number) - (second[k] as number)) ** 2;
      sum += weight * squares;
    }
    return sum;
  };
}
