// Cuts a graph where it begins to depend on values that change: what lies before the cut can be computed once and cached.

import { ArgumentError } from '../checks/index.js';
import { ops } from './ops/index.js';
import { reshape } from './ops/movement.js';
import { rewrite } from './passes/rewrite.js';
import { inOrder, type Value } from './value.js';

/** A graph in two parts: what can be cached, and the rest made from it. */
export interface Cut {
  /** Values that depend on inputs but not on what changes, and that the rest uses: the least that must be cached. */
  readonly cached: readonly Value[];
  /** Builds the outputs from these values, one for each of `cached`. */
  readonly rest: (given: readonly Value[]) => Value[];
}

/** Cuts the graph of `outputs` before it depends on `changing`, which are inputs such as trainable parameters and labels. */
export function cutGraph(outputs: readonly Value[], changing: readonly Value[]): Cut {
  const order = inOrder(outputs);
  const changed = reach(order, new Set(changing.map(({ id }) => id)));
  const inputs = order.filter(({ source, id }) => source?.kind === 'input' && !changed.has(id));
  const fed = reach(order, new Set(inputs.map(({ id }) => id)));
  const used = new Set(outputs.map(({ id }) => id));
  for (const { id, node } of order) if (changed.has(id)) for (const one of node?.inputs ?? []) used.add(one.id);
  const needed = order.filter(({ id }) => used.has(id) && fed.has(id) && !changed.has(id));
  // Copies that differ only in shape hold the same numbers: the one with the most axes is cached, and the rest reshapes it.
  const chains = needed.map(reshapes);
  const best = new Map<number, Value>();
  for (const chain of chains) {
    const [start] = chain.slice(-1) as [Value];
    for (const copy of chain) {
      if (copy.shape.length > (best.get(start.id)?.shape.length ?? -1)) best.set(start.id, copy);
    }
  }
  const chosen = new Set(best.values());
  const cached = order.filter((value) => chosen.has(value));
  return {
    cached,
    rest: (given) => {
      if (given.length !== cached.length) {
        throw new ArgumentError(`cut: expected ${cached.length} values, one for each cached one, got ${given.length}`);
      }
      const now = new Map(cached.map((value, i) => [value, expectLike(value, given[i] as Value)]));
      const replacement = new Map<number, Value>();
      for (const [index, { id, shape }] of needed.entries()) {
        const copy = best.get(chains[index]?.at(-1)?.id as number) as Value;
        const one = now.get(copy) as Value;
        replacement.set(id, copy.id === id ? one : reshape(one, shape));
      }
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

/** The value, what it was reshaped from, and so on down to one that was made otherwise. */
function reshapes(value: Value): Value[] {
  const { node } = value;
  return node?.op === ops.Reshape ? [value, ...reshapes(node.inputs[0] as Value)] : [value];
}

function expectLike(cached: Value, given: Value): Value {
  if (given.dtype !== cached.dtype || given.shape.join() !== cached.shape.join()) {
    throw new ArgumentError(
      `cut: expected a value of type ${cached.dtype}[${cached.shape}] in place of each cached one`,
    );
  }
  return given;
}
