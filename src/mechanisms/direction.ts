// Directional mechanisms: the input is a unit vector, the output a von Mises–Fisher draw around it. Drawn in float64, then rounded
// to a grid, which is post-processing and costs nothing.

import { check, positive } from '../checks/index.js';
import { metric } from '../privacy/index.js';
import { fillNormal, type RandomSource } from '../random/index.js';
import { normOf, scaleFactor } from './clipping.js';
import { gridFor, roundToGrid } from './grid.js';
import { checkVector, type MechanismStatement, type VectorMechanism } from './mechanism.js';
import { checkDirectional, type Directional, drawDirection, meanCosine } from './von-mises-fisher.js';

/** A zero vector reveals less than any other, but has no distance to them: it counts as 2 away from all. */
const zero = 'a zero vector gives a uniform direction and counts as 2 away from every other';
const reference = 'Weggenmann, Kerschbaum 2021';

/** Replaces a unit vector by a random one around it, with concentration κ above 0. Metric privacy: κ per unit of distance. */
export function directionMechanism({ dimension, concentration }: Directional): VectorMechanism {
  checkDirectional({ dimension, concentration });
  positive({ concentration });
  const cosine = meanCosine({ dimension, concentration });
  return {
    event: metric({ factor: concentration, distance: 'euclidean', diameter: 2 }),
    neighbours: 'euclidean distance',
    statement: {
      releases: `a random unit vector; its mean cosine to the input is about ${cosine.toPrecision(4)} at kappa = ${concentration} in ${dimension} dimensions`,
      neighbours: `any two unit vectors, by their euclidean distance (and so by their angle); ${zero}`,
      formula: 'density proportional to exp(kappa * cosine): kappa * distance, at most 2 kappa',
      reference,
      status: 'proved',
    },
    release: (source, input) => {
      checkVector(input, dimension);
      return draw(source, input, concentration);
    },
  };
}

/** Options of the mechanisms that treat parts of a vector separately. */
export interface PartitionedOptions {
  /** The number of coordinates of each part, at least 2. */
  readonly partSizes: readonly number[];
  /** κ of every part. */
  readonly concentration: number;
}

/** Replaces each of m parts by a random direction around its own; every part of the result has length 1/√m, the whole 1. */
export function partitionedDirectionMechanism({ partSizes, concentration }: PartitionedOptions): VectorMechanism {
  check({ partSizes }, 'at least one part', (sizes) => sizes.length > 0);
  for (const dimension of partSizes) checkDirectional({ dimension, concentration });
  positive({ concentration });
  const count = partSizes.length;
  const dimension = partSizes.reduce((sum, size) => sum + size, 0);
  return {
    // Σ‖uᵢ − u'ᵢ‖ over the unit parts is at most m times the distance of the whole vectors, whose parts have length 1/√m.
    event: metric({ factor: concentration * count, distance: 'euclidean', diameter: 2 }),
    neighbours: 'euclidean distance',
    statement: {
      releases: `a random vector of ${count} parts, each of length 1/sqrt(m) whatever came in: lengths of parts are not released`,
      neighbours: `any two vectors of ${count} parts of length 1/sqrt(m), by their euclidean distance; in each part ${zero}`,
      formula: 'kappa * m * distance, at most 2 kappa m',
      reference,
      status: 'proved',
    },
    release: (source, input) => {
      checkVector(input, dimension);
      const output = new Float64Array(dimension);
      let start = 0;
      for (const size of partSizes) {
        const part = input.slice(start, start + size);
        const factor = scaleFactor(normOf(part));
        const drawn = draw(
          source,
          part.map((number) => number * factor),
          concentration,
        );
        output.set(
          drawn.map((number) => number / Math.sqrt(count)),
          start,
        );
        start += size;
      }
      return output;
    },
  };
}

/** The same draws, stated with the claim of the paper, which does not hold. */
export function publishedPartitionedDirectionMechanism(options: PartitionedOptions): VectorMechanism {
  const mechanism = partitionedDirectionMechanism(options);
  const count = options.partSizes.length;
  const statement: MechanismStatement = {
    ...mechanism.statement,
    formula: `claimed: at most 2 kappa sqrt(m), here ${(2 * options.concentration * Math.sqrt(count)).toPrecision(4)}`,
    reference: 'Faustini, Fernandes, McIver, Dras 2025, corollary 1',
    status: 'as published',
    sound: `2 kappa m, here ${(2 * options.concentration * count).toPrecision(4)}, because each part is a unit vector and all can be opposite, and only while the lengths of the parts are fixed`,
  };
  return { ...mechanism, statement };
}

/** A draw around a unit vector, or a uniform one for a zero vector. */
function draw(source: RandomSource, input: Float64Array, concentration: number): Float64Array {
  const grid = gridFor(1 / Math.sqrt(input.length));
  const length = normOf(input);
  const direction = length === 0 ? anyDirection(source, input.length) : input;
  const output = drawDirection(source, direction, length === 0 ? 0 : concentration, new Float64Array(input.length));
  return Float64Array.from(output, (number) => roundToGrid(number, grid));
}

function anyDirection(source: RandomSource, dimension: number): Float64Array {
  const vector = fillNormal(source, new Float64Array(dimension));
  const length = normOf(vector);
  return vector.map((number) => number / length);
}
