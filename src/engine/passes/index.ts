import type { TypedArray } from '../types.js';
import type { Value } from '../value.js';
import { absorbIntoProducts } from './absorb.js';
import { foldConstants } from './fold.js';
import { chooseLayouts } from './layout.js';
import { mergeEqual } from './merge.js';
import { simplify } from './simplify.js';

/** Applies all passes in order. Each of them drops unused nodes. */
export async function optimize(
  outputs: readonly Value[],
  evaluate: (values: readonly Value[]) => Promise<readonly TypedArray[]>,
): Promise<Value[]> {
  const plain = mergeEqual(simplify(await foldConstants(mergeEqual(simplify(outputs)), evaluate)));
  return mergeEqual(chooseLayouts(simplify(absorbIntoProducts(plain))));
}
