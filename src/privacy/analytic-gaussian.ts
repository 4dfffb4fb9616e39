// The Gaussian mechanism without slack (Balle, Wang 2018). With μ = sensitivity / standard deviation,
//   δ(ε; μ) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2),
// which is also the curve of μ-Gaussian differential privacy (Dong, Roth, Su 2022).

import { check, nonNegative, positive } from '../checks/index.js';
import { bisect, bracket, logNormalCdf, logSubtract } from '../math/index.js';
import { atLeastZero, belowOne } from './checks.js';

const checkDelta = (delta: number) => check({ delta }, 'above 0 and below 1', (value) => value > 0 && value < 1);

/** δ(ε; μ) of the Gaussian mechanism, with μ = sensitivity / standard deviation. Accurate relative to δ far into the tail. */
export function gaussianDelta(epsilon: number, mu: number): number {
  atLeastZero({ epsilon, mu });
  if (mu === 0 || epsilon === Number.POSITIVE_INFINITY) return 0;
  if (mu === Number.POSITIVE_INFINITY) return 1;
  const { sign, log } = logSubtract(
    logNormalCdf(mu / 2 - epsilon / mu),
    epsilon + logNormalCdf(-mu / 2 - epsilon / mu),
  );
  return sign <= 0 ? 0 : Math.min(1, Math.exp(log));
}

/** The smallest ε at which the Gaussian mechanism with this μ has this δ, rounded up. */
export function gaussianEpsilon(delta: number, mu: number): number {
  belowOne({ delta });
  atLeastZero({ mu });
  if (mu === 0 || gaussianDelta(0, mu) <= delta) return 0;
  if (delta === 0 || !Number.isFinite(mu)) return Number.POSITIVE_INFINITY;
  const enough = (epsilon: number) => gaussianDelta(epsilon, mu) <= delta;
  const limits = { least: 1e-300, most: 1e300 };
  if (!enough(limits.most)) return Number.POSITIVE_INFINITY;
  const { low, high } = bracket(enough, 1, limits);
  return bisect(enough, low, high, { relative: 1e-14 });
}

/** The least standard deviation that makes a query of this ℓ₂ sensitivity (default 1) (ε, δ)-private. */
export function analyticGaussianNoise(epsilon: number, delta: number, sensitivity = 1): number {
  nonNegative({ epsilon });
  checkDelta(delta);
  positive({ sensitivity });
  const enough = (deviation: number) => gaussianDelta(epsilon, 1 / deviation) <= delta;
  const { low, high } = bracket(enough, 1, { least: 1e-150, most: 1e150 });
  return sensitivity * bisect(enough, low, high, { relative: 1e-14 });
}

/** The textbook standard deviation Δ √(2 ln(1.25/δ)) / ε, which is proved for ε < 1 only and larger than needed. */
export function classicGaussianNoise(epsilon: number, delta: number, sensitivity = 1): number {
  check({ epsilon }, 'above 0 and below 1, where the classic formula is proved', (value) => value > 0 && value < 1);
  checkDelta(delta);
  positive({ sensitivity });
  return (sensitivity * Math.sqrt(2 * Math.log(1.25 / delta))) / epsilon;
}
