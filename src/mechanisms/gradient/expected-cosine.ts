// The cosine between a sum and the same sum with noise that is independent of its direction.

/**
 * s/√(s² + v), for a signal of length s and noise of expected squared length v. In many dimensions the noise is nearly orthogonal to
 * the signal and its length nearly fixed, so this is the cosine of almost every release. A signal of length 0 has no direction: 0.
 */
export function cosineUnderNoise(signal: number, noise: number): number {
  return signal > 0 ? signal / Math.sqrt(signal * signal + noise) : 0;
}
