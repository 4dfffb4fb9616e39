// Reverse-mode differentiation: one backward walk that adds ordinary values to the graph, so that gradients can be
// differentiated again.

import { ArgumentError } from '../checks/index.js';
import { add } from './ops/elementwise.js';
import { fill, zeros } from './ops/movement.js';
import { sumTo } from './ops/reduction.js';
import { sameShape, showShape } from './shape.js';
import { describeType, isFloat } from './types.js';
import { inOrder, type Node, type Value, withLabel } from './value.js';

/**
 * The gradients of Σ seed∘y (by default Σ y) with respect to `xs`, which may be any values, intermediate ones included.
 * Only what lies between xs and y is built; an x that y does not depend on gets zeros.
 */
export function gradients(y: Value, xs: readonly Value[], seed?: Value): Value[] {
  for (const value of [y, ...xs]) {
    if (!isFloat(value.dtype)) {
      throw new ArgumentError(`gradients: expected f32 or f64 values, got ${describeType(value)}`);
    }
  }
  if (seed !== undefined && !(sameShape(seed.shape, y.shape) && seed.dtype === y.dtype)) {
    throw new ArgumentError(`gradients: expected a seed of type ${describeType(y)}, got ${describeType(seed)}`);
  }
  const order = inOrder([y]);
  const onPath = between(order, xs);
  const found = new Map<number, Value>();
  if (onPath.has(y.id)) found.set(y.id, seed ?? fill(y, 1));

  // A node's turn comes at its earliest output: by then everything made from any of its outputs has been visited.
  const turn = new Map<Node, number>();
  for (const { node, id } of order) if (node !== undefined && !turn.has(node)) turn.set(node, id);
  for (const { node, id } of order.toReversed()) {
    if (node === undefined || turn.get(node) !== id) continue;
    const outputGradients = node.outputs.map((output) => found.get(output.id));
    if (outputGradients.every((gradient) => gradient === undefined)) continue;
    for (const [input, gradient] of inputGradients(node, outputGradients, onPath)) {
      const sum = found.get(input.id);
      found.set(input.id, sum === undefined ? gradient : add(sum, gradient));
    }
  }
  return xs.map((x) => found.get(x.id) ?? zeros(x));
}

/** Whether `y` depends on `x` through values that carry gradients. */
export const dependsOn = (y: Value, x: Value): boolean => between(inOrder([y]), [x]).has(y.id);

/** The ids of `xs` and of all values that depend on one of them through floats. */
function between(order: readonly Value[], xs: readonly Value[]): Set<number> {
  const reached = new Set(xs.map(({ id }) => id));
  for (const { id, node, dtype } of order) {
    if (isFloat(dtype) && node?.op.gradient !== 'zero' && node?.inputs.some((input) => reached.has(input.id))) {
      reached.add(id);
    }
  }
  return reached;
}

function* inputGradients(
  node: Node,
  outputGradients: readonly (Value | undefined)[],
  wanted: ReadonlySet<number>,
): Generator<[Value, Value]> {
  const { op, inputs } = node;
  const where = node.label === '' ? '' : ` in ${node.label}`;
  if (op.gradient === 'zero' || !inputs.some(({ id }) => wanted.has(id))) return;
  if (op.gradient === 'none') throw new ArgumentError(`gradients: ${op.name}${where} is not differentiable`);
  const rules = op.gradient(node, outputGradients);
  for (const [index, input] of inputs.entries()) {
    const rule = rules[index];
    if (rule === undefined || !wanted.has(input.id)) continue;
    const gradient = withLabel(node.label === '' ? 'gradient' : `${node.label} gradient`, () =>
      sumTo(rule(), input.shape),
    );
    if (!sameShape(gradient.shape, input.shape)) {
      throw new Error(
        `${op.name}${where}: gradient has shape ${showShape(gradient.shape)}, input ${showShape(input.shape)}`,
      );
    }
    yield [input, gradient];
  }
}
