// Functions of one number to double precision.

/**
 * erf x = 2/√π · e^(−x²) · Σ 2ⁿ x^(2n+1) / (2n+1)!! (Abramowitz & Stegun 7.1.6). All terms have one sign, so nothing
 * cancels; past 6 the rest is below 2e-17.
 */
export function erf(x: number): number {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

export const exactGelu = (x: number): number => (x / 2) * (1 + erf(x / Math.sqrt(2)));

export const tanhGelu = (x: number): number =>
  (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
