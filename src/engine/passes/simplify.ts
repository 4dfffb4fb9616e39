// Local identities: transposes, reshapes and expansions that cancel or can be absorbed, and arithmetic with 0 and 1.

import { mul, sub } from '../ops/elementwise.js';
import { type MatMulOptions, matMul } from '../ops/linear.js';
import { expand, reshape, transpose } from '../ops/movement.js';
import { broadcastShapes, sameShape, sizeOf } from '../shape.js';
import { apply, type Node, type Value, withLabel } from '../value.js';
import { rewrite } from './rewrite.js';

type Identity = (node: Node, ...inputs: Value[]) => Value | undefined;

const madeBy = (value: Value | undefined, name: string): Node | undefined =>
  value?.node?.op.name === name ? value.node : undefined;
const inputOf = (node: Node, index = 0): Value => node.inputs[index] as Value;
const permOf = (node: Node) => node.attributes.perm as readonly number[];

/** The number a one-element constant holds. */
function numberOf(value: Value): number | undefined {
  if (value.source?.kind !== 'constant' || sizeOf(value.shape) !== 1) return undefined;
  return Number(value.source.data[0]);
}

/** `x` if it has the node's type: then the other operand was neutral. */
const alone = (node: Node, x: Value): Value | undefined =>
  sameShape(x.shape, node.outputs[0]?.shape ?? []) ? x : undefined;

const scaled = (x: Value): { base: Value; factor: number } | undefined => {
  const product = madeBy(x, 'Mul');
  if (product === undefined) return undefined;
  const factor = numberOf(inputOf(product, 1));
  return factor !== undefined && alone(product, inputOf(product)) ? { base: inputOf(product), factor } : undefined;
};

const identities: Readonly<Record<string, Identity>> = {
  Transpose: (node, x) => {
    const perm = permOf(node);
    if (perm.every((axis, index) => axis === index)) return x;
    const inner = madeBy(x, 'Transpose');
    return (
      inner &&
      transpose(
        inputOf(inner),
        perm.map((axis) => permOf(inner)[axis] as number),
      )
    );
  },
  Reshape: (node, x) => {
    const inner = madeBy(x, 'Reshape');
    return alone(node, x) ?? (inner && reshape(inputOf(inner), node.attributes.shape as number[]));
  },
  Expand: (node, x) => {
    const inner = madeBy(x, 'Expand');
    return alone(node, x) ?? (inner && expand(inputOf(inner), node.attributes.shape as number[]));
  },
  Neg: (_, x) => {
    const inner = madeBy(x, 'Neg');
    const product = scaled(x);
    return inner ? inputOf(inner) : product && mul(product.base, -product.factor);
  },
  Add: (node, a, b) => {
    if (numberOf(b) === 0) return alone(node, a);
    if (numberOf(a) === 0) return alone(node, b);
    const minus = madeBy(b, 'Neg');
    return minus && sub(a, inputOf(minus));
  },
  Sub: (node, a, b) => (numberOf(b) === 0 ? alone(node, a) : undefined),
  Mul: (node, a, b) => {
    const [left, right] = [numberOf(a), numberOf(b)];
    if (right === 1) return alone(node, a);
    if (left === 1) return alone(node, b);
    // Numbers go to the right, where the other rules look for them.
    if (left !== undefined && right === undefined && alone(node, b)) return mul(b, a);
    const inner = scaled(a);
    return right !== undefined && inner && alone(node, inner.base) ? mul(inner.base, right * inner.factor) : undefined;
  },
  Div: (node, a, b) => (numberOf(b) === 1 ? alone(node, a) : undefined),
  MatMul: (node, a, b) => {
    // Batched products in f64 cannot read transposed operands.
    if (a.dtype === 'f64' && a.shape.length + b.shape.length > 4) return undefined;
    const options = node.attributes as MatMulOptions;
    const [left, right] = [swapOf(a), swapOf(b)];
    if (node.inputs.length > 2 || (left === undefined && right === undefined)) return undefined;
    return matMul(left ?? a, right ?? b, {
      ...options,
      transposeA: options.transposeA !== (left !== undefined),
      transposeB: options.transposeB !== (right !== undefined),
    });
  },
};

/** The value that `x` is the transpose of, if only its last two axes are swapped, which a product can read directly. */
function swapOf(x: Value): Value | undefined {
  const node = madeBy(x, 'Transpose');
  if (node === undefined) return undefined;
  const rank = x.shape.length;
  const swapsLast = permOf(node).every((axis, index) => axis === (index < rank - 2 ? index : 2 * rank - 3 - index));
  return swapsLast ? inputOf(node) : undefined;
}

const broadcasting = new Set(['Add', 'Sub', 'Mul', 'Div', 'Max', 'Min', 'Pow', 'Where', 'Equal', 'Greater', 'Less']);

/** Drops the expansion of an operand where the operator broadcasts it anyway and the result keeps its shape. */
function withoutExpansion(node: Node): Value | undefined {
  if (!broadcasting.has(node.op.name)) return undefined;
  for (const [index, value] of node.inputs.entries()) {
    const expansion = madeBy(value, 'Expand');
    if (expansion === undefined) continue;
    const inputs = node.inputs.with(index, inputOf(expansion));
    if (!sameShape(broadcastShapes(...inputs.map(({ shape }) => shape)), node.outputs[0]?.shape ?? [])) continue;
    return apply(node.op, inputs, node.attributes, node.label).outputs[0];
  }
  return undefined;
}

export const simplify = (outputs: readonly Value[]): Value[] =>
  rewrite(outputs, (node) => withLabel(node.label, () => settle(node)));

/** Applies identities until none fits. */
function settle(node: Node): readonly Value[] | undefined {
  const better = withoutExpansion(node) ?? identities[node.op.name]?.(node, ...node.inputs);
  if (better === undefined) return undefined;
  return better.node?.outputs.length === 1 ? (settle(better.node) ?? [better]) : [better];
}
