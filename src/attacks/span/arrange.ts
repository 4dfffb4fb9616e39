// Decides which tokens belong to the same sentence: distributes the tokens of each position over the sentences so that the inputs of
// the second block fit the span best. First from left to right, as DAGER does for decoders, which read in that direction. Other
// models see whole sentences, so tokens of one position, or the beginnings of two sentences, then change places while that helps.

import { assign } from '../../metrics/index.js';

export interface ArrangeOptions {
  /** The distinct tokens of each position, at most as many as there are sentences that reach it. */
  readonly tokens: readonly (readonly number[])[];
  readonly lengths: readonly number[];
  /** The token at this position of a sentence, where it is known. */
  readonly known: (sentence: number, position: number) => number | undefined;
  /** Further tokens that each position may hold instead. */
  readonly others?: readonly (readonly number[])[];
  /** How well each token of each sentence, or of its beginning, fits the span; 1 at best. */
  readonly measure: (sentences: readonly (readonly number[])[]) => Promise<Float32Array[]>;
}

const mostRounds = 12;
/** A smaller improvement is rounding. */
const least = 1e-5;

export async function arrange(options: ArrangeOptions): Promise<number[][]> {
  const { tokens, lengths, others } = options;
  const measure = totals(options.measure);
  let sentences: number[][] = lengths.map(() => []);
  for (const [position, here] of tokens.entries()) {
    sentences = await deal(sentences, position, here, options);
  }
  let total = sum(await measure(sentences));
  for (let round = 0; round < mostRounds; round++) {
    const before = total;
    for (const [position, here] of tokens.entries()) {
      if (here.length < 2) continue;
      const dealt = await deal(sentences, position, here, options);
      if (dealt.every((one, s) => one[position] === sentences[s]?.[position])) continue;
      const value = sum(await measure(dealt));
      if (value > total + least) [sentences, total] = [dealt, value];
    }
    const crossed = await exchangeBeginnings(sentences, measure);
    if (crossed.gain > least) [sentences, total] = [crossed.sentences, total + crossed.gain];
    if (total <= before + least) break;
  }
  return others === undefined ? sentences : repair(sentences, others, options.measure);
}

/** Where the span is exact, a token that fits less well than this is in doubt. */
const doubtful = 1 - 1e-4;

/** Tries other tokens in place of doubtful ones, the worst first. */
async function repair(
  sentences: readonly (readonly number[])[],
  others: readonly (readonly number[])[],
  measure: ArrangeOptions['measure'],
): Promise<number[][]> {
  const repaired: number[][] = [];
  for (const one of sentences) {
    let sentence = [...one];
    let [fits] = (await measure([sentence])) as [Float32Array];
    const tried = new Set<number>();
    for (;;) {
      const worst = [...fits.keys()]
        .filter((position) => !tried.has(position) && (others[position] ?? []).length > 0)
        .sort((a, b) => (fits[a] as number) - (fits[b] as number))[0];
      if (worst === undefined || (fits[worst] as number) > doubtful) break;
      const variants = (others[worst] as readonly number[]).map((token) => sentence.with(worst, token));
      const measured = await measure(variants);
      const sums = measured.map(sum);
      const best = sums.indexOf(Math.max(...sums));
      tried.add(worst);
      if ((sums[best] as number) <= sum(fits) + least) continue;
      [sentence, fits] = [variants[best] as number[], measured[best] as Float32Array];
      // The fits of other tokens have changed.
      tried.clear();
      tried.add(worst);
    }
    repaired.push(sentence);
  }
  return repaired;
}

type Measure = (sentences: readonly (readonly number[])[]) => Promise<number[]>;

const totals =
  (measure: ArrangeOptions['measure']): Measure =>
  async (sentences) =>
    (await measure(sentences)).map(sum);

/** Distributes the tokens of one position over the sentences that reach it, as well as possible while all else stays. Every token is used. */
async function deal(
  sentences: readonly (readonly number[])[],
  position: number,
  tokens: readonly number[],
  { lengths, known, measure: scores }: ArrangeOptions,
): Promise<number[][]> {
  const measure = totals(scores);
  const all = [...lengths.keys()].filter((s) => (lengths[s] as number) > position);
  const reach = all.filter((s) => known(s, position) === undefined);
  const put = (s: number, token: number): number[] => {
    const changed = [...(sentences[s] as readonly number[])];
    changed[position] = token;
    return changed;
  };
  let choice: ArrayLike<number> = reach.map((_, i) => i % tokens.length);
  if (tokens.length > 1) {
    const measures = await measure(reach.flatMap((s) => tokens.map((token) => put(s, token))));
    // Where there are fewer tokens than sentences, tokens get further copies; the first copies are rewarded, so that all are used.
    const copies = Math.max(1, reach.length - tokens.length + 1);
    const reward = 1 + 2 * reach.length * Math.max(...measures.map(Math.abs));
    const costs = reach.map((_, row) =>
      Array.from({ length: copies * tokens.length }, (_, column) => {
        const value = measures[row * tokens.length + (column % tokens.length)] as number;
        return -value - (column < tokens.length ? reward : 0);
      }),
    );
    choice = assign(costs).map((column) => column % tokens.length);
  }
  const changed = sentences.map((one) => [...one]);
  for (const s of all) changed[s] = put(s, known(s, position) ?? 0);
  for (const [row, s] of reach.entries()) changed[s] = put(s, tokens[choice[row] as number] as number);
  return changed;
}

/** Finds the two sentences, and the place before which they exchange their beginnings, that improve the fit most. */
async function exchangeBeginnings(
  sentences: readonly number[][],
  measure: Measure,
): Promise<{ sentences: number[][]; gain: number }> {
  const moves: { readonly pair: readonly [number, number]; readonly changed: readonly (readonly number[])[] }[] = [];
  for (const [a, one] of sentences.entries()) {
    for (const [b, other] of sentences.slice(0, a).entries()) {
      for (let cut = 1; cut < Math.min(one.length, other.length); cut++) {
        const changed = [
          [...other.slice(0, cut), ...one.slice(cut)],
          [...one.slice(0, cut), ...other.slice(cut)],
        ] as const;
        if (same(changed[0], one) || same(changed[0], other)) continue;
        moves.push({ pair: [a, b], changed: [...changed] });
      }
    }
  }
  const now = await measure(sentences);
  const measures = await measure(moves.flatMap(({ changed }) => changed));
  const gains = moves.map(
    ({ pair: [a, b] }, i) =>
      (measures[2 * i] as number) + (measures[2 * i + 1] as number) - (now[a] as number) - (now[b] as number),
  );
  const gain = gains.reduce((most, one) => Math.max(most, one), 0);
  const move = moves[gains.indexOf(gain)];
  const changed = [...sentences];
  if (move !== undefined) for (const [i, s] of move.pair.entries()) changed[s] = move.changed[i] as number[];
  return { sentences: changed, gain: move === undefined ? 0 : gain };
}

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((token, i) => token === b[i]);

function sum(numbers: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < numbers.length; i++) total += numbers[i] as number;
  return total;
}
