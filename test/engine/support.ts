// What the engine's tests share: running a graph, comparing numbers, differentiating by finite differences.

import { expect } from 'vitest';
import { add, type CompileOptions, compile, gradients, mul, reduceSum, type Value } from '../../src/engine/index.js';
import { isFloat, type TypedArray } from '../../src/engine/types.js';
import { inOrder } from '../../src/engine/value.js';
import type { Draw } from './draw.js';
import { evaluate, toNumbers } from './naive/evaluate.js';

/** Compiles, runs once and closes. */
export async function runEngine(
  outputs: readonly Value[],
  feeds: Readonly<Record<string, TypedArray>>,
  options: CompileOptions = {},
): Promise<Float64Array[]> {
  const program = await compile(Object.fromEntries(outputs.map((value, index) => [`${index}`, value])), {
    threads: 1,
    ...options,
  });
  try {
    const used = Object.fromEntries(Object.keys(program.inputs).map((name) => [name, feeds[name] as TypedArray]));
    const results: Readonly<Record<string, TypedArray>> = await program.run(used);
    return outputs.map((_, index) => toNumbers(results[index] as TypedArray));
  } finally {
    await program.close();
  }
}

/** The naive evaluator's numbers for the drawn inputs. */
export const runNaive = (outputs: readonly Value[], draw: Draw): Float64Array[] =>
  evaluate(outputs, draw.feeds).map(({ data }) => data);

/** What rounding allows: float32 if any value on the way is one. */
export const precisionOf = (outputs: readonly Value[]): number =>
  inOrder(outputs).some(({ dtype }) => dtype === 'f32') ? 1e-5 : 1e-12;

/** How far each output moves if every number on the way is rounded to float32: a few such steps are no mistake. */
export function roundingOf(outputs: readonly Value[], draw: Draw): number[] {
  const exact = runNaive(outputs, draw);
  return evaluate(outputs, draw.feeds, Math.fround).map(({ data }, which) =>
    data.reduce((most, x, place) => Math.max(most, Math.abs(x - (exact[which]?.[place] ?? 0))), 0),
  );
}

/**
 * Element by element, relative to the largest of each array; numbers far below 1 may have cancelled, hence `least`.
 * `slack` is added, one number per array.
 */
export function expectClose(
  actual: readonly Float64Array[],
  expected: readonly Float64Array[],
  tolerance: number,
  { least = 0.1, slack = [] }: { least?: number; slack?: readonly number[] } = {},
): void {
  expect(actual.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
  for (const [which, numbers] of expected.entries()) {
    const scale = numbers.reduce((most, x) => Math.max(most, Math.abs(x)), least);
    const allowed = tolerance * scale + (slack[which] ?? 0);
    for (const [place, x] of numbers.entries()) {
      const got = actual[which]?.[place] ?? Number.NaN;
      if (Math.abs(got - x) <= allowed) continue;
      expect.fail(`output ${which} at ${place}: expected ${x} ± ${allowed}, got ${got}`);
    }
  }
}

/** Σ weight∘(y + y²/2) over the float outputs: the square makes second derivatives of linear operators matter. */
export function randomLoss(outputs: readonly Value[], draw: Draw): Value {
  const terms = outputs
    .filter(({ dtype }) => isFloat(dtype))
    .map((y) => reduceSum(mul(draw.fixed(y), add(y, mul(mul(y, y), 0.5)))));
  return terms.reduce((sum, term) => add(sum, term));
}

type Directions = ReadonlyMap<Value, readonly number[]>;

const randomDirections = (draw: Draw, variables: readonly Value[]): Directions =>
  new Map(variables.map((x) => [x, draw.list(x.shape.reduce((product, size) => product * size, 1))]));

/**
 * Checks that the gradient graph of the scalar `y` says the same about one random direction as finite differences of
 * y do, both by the naive evaluator. The scale is that of the single terms, so cancelling ones do not raise alarms.
 */
export function expectDerivative(
  y: Value,
  variables: readonly Value[],
  draw: Draw,
  tolerance: number,
  slopes: readonly Value[] = gradients(y, variables),
): void {
  const directions = randomDirections(draw, variables);
  let slope = 0;
  let scale = 1e-3;
  for (const [which, gradient] of runNaive(slopes, draw).entries()) {
    const direction = directions.get(variables[which] as Value) ?? [];
    for (const [place, x] of gradient.entries()) {
      slope += x * (direction[place] ?? 0);
      scale += Math.abs(x * (direction[place] ?? 0));
    }
  }
  const difference = centralDifference(y, draw, directions);
  // y is rounded, and the difference divides that by the step.
  const rounding = (8 * Number.EPSILON * Math.abs(runNaive([y], draw)[0]?.[0] ?? 0)) / (2 * stepSize);
  const allowed = tolerance * scale + rounding;
  if (!(Math.abs(slope - difference) <= allowed)) {
    expect.fail(`gradients say ${slope}, differences ${difference}, ± ${allowed}`);
  }
}

const stepSize = 1e-5;

/** The derivative of a scalar along `directions`, with an error of the order step². */
function centralDifference(y: Value, draw: Draw, directions: Directions): number {
  const at = (distance: number) => evaluate([y], draw.moved(directions, distance))[0]?.data[0] ?? Number.NaN;
  return (at(stepSize) - at(-stepSize)) / (2 * stepSize);
}

/** Σ direction∘gradient, as a graph that can be differentiated again. */
export function alongDirection(y: Value, variables: readonly Value[], draw: Draw): Value {
  const terms = gradients(y, variables).map((gradient) => reduceSum(mul(gradient, draw.fixed(gradient))));
  return terms.reduce((sum, term) => add(sum, term));
}
