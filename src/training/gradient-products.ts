// Products of the examples' own gradients, with each other and with given arrays such as a release: what somebody computes who watches training
// and wonders which examples took part.

import type { ParameterGroups } from '../mechanisms/index.js';
import { type BatchContext, feedsOf, pick } from './batch-context.js';
import type { Arrays } from './optimizers.js';

/** Which products are asked for. */
export interface WantedProducts {
  /** One array per trainable parameter. */
  readonly given: Arrays;
  /** Each group of parameters is a vector of its own. */
  readonly groups: ParameterGroups;
  /** Whether gradients are meant to be scaled to one length: their own is then arbitrary, but they have a direction however sure the model is. */
  readonly scaled: boolean;
  /** Whether products with each other are wanted too. They take one micro-batch of all examples, so they need cached features. */
  readonly gram: boolean;
}

/** Products over one group of parameters. */
export interface GroupProducts {
  /** ‖gᵢ‖². */
  readonly squares: Float64Array;
  /** ⟨gᵢ, given⟩. */
  readonly products: Float64Array;
  /** ⟨gᵢ, gⱼ⟩, row by row; absent if not asked for, or if the examples do not fit into one micro-batch. */
  readonly gram?: Float64Array;
}

/** Products of the gradients of these examples. Gradients that are not finite count as zero. */
export async function gradientProducts(
  context: BatchContext,
  parameters: Arrays,
  indices: readonly number[],
  { given, groups, scaled, gram }: WantedProducts,
): Promise<GroupProducts[]> {
  const { source, programs } = context;
  const whole = gram ? source.whole?.(indices) : undefined;
  const places = new Map(indices.map((index, place) => [index, place]));
  const found = groups.map(() => ({
    squares: new Float64Array(indices.length),
    products: new Float64Array(indices.length),
    ...(whole && { gram: new Float64Array(indices.length ** 2) }),
  }));
  const arrays = Object.fromEntries(Object.entries(given).map(([name, numbers]) => [`given ${name}`, numbers]));
  for (const batch of whole ? [whole] : source.microBatches(indices)) {
    const program = await programs.products(batch.shape, { groups, scaled, gram: whole !== undefined });
    const results = await program.run(pick({ ...parameters, ...feedsOf(context, batch), ...arrays }, program));
    for (const [group, one] of found.entries()) {
      const squares = results[`squares ${group}`] as Float32Array;
      const products = results[`products ${group}`] as Float32Array;
      for (const [row, index] of batch.indices.entries()) {
        const place = places.get(index) as number;
        if (!Number.isFinite(squares[row])) continue;
        one.squares[place] = squares[row] as number;
        one.products[place] = products[row] as number;
      }
      if (one.gram) copyGram(one.gram, results[`gram ${group}`] as unknown as Float64Array, indices.length);
    }
  }
  return found;
}

/** Copies the rows and columns of examples, which come first; what is not finite becomes 0. */
function copyGram(into: Float64Array, gram: Float64Array, count: number): void {
  const rows = Math.round(Math.sqrt(gram.length));
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      const product = gram[i * rows + j] as number;
      into[i * count + j] = Number.isFinite(product) ? product : 0;
    }
  }
}
