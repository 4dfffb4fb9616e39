// Every operator of the registry, against plain loops in float64 and against finite differences.

import { describe, expect, it } from 'vitest';
import { cast, gradients, ops, type Value } from '../../src/engine/index.js';
import type { OpName } from '../../src/engine/ops/index.js';
import { type DType, isFloat } from '../../src/engine/types.js';
import { inOrder } from '../../src/engine/value.js';
import { type Case, cases, typesOf } from './cases.js';
import { Draw } from './draw.js';
import { kernels } from './naive/evaluate.js';
import {
  alongDirection,
  expectClose,
  expectDerivative,
  precisionOf,
  randomLoss,
  runEngine,
  runNaive,
} from './support.js';

const names = Object.keys(ops) as OpName[];

function build(example: Case, dtype: DType) {
  const draw = new Draw(20, dtype);
  const made = example(draw);
  return { draw, outputs: Array.isArray(made) ? (made as readonly Value[]) : [made as Value] };
}

it('has cases and a naive kernel for every operator', () => {
  expect(Object.keys(cases).sort()).toEqual([...names].sort());
  expect(Object.keys(kernels).sort()).toEqual([...names].sort());
  for (const name of names) {
    const using = Object.values(cases[name]).filter((example) => {
      const { outputs } = build(example, typesOf(name)[0] as DType);
      return inOrder(outputs).some(({ node }) => node?.op === ops[name]);
    });
    expect(using.length, name).toBeGreaterThanOrEqual(2);
  }
});

describe.each(names)('%s', (name) => {
  const floatTypes = typesOf(name).filter(isFloat);
  const rule = ops[name].gradient;

  describe.each(Object.entries(cases[name]))('%s', (_, example) => {
    it.each(typesOf(name))('computes in %s what plain loops compute', async (dtype) => {
      const { draw, outputs } = build(example, dtype);
      const expected = runNaive(outputs, draw);
      expectClose(await runEngine(outputs, draw.feeds), expected, precisionOf(outputs));
      expectClose(await runEngine(outputs, draw.feeds, { optimize: false }), expected, precisionOf(outputs));
    });

    if (typeof rule !== 'function' || floatTypes.length === 0) return;

    // Constants are rounded to the graph's type, so float64 is the stricter check where it exists.
    it('has the first and second derivatives of finite differences', () => {
      const { draw, outputs } = build(example, floatTypes.at(-1) as DType);
      const loss = randomLoss(outputs, draw);
      expectDerivative(loss, draw.variables, draw, 1e-6);
      expectDerivative(alongDirection(loss, draw.variables, draw), draw.variables, draw, 1e-5);
    });

    it.each(floatTypes)('compiles to the same derivatives in %s', async (dtype) => {
      const { draw, outputs } = build(example, dtype);
      const loss = randomLoss(outputs, draw);
      const first = gradients(loss, draw.variables);
      const second = gradients(alongDirection(loss, draw.variables, draw), draw.variables);
      const both = [...first, ...second];
      expectClose(await runEngine(both, draw.feeds), runNaive(both, draw), precisionOf(both));
    });
  });
});

// And, Or, Not and OneHot take no floats, so no gradient can come near them.
const takesFloats = (name: OpName) => typesOf(name).some(isFloat);

describe('operators without a gradient', () => {
  const flat = names.filter((name) => ops[name].gradient === 'zero' && takesFloats(name));
  const refusing = names.filter((name) => ops[name].gradient === 'none');

  it.each(flat)('%s is flat: zeros', async (name) => {
    for (const example of Object.values(cases[name])) {
      const { draw, outputs } = build(example, 'f32');
      const floats = outputs.map((output) => cast(output, 'f32'));
      const slopes = floats.flatMap((output) => gradients(output, draw.variables));
      for (const numbers of await runEngine(slopes, draw.feeds)) expect(numbers.every((x) => x === 0)).toBe(true);
      expectDerivative(randomLoss(floats, draw), draw.variables, draw, 1e-6);
    }
  });

  it('are few', () => {
    const refusingFloats = refusing.filter((name) =>
      Object.values(cases[name]).some((example) => build(example, 'f32').outputs.some(({ dtype }) => isFloat(dtype))),
    );
    expect(refusingFloats).toEqual(['TopK']);
  });

  it.each(refusing)('%s refuses where a float comes out, a whole number ends the path', (name) => {
    for (const example of Object.values(cases[name])) {
      const { draw, outputs } = build(example, 'f32');
      for (const output of outputs) {
        const differentiate = () => gradients(cast(output, 'f32'), draw.variables);
        if (isFloat(output.dtype)) expect(differentiate).toThrow(`${name} is not differentiable`);
        else expect(runNaive(differentiate(), draw).every((numbers) => numbers.every((x) => x === 0))).toBe(true);
      }
    }
  });
});
