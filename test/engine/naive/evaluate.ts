// The graph evaluated by plain loops in float64, written independently of the engine: the oracle of its tests.

import type { OpName } from '../../../src/engine/ops/index.js';
import type { TypedArray } from '../../../src/engine/types.js';
import { inOrder, type Node, type Value } from '../../../src/engine/value.js';
import type { NdArray } from './array.js';
import { elementwise } from './elementwise.js';
import { indexing } from './indexing.js';
import type { Kernel } from './kernel.js';
import { linear } from './linear.js';
import { movement } from './movement.js';
import { reductions } from './reduction.js';

export const kernels: Record<OpName, Kernel> = {
  ...elementwise,
  ...movement,
  ...reductions,
  ...linear,
  ...indexing,
};

export type NaiveFeeds = Readonly<Record<string, TypedArray | readonly number[]>>;

/** The numbers of `outputs`. With `round` every result is rounded on the way, to see how much rounding matters. */
export function evaluate(
  outputs: readonly Value[],
  feeds: NaiveFeeds,
  round: (x: number) => number = (x) => x,
): NdArray[] {
  const known = new Map<number, NdArray>();
  const done = new Set<Node>();
  const find = ({ id }: Value) => known.get(id) as NdArray;
  for (const value of inOrder(outputs)) {
    const { node } = value;
    if (node === undefined) {
      known.set(value.id, leaf(value, feeds));
    } else if (!done.has(node)) {
      done.add(node);
      const results = kernels[node.op.name as OpName](node.inputs.map(find), node);
      for (const [index, output] of node.outputs.entries()) {
        const { shape, data } = checked(node.op.name, output, results[index]);
        known.set(output.id, { shape, data: data.map(round) });
      }
    }
  }
  return outputs.map(find);
}

function leaf(value: Value, feeds: NaiveFeeds): NdArray {
  const { source } = value;
  if (source === undefined || source.kind === 'file') throw new Error('a leaf without numbers');
  const numbers = source.kind === 'constant' ? source.data : feeds[source.name];
  if (numbers === undefined) throw new Error(`nothing fed for ${source.kind === 'input' && source.name}`);
  return checked('leaf', value, { shape: value.shape, data: toNumbers(numbers) });
}

export const toNumbers = (numbers: TypedArray | readonly number[]): Float64Array => Float64Array.from(numbers, Number);

// The kernels work out shapes on their own, so this checks the engine's shape rules too.
function checked(name: string, expected: Value, result: NdArray | undefined): NdArray {
  const count = expected.shape.reduce((product, size) => product * size, 1);
  if (`${result?.shape}` !== `${expected.shape}` || result?.data.length !== count) {
    throw new Error(`${name}: the engine says [${expected.shape}], the naive evaluator [${result?.shape}]`);
  }
  return result;
}
