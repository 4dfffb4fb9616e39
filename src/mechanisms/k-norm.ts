// The K-norm mechanism for the ℓ₂ norm: noise with density proportional to exp(−ε‖z‖₂/Δ), which is a uniform direction and a
// length from Gamma(d, Δ/ε). Pure ε, where Laplace noise on each coordinate would need √d times the scale.

import { positive } from '../checks/index.js';
import { pureEpsilon } from '../privacy/index.js';
import { fillNormal, gamma } from '../random/index.js';
import { normOf } from './clipping.js';
import { gridFor, roundToGrid } from './grid.js';
import { checkVector, type VectorMechanism } from './mechanism.js';
import { checkRoom, counted, roundingRoom } from './noise.js';

/** Options of `kNormMechanism`. */
export interface KNormOptions {
  readonly epsilon: number;
  /** ℓ₂: the greatest length of the change of the whole vector. */
  readonly sensitivity: number;
}

/** Adds noise of uniform direction and Gamma-distributed length to a vector. Pure ε for an ℓ₂ sensitivity. */
export function kNormMechanism({ epsilon, sensitivity }: KNormOptions): VectorMechanism {
  positive({ epsilon, sensitivity });
  const scale = (sensitivity / epsilon) * (1 + roundingRoom);
  const grid = gridFor(scale);
  return {
    event: pureEpsilon(epsilon),
    neighbours: 'those of its sensitivity',
    statement: {
      releases: `a vector with noise of uniform direction, drawn in float64, ${counted}`,
      neighbours: 'those for which the l2 sensitivity holds',
      formula: 'length of the noise ~ Gamma(d, l2 sensitivity / epsilon)',
      reference: 'Hardt, Talwar 2010',
      status: 'proved',
    },
    release: (source, input) => {
      checkVector(input);
      checkRoom(input.length, { grid, sensitivity, norm: 'l2' });
      const direction = fillNormal(source, new Float64Array(input.length));
      const factor = gamma(source, input.length, scale) / normOf(direction);
      return input.map((number, i) => roundToGrid(number, grid) + roundToGrid(factor * (direction[i] as number), grid));
    },
  };
}
