// Rebuilds a graph bottom-up with some nodes replaced. Every pass is a rule for one node.

import { apply, inOrder, type Node, type Value } from '../value.js';

/**
 * Values to take the place of the node's outputs, or undefined to keep it. Its inputs have been rewritten already;
 * `original` is the node as it was.
 */
export type Rule = (node: Node, original: Node) => readonly Value[] | undefined;

/** `outputs` with the rules applied to every node, and `leaf` to every leaf. What is no longer used is gone. */
export function rewrite(
  outputs: readonly Value[],
  rule: Rule,
  leaf: (value: Value) => Value = (value) => value,
): Value[] {
  const replaced = new Map<number, Value>();
  const now = (value: Value) => replaced.get(value.id) as Value;
  for (const value of inOrder(outputs)) {
    if (replaced.has(value.id)) continue;
    if (value.node === undefined) {
      replaced.set(value.id, leaf(value));
      continue;
    }
    const node = withInputs(value.node, value.node.inputs.map(now));
    const results = rule(node, value.node) ?? node.outputs;
    for (const [index, output] of value.node.outputs.entries()) replaced.set(output.id, results[index] as Value);
  }
  return outputs.map(now);
}

function withInputs(node: Node, inputs: readonly Value[]): Node {
  const same = inputs.every((input, index) => input === node.inputs[index]);
  return same ? node : apply(node.op, inputs, node.attributes, node.label);
}
