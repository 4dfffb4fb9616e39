import type { TypedArray } from '../types.js';
import type { Value } from '../value.js';
import { foldConstants } from './fold.js';
import { mergeEqual } from './merge.js';
import { simplify } from './simplify.js';

/** All passes in order; the second simplification sees what merging and folding made plain. */
export async function optimize(
  outputs: readonly Value[],
  evaluate: (values: readonly Value[]) => Promise<readonly TypedArray[]>,
): Promise<Value[]> {
  const folded = await foldConstants(mergeEqual(simplify(outputs)), evaluate);
  return mergeEqual(simplify(folded));
}
