// The standard normal distribution, accurate relative to the value itself far into both tails. Everything goes through
// the scaled erfcx(x) = exp(x²) erfc(x), which neither underflows nor overflows on the right.

import { erfc, erfcx } from './special.js';

const LOG_SQRT_TAU = Math.log(2 * Math.PI) / 2;
const SQRT_HALF_PI = Math.sqrt(Math.PI / 2);

/** Φ(x). */
export const normalCdf = (x: number): number => erfc(-x * Math.SQRT1_2) / 2;

/** log Φ(x), also below −38, where Φ itself underflows. */
export function logNormalCdf(x: number): number {
  if (x === Number.NEGATIVE_INFINITY) return x;
  if (x < 0) return Math.log(erfcx(-x * Math.SQRT1_2) / 2) - (x * x) / 2;
  return Math.log1p(-erfc(x * Math.SQRT1_2) / 2);
}

/** Mills' ratio (1 − Φ(x)) / φ(x). */
const mills = (x: number): number => SQRT_HALF_PI * erfcx(x * Math.SQRT1_2);

/** log(Φ(high) − Φ(low)), with neither cancellation nor underflow in the tails; −∞ if the interval is empty. */
export function logNormalInterval(low: number, high: number): number {
  if (!(low < high)) return Number.NEGATIVE_INFINITY;
  if (low + high < 0) return logNormalInterval(-high, -low);
  if (low === Number.NEGATIVE_INFINITY) return 0;
  // For low < −1 the upper form would add large numbers; both tails are below one half then.
  if (low < -1) return Math.log1p(-normalCdf(low) - normalCdf(-high));
  const fall = high === Number.POSITIVE_INFINITY ? 0 : Math.exp(((low - high) * (low + high)) / 2) * mills(high);
  return Math.log(mills(low) - fall) - (low * low) / 2 - LOG_SQRT_TAU;
}
