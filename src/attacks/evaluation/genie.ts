// A genie knows every other token of a text and must tell the true one from others, by the likelihood alone. If tokens are independent,
// I(X; G) ≤ I(X; G | all other tokens): what the gradient G tells an attacker about a token X is no more than what it tells the genie.
// So where the genie is at chance, no passive attacker with this likelihood and prior learns tokens from this gradient.

import { ArgumentError, nonNegativeInteger, option, say, setting } from '../../checks/index.js';
import { clopperPearson, type Interval } from '../../math/index.js';
import { bootstrapIntervals } from '../../metrics/index.js';
import { exponential, permutation, type RandomSource, type WordSource } from '../../random/index.js';
import type { GradientAttack } from '../attack.js';
import type { TokensAround } from '../model.js';

/** Tokens that the genie chooses from, the true one included. */
const choices = 16;

/** Refuses a genie where the attack has no likelihood to weigh sentences by. */
export function expectGenie({ confidence, words }: GradientAttack, batchSize: number, genie = 0): void {
  if (genie === 0) return;
  nonNegativeInteger({ genie });
  if (confidence !== 'probability') {
    throw new ArgumentError(
      say`${option('genie')} ${genie}: expected an attack that has a likelihood, got ${words.label}: leave it out`,
    );
  }
  if (batchSize > 1) {
    throw new ArgumentError(
      say`${option('genie')} ${genie}: expected one sentence at a time, got a batch of ${batchSize}: use ${setting('batchSize', 1)}`,
    );
  }
}

/** One place of a text, and the tokens that the true one must be told from. */
export interface GenieGame {
  readonly place: number;
  readonly others: readonly number[];
}

/** How the genie did on one text. */
export interface GenieTally {
  readonly places: number;
  /** Places at which it chose the true token; a tie counts as a fraction. */
  readonly right: number;
  /** As many would be right by chance. */
  readonly byChance: number;
}

/** How the genie did on all texts. */
export interface GenieResult extends Interval {
  readonly right: number;
  readonly of: number;
  readonly accuracy: number;
  /** The accuracy of guessing. */
  readonly chance: number;
  readonly texts: number;
}

/**
 * Draws places of a text at random, and for each 15 other tokens from the prior, none twice: equal ones would leave fewer to choose
 * from. The special tokens around a text are known to everybody.
 */
export function drawGames(
  unigram: Float64Array,
  truth: readonly number[],
  { before, after }: TokensAround,
  places: number,
  random: RandomSource,
): GenieGame[] {
  const own = Math.max(0, truth.length - before.length - after.length);
  const order = [...permutation(random, own)].slice(0, places);
  return order.map((k) => {
    const place = before.length + k;
    return { place, others: drawTokens(unigram, truth[place] as number, choices - 1, random) };
  });
}

/** Without replacement: in a race with exponential times of rate p, tokens arrive in the order of such draws. */
function drawTokens(unigram: Float64Array, barred: number, count: number, random: WordSource): number[] {
  const times = Array.from(unigram, (log, token) => ({ token, time: exponential(random) / Math.exp(log) }));
  return times
    .filter(({ token, time }) => token !== barred && Number.isFinite(time))
    .sort((a, b) => a.time - b.time)
    .slice(0, count)
    .map(({ token }) => token);
}

/** The sentences that the genie weighs against the truth, game by game. */
export const othersIn = (truth: readonly number[], games: readonly GenieGame[]): number[][] =>
  games.flatMap(({ place, others }) => others.map((token) => truth.with(place, token)));

/** `likelihoods` are those of `othersIn`. */
export function tallyGames(ofTruth: number, games: readonly GenieGame[], likelihoods: readonly number[]): GenieTally {
  let [right, byChance, next] = [0, 0, 0];
  for (const { others } of games) {
    const own = likelihoods.slice(next, next + others.length);
    next += others.length;
    const isBest = own.every((one) => one <= ofTruth);
    if (isBest) right += 1 / (1 + own.filter((one) => one === ofTruth).length);
    byChance += 1 / (1 + others.length);
  }
  return { places: games.length, right, byChance };
}

/**
 * All texts together; undefined without places. Places of one text are alike, and few right answers vary little between texts, so the
 * 95 % interval is the wider of one over texts (bootstrap) and one over places (Clopper and Pearson).
 */
export function genieResult(random: WordSource, tallies: readonly GenieTally[]): GenieResult | undefined {
  const total = (one: keyof GenieTally) => tallies.reduce((sum, tally) => sum + tally[one], 0);
  const [of, right] = [total('places'), total('right')];
  if (of === 0) return undefined;
  const accuracy = right / of;
  const overTexts = bootstrapIntervals(random, [tallies.length], ([drawn]) => [shareIn(tallies, drawn as Uint32Array)]);
  const { lower, upper } = overTexts[0] as Interval;
  return {
    right,
    of,
    accuracy,
    lower: Math.min(lower, clopperPearson(Math.floor(right), of, 0.95).lower),
    upper: Math.max(upper, clopperPearson(Math.ceil(right), of, 0.95).upper),
    chance: total('byChance') / of,
    texts: tallies.length,
  };
}

function shareIn(tallies: readonly GenieTally[], drawn: Uint32Array): number {
  let [right, places] = [0, 0];
  for (const index of drawn) {
    const tally = tallies[index] as GenieTally;
    right += tally.right;
    places += tally.places;
  }
  return right / places;
}
