// One graph for a micro-batch of DP-SGD: forward, backward, the norm of every example's gradient, the factor that bounds
// it, and the weighted sum ("book-keeping", Bu et al. 2023). No second backward pass, no gradient of a single example.

import { check, positive } from '../../checks/index.js';
import { div, greater, max, min, mul, sqrt, type Value, where } from '../../engine/index.js';
import type { Clipping } from '../../mechanisms/index.js';
import type { ParameterTerms } from './gradient-terms.js';
import { squaredNorms } from './norms.js';
import { weightedSum } from './sums.js';

interface ClippedSum {
  /** ‖gᵢ‖, [batch]. */
  readonly norms: Value;
  readonly sums: Readonly<Record<string, Value>>;
}

/** The square of a shorter gradient is lost in float32, and its length with it: it counts as zero where it would be made longer. */
export const smallestLength = 1e-15;

/** `weights` is [batch]: 1 for examples, 0 for filling. Without a bound the sum is the plain gradient. */
export function clippedSum(parameters: readonly ParameterTerms[], weights: Value, clipping: Clipping): ClippedSum {
  const { kind, norm } = clipping;
  positive({ norm });
  check({ clipping: kind }, 'clip or normalise', (name) => name === 'clip' || name === 'normalise');
  const lengths = sqrt(max(squaredNorms(parameters), 0));
  const norms = kind === 'clip' ? lengths : where(greater(smallestLength, lengths), 0, lengths);
  const factors = mul(weights, kind === 'clip' ? clipFactors(norms, norm) : scaleFactors(norms, norm));
  return {
    norms,
    sums: Object.fromEntries(parameters.map((terms) => [terms.name, weightedSum(terms, factors)])),
  };
}

/** min(1, C/‖g‖); a norm of 0 gives C/0 = ∞ and so 1. */
const clipFactors = (norms: Value, norm: number): Value => min(div(norm, norms), 1);

/** C/‖g‖, and 0 where there is no direction. */
const scaleFactors = (norms: Value, norm: number): Value => {
  const some = greater(norms, 0);
  return where(some, div(norm, where(some, norms, 1)), 0);
};
