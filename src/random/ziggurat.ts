// The layers of the ziggurat under f(x) = exp(-x²/2): Marsaglia and Tsang, "The ziggurat method for generating random
// variables" (J. Stat. Softw. 5(8), 2000). 256 pieces of equal area: 255 boxes, and the base with the tail.
// It uses only Math.sqrt and the exp and ln of plain arithmetic, so the tables have the same bits on every platform.

import { exp, ln } from '../math/index.js';

export const LAYERS = 256;

/** Where the tail begins: the root that makes the topmost box close at f(0) = 1, found with 40 digits (mpmath). */
export const TAIL_START = 3.6541528853610088;

/** The area of each piece, TAIL_START · f(TAIL_START) + ∫ f beyond it. */
const AREA = 0.004928673233974655;

export type Ziggurat = {
  /** edges[i] is the width of layer i, falling to 0; edges[0] is that of a box with the area of base and tail. */
  readonly edges: Float64Array;
  /** The edges over 2^53: they scale a signed 54-bit whole number to the layer. */
  readonly scales: Float64Array;
  /** f at the edges; layer i >= 1 lies between heights[i] and heights[i + 1]. */
  readonly heights: Float64Array;
};

export function buildZiggurat(): Ziggurat {
  const edges = new Float64Array(LAYERS + 1);
  const heights = new Float64Array(LAYERS + 1);
  let edge = TAIL_START;
  let height = exp(-0.5 * edge * edge);
  edges[0] = AREA / height;
  for (let layer = 1; layer < LAYERS; layer += 1) {
    edges[layer] = edge;
    heights[layer] = height;
    height += AREA / edge;
    edge = Math.sqrt(-2 * ln(height));
  }
  // The loop ends within rounding of the top.
  edges[LAYERS] = 0;
  heights[LAYERS] = 1;
  return { edges, scales: edges.map((width) => width * 2 ** -53), heights };
}
