// One graph per micro-batch of DP-SGD: forward, backward, the norm of every example's gradient, the factor that clips it, and
// the weighted sum ("book-keeping", Bu et al. 2023). It needs no second backward pass and no gradient of a single example.

import { check, positive } from '../../checks/index.js';
import { add, div, greater, min, mul, sqrt, type Value, where } from '../../engine/index.js';
import type { Clipping } from '../../mechanisms/index.js';
import type { ParameterTerms } from './gradient-terms.js';
import { squaredNorms } from './norms.js';
import { lastOperations, roundingShare, squareFloor } from './rounding.js';
import { weightedSum } from './sums.js';

interface ClippedSum {
  /** ‖gᵢ‖ as float32 gives it, [batch]. */
  readonly norms: Value;
  /** What each gradient is multiplied with, [batch]: never so much that the product is longer than the clip norm. */
  readonly factors: Value;
  /** Σ clipped gradient by parameter name. */
  readonly sums: Readonly<Record<string, Value>>;
}

/** Norms and the clipped sum of a micro-batch. `weights` is [batch]: 1 for examples, 0 for filler rows. */
export function clippedSum(parameters: readonly ParameterTerms[], weights: Value, clipping: Clipping): ClippedSum {
  const { kind, norm } = clipping;
  positive({ norm });
  check({ clipping: kind }, 'clip or normalise', (name) => name === 'clip' || name === 'normalise');
  const { squares, bounds } = squaredNorms(parameters);
  const norms = sqrt(squares);
  // An upper bound of the norm makes the factors, so that no bounded gradient is longer than C, whatever was rounded.
  const longest = mul(sqrt(add(bounds, squareFloor)), 1 + roundingShare(lastOperations));
  const scale = div(norm, longest);
  const factors = mul(weights, kind === 'clip' ? min(scale, 1) : where(greater(norms, 0), scale, 0));
  return {
    norms,
    factors,
    sums: Object.fromEntries(parameters.map((terms) => [terms.name, weightedSum(terms, factors)])),
  };
}
