// Sums of numbers given by their logarithms; −∞ stands for zero.

/** log(eᵃ + eᵇ). */
export function logAdd(a: number, b: number): number {
  const [large, small] = a > b ? [a, b] : [b, a];
  if (small === Number.NEGATIVE_INFINITY || large === Number.POSITIVE_INFINITY) return large;
  return large + Math.log1p(Math.exp(small - large));
}

/** eᵃ − eᵇ as its sign and the logarithm of its size. */
export function logSubtract(a: number, b: number): { readonly sign: -1 | 0 | 1; readonly log: number } {
  if (a === b) return { sign: 0, log: Number.NEGATIVE_INFINITY };
  const [large, small] = a > b ? [a, b] : [b, a];
  return { sign: a > b ? 1 : -1, log: large + log1mExp(small - large) };
}

/** log(1 − eˣ) for x < 0, accurate at both ends. */
export function log1mExp(x: number): number {
  return x > -Math.LN2 ? Math.log(-Math.expm1(x)) : Math.log1p(-Math.exp(x));
}

/** log Σ eˣ; −∞ for an empty list. */
export function logSumExp(logs: ArrayLike<number>): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logs.length; i++) largest = Math.max(largest, logs[i] as number);
  if (!Number.isFinite(largest)) return largest;
  let sum = 0;
  for (let i = 0; i < logs.length; i++) sum += Math.exp((logs[i] as number) - largest);
  return largest + Math.log(sum);
}
