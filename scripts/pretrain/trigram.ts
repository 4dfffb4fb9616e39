// The baseline of the causal model: an interpolated Kneser–Ney trigram (Chen & Goodman 1999) with one discount per order.
// Counts are kept as sorted keys, so that a corpus of tens of millions of tokens fits into memory.

const base = 2 ** 16;

/** Sorted distinct keys with their counts. */
class Counts {
  readonly keys: Float64Array;
  readonly counts: Uint32Array;

  constructor(all: Float64Array) {
    all.sort();
    let distinct = 0;
    for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) distinct++;
    this.keys = new Float64Array(distinct);
    this.counts = new Uint32Array(distinct);
    let place = -1;
    for (let i = 0; i < all.length; i++) {
      if (i === 0 || all[i] !== all[i - 1]) this.keys[++place] = all[i] as number;
      this.counts[place] = (this.counts[place] as number) + 1;
    }
  }

  of(key: number): number {
    let [low, high] = [0, this.keys.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.keys[middle] as number;
      if (found === key) return this.counts[middle] as number;
      if (found < key) low = middle + 1;
      else high = middle - 1;
    }
    return 0;
  }

  /** n₁/(n₁ + 2n₂), where n₁ and n₂ keys were seen once and twice. */
  get discount(): number {
    const seen = (times: number) => this.counts.reduce((sum, count) => sum + Number(count === times), 0);
    const once = seen(1);
    return once === 0 ? 0.5 : once / (once + 2 * seen(2));
  }
}

export interface Trigram {
  /** P(next | two before, one before). */
  readonly probability: (twoBefore: number, oneBefore: number, next: number) => number;
}

export function trainTrigram(texts: readonly Uint16Array[]): Trigram {
  const length = texts.reduce((sum, text) => sum + Math.max(0, text.length - 2), 0);
  const keys = new Float64Array(length);
  let filled = 0;
  for (const text of texts) {
    for (let i = 2; i < text.length; i++) {
      keys[filled++] = ((text[i - 2] as number) * base + (text[i - 1] as number)) * base + (text[i] as number);
    }
  }
  const triples = new Counts(keys);
  // How often each pair begins a triple, and how many different tokens follow it.
  const pairTotals = new Map<number, { total: number; kinds: number }>();
  for (const [i, key] of triples.keys.entries()) {
    const entry = pairTotals.get(Math.floor(key / base)) ?? { total: 0, kinds: 0 };
    pairTotals.set(Math.floor(key / base), {
      total: entry.total + (triples.counts[i] as number),
      kinds: entry.kinds + 1,
    });
  }
  // Lower orders count the different contexts in which something was seen.
  const pairs = new Counts(triples.keys.map((key) => key % base ** 2));
  const oneTotals = new Float64Array(base);
  const oneKinds = new Float64Array(base);
  const contexts = new Float64Array(base);
  for (const [i, key] of pairs.keys.entries()) {
    const [one, next] = [Math.floor(key / base), key % base];
    oneTotals[one] = (oneTotals[one] as number) + (pairs.counts[i] as number);
    oneKinds[one] = (oneKinds[one] as number) + 1;
    contexts[next] = (contexts[next] as number) + 1;
  }
  const [d3, d2, kinds] = [triples.discount, pairs.discount, pairs.keys.length];

  const probability = (twoBefore: number, oneBefore: number, next: number): number => {
    // Unseen tokens get a little probability, which keeps perplexity finite.
    const single = ((contexts[next] as number) + 1e-3) / (kinds + 1e-3 * base);
    const total = oneTotals[oneBefore] as number;
    const double =
      total === 0
        ? single
        : (Math.max(pairs.of(oneBefore * base + next) - d2, 0) + d2 * (oneKinds[oneBefore] as number) * single) / total;
    const context = twoBefore * base + oneBefore;
    const seen = pairTotals.get(context);
    if (seen === undefined) return double;
    return (Math.max(triples.of(context * base + next) - d3, 0) + d3 * seen.kinds * double) / seen.total;
  };
  return { probability };
}
