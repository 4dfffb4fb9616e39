// What the gradients of the word and position tables say. A token's input is word row + position row (+ type row), so the gradient g_p
// at place p is released twice: as the position's row y_p = g_p + noise, and inside the word's row w_t = Σ g_p + noise over the set S of
// places of the token t. With the prior g_p ~ N(0, τ_p² I), ρ_p = τ_p²/(τ_p² + σ²) and v_p = ρ_p σ², the nats in favour of S are
//
//   L_t(S) = log N(w_t; Σ ρ_p y_p, (σ² + Σ v_p) I) − log N(w_t; 0, σ² I),
//
// exact for repeated tokens. Sums over all tokens are a log-likelihood ratio, because places belong to one token each.

import { logSumExp } from '../../math/index.js';

/** The products of two noisy tables that the likelihood needs. */
export interface TableProducts {
  /** Numbers per row. */
  readonly hidden: number;
  /** Products of every word's row with the row of each place: one array per place. */
  readonly crossed: readonly Float64Array[];
  /** Squared lengths of the words' rows. */
  readonly squares: Float64Array;
  /** Products of the places' rows with each other, row by row. */
  readonly gram: Float64Array;
  /** Deviation of the noise on each number of the two tables, above 0. */
  readonly deviations: { readonly words: number; readonly places: number };
}

export interface TableEvidence {
  readonly places: number;
  /** Nats in favour of this token at exactly these places, against nowhere. */
  readonly nats: (token: number, places: readonly number[]) => number;
  /** The same for every token at one place only. */
  readonly single: (place: number) => Float64Array;
  /** Nats in favour of this token at exactly these places, against anywhere else: how well its row fits theirs, however long it is. */
  readonly fit: (token: number, places: readonly number[]) => number;
  /** Nats in favour of a token at each place, whichever it is, against none. */
  readonly occupied: Float64Array;
  /** Squared lengths of the words' rows, in which tokens stand out that occur. */
  readonly squares: Float64Array;
}

export function tableEvidence({ hidden, crossed, squares, gram, deviations }: TableProducts): TableEvidence {
  const places = crossed.length;
  const [wordNoise, placeNoise] = [deviations.words ** 2, deviations.places ** 2];
  const signals = crossed.map((_, p) => signalAt(gram[p * places + p] as number, placeNoise, hidden));
  const shares = signals.map(({ variance }) => variance / (variance + placeNoise));
  const single = (place: number): Float64Array => {
    const share = shares[place] as number;
    const products = crossed[place] as Float64Array;
    const square = share * share * (gram[place * places + place] as number);
    const spread = share * placeNoise;
    return squares.map((own, token) => ratio(own, share * (products[token] as number), square, spread));
  };
  /** From |w|², w·m, |m|² for the expected row m, and the variance that the uncertainty of m adds to the noise. */
  const ratio = (own: number, product: number, square: number, spread: number): number => {
    const total = wordNoise + spread;
    const gain = (own * spread) / wordNoise + 2 * product - square; // total·(|w|²/σ² − |w − m|²/total), without cancellation
    return (gain / total - hidden * Math.log(total / wordNoise)) / 2;
  };
  const nats = (token: number, at: readonly number[]): number => {
    let [product, square, spread] = [0, 0, 0];
    for (const p of at) {
      const share = shares[p] as number;
      product += share * ((crossed[p] as Float64Array)[token] as number);
      spread += share * placeNoise;
      for (const q of at) square += share * (shares[q] as number) * (gram[p * places + q] as number);
    }
    return at.length === 0 ? 0 : ratio(squares[token] as number, product, square, spread);
  };
  const somewhere = new Map<number, number>();
  return {
    places,
    squares,
    single,
    occupied: Float64Array.from(signals, (one) => one.nats),
    nats,
    fit: (token, at) => {
      const any = somewhere.get(token) ?? signalAt(squares[token] as number, wordNoise, hidden).nats;
      somewhere.set(token, any);
      return nats(token, at) - any;
    },
  };
}

/** Ratio of neighbouring variances on the grid, and the least, relative to the noise. */
const [step, least] = [1.1, 1e-3];

/** The posterior mean of τ² on a grid that is even in log τ², and the nats of the row against pure noise. */
export function signalAt(square: number, noise: number, hidden: number): { variance: number; nats: number } {
  const most = Math.max((4 * square) / hidden, noise);
  const count = Math.ceil(Math.log(most / (least * noise)) / Math.log(step)) + 1;
  const grid = Array.from({ length: count }, (_, k) => least * noise * step ** k);
  const nats = grid.map(
    (variance) => ((square / noise) * (variance / (variance + noise)) - hidden * Math.log1p(variance / noise)) / 2,
  );
  const all = logSumExp(nats);
  const variance = grid.reduce((sum, one, k) => sum + one * Math.exp((nats[k] as number) - all), 0);
  return { variance, nats: all - Math.log(count) };
}
