// Computes once, before the program is made, what depends on constants alone.

import { sizeOf } from '../shape.js';
import type { TypedArray } from '../types.js';
import { constant, inOrder, type Value } from '../value.js';
import { rewrite } from './rewrite.js';

// Large results (zeros, transposed weights) are cheaper to make at every run than to store.
const largestFolded = 1 << 14;

export async function foldConstants(
  outputs: readonly Value[],
  evaluate: (values: readonly Value[]) => Promise<readonly TypedArray[]>,
): Promise<Value[]> {
  const order = inOrder(outputs);
  const fixed = new Set<number>();
  for (const value of order) {
    const own = value.source?.kind === 'constant';
    const made = value.node?.inputs.every(({ id }) => fixed.has(id)) === true;
    if (own || (made && value.node?.outputs.every(({ shape }) => sizeOf(shape) <= largestFolded))) fixed.add(value.id);
  }
  // Worth computing: values made from constants and used by something that is not.
  const used = order.filter(({ id }) => !fixed.has(id)).flatMap(({ node }) => node?.inputs ?? []);
  const wanted = [...new Set([...used, ...outputs])].filter(({ id, node }) => node !== undefined && fixed.has(id));
  if (wanted.length === 0) return [...outputs];
  const arrays = await evaluate(wanted);
  const folded = new Map(
    wanted.map((value, i) => [value.id, constant(arrays[i] as TypedArray, value.shape, value.dtype)]),
  );
  return rewrite(outputs, ({ outputs: values }) =>
    values.some(({ id }) => folded.has(id)) ? values.map((value) => folded.get(value.id) ?? value) : undefined,
  );
}
