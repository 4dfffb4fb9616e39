// Cutting a graph: what is cached is enough, and no more than is needed.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import {
  add,
  type Cut,
  constant,
  cutGraph,
  input,
  matMul,
  mul,
  reshape,
  split,
  type TypedArray,
  tanh,
  type Value,
} from '../../src/engine/index.js';
import { evaluate } from './naive/evaluate.js';
import { graphOf, type Step, steps } from './random-graph.js';
import { runEngine } from './support.js';

/** The inputs that a value is made from, by their ids. */
function leavesOf(value: Value, known = new Map<number, Set<Value>>()): Set<Value> {
  const found = known.get(value.id);
  if (found) return found;
  const own = value.node
    ? new Set(value.node.inputs.flatMap((one) => [...leavesOf(one, known)]))
    : new Set(value.source?.kind === 'input' ? [value] : []);
  known.set(value.id, own);
  return own;
}

const fresh = (cached: readonly Value[]) => cached.map(({ shape, dtype }, i) => input(`cached ${i}`, shape, dtype));

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...(Object.keys(steps) as Step['kind'][])),
  pick: fc.nat(5),
  option: fc.nat(11),
  other: fc.nat(11),
});
const example = fc.record({
  list: fc.array(step, { minLength: 3, maxLength: 14 }),
  seed: fc.nat(1e6),
  /** Which of the variables change: those whose bit is set. */
  changes: fc.nat(2 ** 12),
});
const changing = (variables: readonly Value[], changes: number) =>
  variables.filter((_, index) => ((changes >> (index % 13)) & 1) === 1);

describe('cutting a random graph', () => {
  it('keeps only what depends on inputs and on nothing that changes, and all of it is needed', () => {
    fc.assert(
      fc.property(example, ({ changes, ...graph }) => {
        const { draw, outputs } = graphOf(graph, 'f32');
        const moving = changing(draw.variables, changes);
        const { cached, rest } = cutGraph(outputs, moving);
        expect(new Set(cached.map(({ id }) => id)).size).toBe(cached.length);
        for (const value of cached) {
          const leaves = leavesOf(value);
          expect(leaves.size).toBeGreaterThan(0);
          expect(moving.some((one) => leaves.has(one))).toBe(false);
        }
        const given = fresh(cached);
        const reached = new Set(rest(given).flatMap((value) => [...leavesOf(value)]));
        for (const one of given) expect(reached).toContain(one);
        for (const one of reached) expect([...given, ...moving]).toContain(one);
      }),
      { numRuns: 300, seed: 3 },
    );
  });

  it('computes the same from what was cached, to the bit', () => {
    fc.assert(
      fc.property(example, ({ changes, ...graph }) => {
        const { draw, outputs } = graphOf(graph, 'f32');
        const { cached, rest } = cutGraph(outputs, changing(draw.variables, changes));
        const given = fresh(cached);
        const numbers = evaluate(cached, draw.feeds).map(({ data }, i) => [`cached ${i}`, [...data]] as const);
        const again = evaluate(rest(given), { ...draw.feeds, ...Object.fromEntries(numbers) });
        expect(again).toEqual(evaluate(outputs, draw.feeds));
      }),
      { numRuns: 200, seed: 4 },
    );
  });

  it('computes the same in the engine', async () => {
    await fc.assert(
      fc.asyncProperty(example, async ({ changes, ...graph }) => {
        const { draw, outputs } = graphOf(graph, 'f32');
        const { cached, rest } = cutGraph(outputs, changing(draw.variables, changes));
        const numbers = cached.length === 0 ? [] : await runEngine(cached, draw.feeds);
        const feeds = Object.fromEntries(
          numbers.map((array, i): [string, TypedArray] => [`cached ${i}`, Float32Array.from(array)]),
        );
        const again = await runEngine(rest(fresh(cached)), { ...draw.feeds, ...feeds });
        const whole = await runEngine(outputs, draw.feeds);
        for (const [which, array] of whole.entries()) {
          const scale = Math.max(0.1, ...array.map(Math.abs));
          for (const [i, x] of array.entries())
            expect(Math.abs(x - (again[which]?.[i] as number))).toBeLessThan(1e-4 * scale);
        }
      }),
      { numRuns: 15, seed: 6 },
    );
  });
});

describe('a cut', () => {
  const [x, w, b] = [input('x', [2, 3]), input('w', [3, 4]), input('b', [4])];

  const expectCached = ({ cached }: Cut, ...wanted: Value[]) =>
    expect(cached.map(({ id }) => id).sort()).toEqual(wanted.map(({ id }) => id).sort());

  it('keeps the last values before the change', () => {
    const deep = tanh(tanh(x));
    expectCached(cutGraph([add(matMul(deep, w), b)], [w, b]), deep);
    const product = matMul(deep, w);
    expectCached(cutGraph([add(product, b)], [b]), product);
  });

  it('keeps inputs where nothing lies before the change', () => {
    expectCached(cutGraph([matMul(x, w)], [w]), x);
  });

  it('keeps no constants and nothing made of them alone', () => {
    const table = tanh(constant([1, 2, 3, 4]));
    expectCached(cutGraph([mul(table, b)], [b]));
    expectCached(cutGraph([table], []));
    const { cached, rest } = cutGraph([add(mul(table, b), input('y', [4]))], [b]);
    expect(cached.length).toBe(1);
    expect(leavesOf(rest(fresh(cached))[0] as Value).size).toBe(2);
  });

  it('keeps the outputs themselves where they do not depend on what changes, each once', () => {
    const y = tanh(x);
    const cut = cutGraph([y, matMul(y, w), y, x], [w]);
    expectCached(cut, x, y);
    const { cached, rest } = cut;
    const given = fresh(cached);
    const [first, , third, fourth] = rest(given);
    expect(first).toBe(given[cached.indexOf(y)]);
    expect(third).toBe(first);
    expect(fourth).toBe(given[cached.indexOf(x)]);
  });

  it('keeps the used outputs of an operator with several', () => {
    const back = split(x, [1, 2], 1)[1] as Value;
    const scale = input('scale', [2, 2]);
    const cut = cutGraph([mul(back, scale)], [scale]);
    expectCached(cut, back);
    expect(leavesOf(cut.rest(fresh(cut.cached))[0] as Value).size).toBe(2);
  });

  it('keeps one of several copies that differ in shape, that with most axes, and the rest reshapes it', () => {
    const states = tanh(input('states', [2, 5, 3])); // [batch, tokens, hidden]
    const rows = reshape(states, [10, 3]);
    const cut = cutGraph([matMul(states, w), matMul(rows, w)], [w]);
    expectCached(cut, states);
    expect(cut.rest(fresh(cut.cached)).map(({ shape }) => shape)).toEqual([
      [2, 5, 4],
      [10, 4],
    ]);
    const product = matMul(states, constant([1, 0, 0, 1, 1, 1], [3, 2])); // rows of one tall matrix, then reshaped
    const scale = input('scale', [2]);
    expectCached(cutGraph([mul(product, scale)], [scale]), product);
  });

  it('replaces cached values only by values of the same type, one for each', () => {
    const { rest } = cutGraph([matMul(tanh(x), w)], [w]);
    const refused = (given: readonly Value[]) => expect(() => rest(given));
    refused([]).toThrow(ArgumentError);
    refused([]).toThrow('expected 1 values, one for each cached one, got 0');
    refused([input('y', [3, 2])]).toThrow('expected a value of type f32[2,3] in place of each cached one');
    refused([input('y', [2, 3], 'f64')]).toThrow('f32[2,3]');
    refused([input('y', [2, 3]), input('z', [2, 3])]).toThrow('expected 1 values, one for each cached one, got 2');
  });
});
