// One graph per micro-batch of DP-SGD: forward, backward, the norm of every example's gradient, the factor that clips it, and
// the weighted sum ("book-keeping", Bu et al. 2023). It needs no second backward pass and no gradient of a single example.

import { check, positive } from '../../checks/index.js';
import { div, greater, max, min, mul, sqrt, type Value, where } from '../../engine/index.js';
import type { Clipping } from '../../mechanisms/index.js';
import type { ParameterTerms } from './gradient-terms.js';
import { squaredNorms } from './norms.js';
import { weightedSum } from './sums.js';

interface ClippedSum {
  /** ‖gᵢ‖, [batch]. */
  readonly norms: Value;
  /** Σ clipped gradient by parameter name. */
  readonly sums: Readonly<Record<string, Value>>;
}

/** The square of a shorter gradient underflows in float32: such a gradient counts as zero if it would be scaled up. */
export const smallestLength = 1e-15;

/** Norms and the clipped sum of a micro-batch. `weights` is [batch]: 1 for examples, 0 for filler rows. */
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

/** min(1, C/‖g‖); a norm of 0 gives C/0 = ∞ and therefore 1. */
const clipFactors = (norms: Value, norm: number): Value => min(div(norm, norms), 1);

/** C/‖g‖, and 0 for a gradient of zero. */
const scaleFactors = (norms: Value, norm: number): Value => {
  const some = greater(norms, 0);
  return where(some, div(norm, where(some, norms, 1)), 0);
};
