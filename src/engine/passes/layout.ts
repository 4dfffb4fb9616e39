// How products are read. ONNX Runtime multiplies a transposed first matrix slowly (130 against 157 GFLOPS at
// 768 × 1024 × 3072), so large ones are transposed beforehand; products of one input share the transposed copy.

import { transpose } from '../ops/movement.js';
import { sizeOf } from '../shape.js';
import { apply, type Value } from '../value.js';
import { rewrite } from './rewrite.js';

const worthCopying = 1 << 16;

export const spellOutTransposes = (outputs: readonly Value[]): Value[] =>
  rewrite(outputs, ({ op, inputs: [a, b, ...addend], attributes, label }) => {
    if (op.name !== 'MatMul' || !attributes.transposeA || a === undefined || b === undefined) return undefined;
    if (a.shape.length > 2 || b.shape.length > 2 || sizeOf(a.shape) < worthCopying) return undefined;
    return apply(op, [transpose(a), b, ...addend], { ...attributes, transposeA: false }, label).outputs;
  });
