// Cutting a graph where it begins to depend on values that change: what lies before the cut can be computed once and kept.

import { ArgumentError } from '../math/index.js';
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
  const kept = order.filter(({ id }) => used.has(id) && fed.has(id) && !changed.has(id));
  return {
    kept,
    rest: (given) => {
      const replacement = new Map(kept.map(({ id }, index) => [id, expectLike(kept[index] as Value, given[index])]));
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

function expectLike(kept: Value, given: Value | undefined): Value {
  if (given === undefined || given.dtype !== kept.dtype || given.shape.join() !== kept.shape.join()) {
    throw new ArgumentError(`cut: expected a value of type ${kept.dtype}[${kept.shape}] for each one kept`);
  }
  return given;
}
