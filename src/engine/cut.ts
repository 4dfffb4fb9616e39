// Cutting a graph where it begins to depend on values that change: what lies before the cut can be computed once and kept.

import { ArgumentError } from '../math/index.js';
import { ops } from './ops/index.js';
import { rewrite } from './passes/rewrite.js';
import { inOrder, type Value } from './value.js';

export interface Cut {
  /** Made from inputs, but not from what changes, and used by what is: the least that must be kept. */
  readonly kept: readonly Value[];
  /** The outputs made from these values instead of the kept ones. */
  readonly rest: (given: readonly Value[]) => Value[];
}

/** `changing` are inputs such as trained parameters and labels. */
export function cutGraph(outputs: readonly Value[], changing: readonly Value[]): Cut {
  const order = inOrder(outputs);
  const changed = reach(order, new Set(changing.map(({ id }) => id)));
  const inputs = order.filter(({ source, id }) => source?.kind === 'input' && !changed.has(id));
  const fed = reach(order, new Set(inputs.map(({ id }) => id)));
  const used = new Set(outputs.map(({ id }) => id));
  for (const { id, node } of order) if (changed.has(id)) for (const one of node?.inputs ?? []) used.add(one.id);
  const needed = order.filter(({ id }) => used.has(id) && fed.has(id) && !changed.has(id));
  const kept = [...new Set(needed.map(unshaped))];
  return {
    kept,
    rest: (given) => {
      if (given.length !== kept.length) {
        throw new ArgumentError(`cut: expected ${kept.length} values, one for each kept, got ${given.length}`);
      }
      const replacement = new Map(kept.map((value, i) => [value.id, expectLike(value, given[i] as Value)]));
      return rewrite(
        outputs,
        (node, original) =>
          original.outputs.map((output, i) => replacement.get(output.id) ?? (node.outputs[i] as Value)),
        (leaf) => replacement.get(leaf.id) ?? leaf,
      );
    },
  };
}

/** The ids of the values that are in `start` or made from one of them. */
function reach(order: readonly Value[], start: ReadonlySet<number>): Set<number> {
  const reached = new Set(start);
  for (const { id, node } of order) if (node?.inputs.some((one) => reached.has(one.id))) reached.add(id);
  return reached;
}

/** What a reshaped value was made from: the same numbers, kept once, and the rest reshapes again. */
function unshaped(value: Value): Value {
  const { node } = value;
  return node?.op === ops.Reshape ? unshaped(node.inputs[0] as Value) : value;
}

function expectLike(kept: Value, given: Value): Value {
  if (given.dtype !== kept.dtype || given.shape.join() !== kept.shape.join()) {
    throw new ArgumentError(`cut: expected a value of type ${kept.dtype}[${kept.shape}] for each one kept`);
  }
  return given;
}
