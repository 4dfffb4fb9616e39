// Moves into matrix products what they compute at no extra cost: a factor, and a sum with another matrix (added in place).

import { linear } from '../ops/linear.js';
import { reshape } from '../ops/movement.js';
import { sameShape, sizeOf } from '../shape.js';
import { apply, inOrder, type Node, type Value } from '../value.js';
import { rewrite } from './rewrite.js';

type Absorb = (node: Node, product: (operand: number) => Node | undefined) => Value | undefined;

export const absorbIntoProducts = (outputs: readonly Value[]): Value[] => absorb(absorb(outputs, factor), sum);

function absorb(outputs: readonly Value[], rule: Absorb): Value[] {
  const uses = countUses(outputs);
  return rewrite(outputs, (node, original) => {
    const result = rule(node, (operand) => {
      const before = original.inputs[operand] as Value;
      return usedOnce(before, uses) ? productBehind(node.inputs[operand] as Value) : undefined;
    });
    return result && [result];
  });
}

const factor: Absorb = (node, product) => {
  if (node.op.name !== 'Mul') return undefined;
  const [x, scalar] = node.inputs as [Value, Value];
  const found = product(0);
  if (found === undefined || found.inputs.length > 2) return undefined;
  if (scalar.source?.kind !== 'constant' || sizeOf(scalar.shape) !== 1 || scalar.shape.length > x.shape.length)
    return undefined;
  const scale = (found.attributes.scale as number) * Number(scalar.source.data[0]);
  // For f64 only matrices take a factor, and only one that f32 can hold.
  if (x.dtype === 'f64' && (found.outputs[0]?.shape.length !== 2 || Math.fround(scale) !== scale)) return undefined;
  return reshaped(apply(linear.MatMul, found.inputs, { ...found.attributes, scale }, found.label), x);
};

const sum: Absorb = (node, product) => {
  if (node.op.name !== 'Add') return undefined;
  for (const operand of [0, 1]) {
    const [x, other] = [node.inputs[operand] as Value, node.inputs[1 - operand] as Value];
    const found = product(operand);
    // A leaf cannot be overwritten, so nothing would be gained.
    if (found === undefined || found.inputs.length > 2 || found.outputs[0]?.shape.length !== 2) continue;
    if (other.node === undefined || !sameShape(other.shape, x.shape)) continue;
    const addend = reshape(other, found.outputs[0].shape);
    return reshaped(apply(linear.MatMul, [...found.inputs, addend], found.attributes, found.label), x);
  }
  return undefined;
};

const reshaped = (node: Node, like: Value): Value => reshape(node.outputs[0] as Value, like.shape);

/** The product that made a value, directly or before a reshape. */
function productBehind(value: Value): Node | undefined {
  const inner = value.node?.op.name === 'Reshape' ? value.node.inputs[0]?.node : value.node;
  return inner?.op.name === 'MatMul' ? inner : undefined;
}

/** Only then can it be absorbed: a product with another user would be computed twice. */
function usedOnce(value: Value, uses: ReadonlyMap<number, number>): boolean {
  const inner = value.node?.op.name === 'Reshape' ? (value.node.inputs[0] as Value) : value;
  return uses.get(value.id) === 1 && uses.get(inner.id) === 1;
}

function countUses(outputs: readonly Value[]): Map<number, number> {
  const uses = new Map<number, number>();
  const count = ({ id }: Value) => uses.set(id, (uses.get(id) ?? 0) + 1);
  const nodes = new Set(inOrder(outputs).flatMap(({ node }) => node ?? []));
  for (const { inputs } of nodes) inputs.forEach(count);
  outputs.forEach(count);
  return uses;
}
