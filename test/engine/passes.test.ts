// Each pass leaves the numbers as they are and removes what it should.

import { describe, expect, it } from 'vitest';
import {
  add,
  clip,
  compile,
  constant,
  exp,
  expand,
  gelu,
  gradients,
  input,
  matMul,
  mul,
  neg,
  reduceSum,
  reshape,
  slice,
  split,
  square,
  sub,
  tanh,
  transpose,
  type Value,
} from '../../src/engine/index.js';
import { absorbIntoProducts } from '../../src/engine/passes/absorb.js';
import { foldConstants } from '../../src/engine/passes/fold.js';
import { chooseLayouts } from '../../src/engine/passes/layout.js';
import { mergeEqual } from '../../src/engine/passes/merge.js';
import { simplify } from '../../src/engine/passes/simplify.js';
import { evaluate } from '../../src/engine/program.js';
import { inOrder } from '../../src/engine/value.js';

const numbers = (count: number, seed = 1) => Float32Array.from({ length: count }, (_, i) => Math.sin(seed + 1.7 * i));
const opNames = (values: readonly Value[]) => inOrder(values).flatMap(({ node }) => (node ? [node.op.name] : []));

async function run(value: Value, feeds: Record<string, Float32Array>): Promise<number[]> {
  const program = await compile({ value }, { optimize: false });
  try {
    const wanted = Object.fromEntries(Object.keys(program.inputs).map((name) => [name, feeds[name] as Float32Array]));
    return Array.from((await program.run(wanted)).value, Number);
  } finally {
    await program.close();
  }
}

/** The pass changes the operators to `expected` and not the numbers. */
async function expectPass(
  pass: (outputs: readonly Value[]) => Value[] | Promise<Value[]>,
  value: Value,
  expected: string[],
) {
  const feeds = { x: numbers(12), y: numbers(12, 2), z: numbers(12, 3) };
  const [after] = (await pass([value])) as [Value];
  expect(opNames([after])).toEqual(expected);
  expect(after.shape).toEqual(value.shape);
  const [was, is] = [await run(value, feeds), await run(after, feeds)];
  expect(is.length).toBe(was.length);
  for (const [index, number] of is.entries()) expect(number).toBeCloseTo(was[index] as number, 5);
}

const x = input('x', [3, 4]);
const y = input('y', [3, 4]);
const z = input('z', [4, 3]);

describe('dead code', () => {
  it('is what outputs do not reach', () => {
    const [first] = split(tanh(x), [1, 2], 0);
    exp(x); // built, never used
    expect(opNames([first as Value])).toEqual(['Tanh', 'Split']);
  });
});

describe('merging equal nodes', () => {
  it('keeps one of each', () => expectPass(mergeEqual, add(tanh(add(x, 2)), tanh(add(x, 2))), ['Add', 'Tanh', 'Add']));
  it('tells attributes apart', () =>
    expectPass(mergeEqual, add(slice(x, [0, 0], [1, 4]), slice(x, [1, 0], [2, 4])), ['Slice', 'Slice', 'Add']));
  it('tells constants apart, and 0 from -0', () =>
    expectPass(mergeEqual, add(mul(x, constant(0)), mul(x, constant(-0))), ['Mul', 'Mul', 'Add']));
  it('tells infinite attributes apart', () => {
    const [open, shut] = [clip(x, { high: 0 }), clip(x, { low: Number.POSITIVE_INFINITY, high: 0 })];
    expect(opNames(mergeEqual([add(open, shut)]))).toEqual(['Clip', 'Clip', 'Add']);
  });
});

describe('folding constants', () => {
  const fold = (outputs: readonly Value[]) => foldConstants(outputs, evaluate);
  it('computes what depends on constants alone', () =>
    expectPass(fold, add(x, exp(mul(constant(2), constant(0.5)))), ['Add']));
  it('folds an output', () => expectPass(fold, exp(constant([1, 2, 3])), []));
  it('leaves large results to the run', async () => {
    const [after] = await fold([expand(constant(1), [512, 512])]);
    expect(opNames([after as Value])).toEqual(['Expand']);
  });
});

describe('simplifying', () => {
  it('cancels transposes', () => expectPass(simplify, transpose(transpose(x)), []));
  it('composes transposes', () =>
    expectPass(simplify, transpose(transpose(reshape(x, [3, 2, 2]), [1, 2, 0]), [1, 2, 0]), ['Reshape', 'Transpose']));
  it('joins reshapes and drops empty ones', () =>
    expectPass(simplify, exp(reshape(reshape(x, [12]), [3, 4])), ['Exp']));
  it('lets products read transposed operands', () =>
    expectPass(simplify, matMul(transpose(x), transpose(z)), ['MatMul']));
  it('does not expand what broadcasts', () =>
    expectPass(simplify, mul(x, expand(reduceSum(y, [0]), [3, 4])), ['ReduceSum', 'Mul']));
  it('keeps an expansion that gives the result its shape', () =>
    expectPass(simplify, add(expand(constant(1), [3, 4]), constant(2)), ['Expand', 'Add']));
  it('drops 0 and 1, joins factors, cancels signs', () =>
    expectPass(simplify, neg(neg(mul(mul(add(mul(x, 1), 0), 2), 3))), ['Mul']));
  it('keeps a neutral number that gives the result its shape', () =>
    expectPass(simplify, mul(constant([1]), reduceSum(x)), ['ReduceSum', 'Mul']));
  it('turns adding a negative into subtracting', () => expectPass(simplify, add(x, neg(y)), ['Sub']));
  it('passes on the right output of a node with several', async () => {
    const [, second] = split(x, [1, 2], 0) as [Value, Value];
    await expectPass(simplify, neg(neg(second)), ['Split']);
  });
});

describe('absorbing into products', () => {
  it('takes up a factor', () => expectPass(absorbIntoProducts, mul(matMul(x, z), 3), ['MatMul', 'Reshape']));
  it('takes up a sum with a computed matrix', () =>
    expectPass(absorbIntoProducts, add(matMul(x, z), tanh(matMul(y, z))), [
      'MatMul',
      'Tanh',
      'Reshape',
      'MatMul',
      'Reshape',
    ]));
  it('does not compute a product twice', async () => {
    const product = matMul(x, z);
    await expectPass(absorbIntoProducts, sub(mul(product, 3), exp(product)), ['MatMul', 'Mul', 'Exp', 'Sub']);
  });
});

describe('choosing layouts', () => {
  it('sums over leading axes by a product with ones', async () => {
    const a = input('a', [30, 10, 256]);
    const sum = reduceSum(a, [0, 1]);
    const [after] = chooseLayouts([sum]) as [Value];
    expect(opNames([after])).toEqual(['Reshape', 'MatMul', 'Reshape']);
    expect(opNames(chooseLayouts([reduceSum(a, [1, 2])]))).toEqual(['ReduceSum']);
    const feeds = { a: numbers(30 * 10 * 256) };
    const [was, is] = [await run(sum, feeds), await run(after, feeds)];
    for (const [index, number] of is.entries()) expect(number).toBeCloseTo(was[index] as number, 3);
  });

  it('copies a large first operand once for all its products', async () => {
    const [a, b] = [input('a', [300, 256]), input('b', [300, 8])];
    const twice = add(matMul(a, b, { transposeA: true }), matMul(a, exp(b), { transposeA: true }));
    const after = mergeEqual(chooseLayouts([twice]));
    expect(opNames(after).filter((name) => name === 'Transpose').length).toBe(1);
    const feeds = { a: numbers(300 * 256), b: numbers(300 * 8, 5) };
    const [was, is] = [await run(twice, feeds), await run(after[0] as Value, feeds)];
    for (const [index, number] of is.entries()) expect(number).toBeCloseTo(was[index] as number, 3);
  });
});

describe('all passes together', () => {
  it('leave first and second derivatives of a small network as they are', async () => {
    const hidden = gelu(matMul(x, z));
    const [slope] = gradients(reduceSum(square(hidden)), [x]) as [Value];
    const [second] = gradients(reduceSum(square(slope)), [z]) as [Value];
    const feeds = { x: numbers(12), z: numbers(12, 3) };
    const program = await compile({ second });
    const is = (await program.run(feeds)).second;
    await program.close();
    const was = await run(second, feeds);
    for (const [index, number] of was.entries()) expect(Number(is[index])).toBeCloseTo(number, 3);
    expect(program.nodes).toBeLessThan(opNames([second]).length);
  });
});
