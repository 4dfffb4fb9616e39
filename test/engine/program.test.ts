// Compiling and running, on both runtimes: results, buffers, files, sharing, errors.

import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  add,
  argMax,
  type CompileOptions,
  cast,
  compile,
  constant,
  dependsOn,
  exp,
  fileConstant,
  gather,
  gradients,
  input,
  labelled,
  matMul,
  measureProductRate,
  mul,
  not,
  oneHot,
  reduceSum,
  split,
  square,
  topK,
  type Value,
} from '../../src/engine/index.js';
import { usualWeights } from '../../src/engine/session-options.js';

const x = input('x', [2, 3]);
const six = Float32Array.of(1, 2, 3, 4, 5, 6);
const size = 1024;
const ones = new Float32Array(size * size).fill(1);

describe.each(['native', 'binding'] as const)('with the runtime %s', (runtime) => {
  const build = <Name extends string>(outputs: Readonly<Record<Name, Value>>, options: CompileOptions = {}) =>
    compile(outputs, { runtime, ...options });

  describe('a program', () => {
    it('returns typed arrays of the right type', async () => {
      const program = await build({ sum: reduceSum(x), best: argMax(x), wide: cast(x, 'f64') });
      const { sum, best, wide } = await program.run({ x: six });
      expect(sum).toEqual(Float32Array.of(21));
      expect(best).toEqual(BigInt64Array.of(2n, 2n));
      expect(wide).toEqual(Float64Array.of(1, 2, 3, 4, 5, 6));
      await program.close();
    });

    it('gives new arrays at every run, and writes into those it is given', async () => {
      const program = await build({ double: mul(x, 2), triple: mul(x, 3) });
      const first = await program.run({ x: six });
      const triple = new Float32Array(6);
      const second = await program.run({ x: Float32Array.from(six, (n) => -n) }, { triple });
      expect(first.double).toEqual(Float32Array.of(2, 4, 6, 8, 10, 12));
      expect(second.double).toEqual(Float32Array.of(-2, -4, -6, -8, -10, -12));
      expect(second.triple).toBe(triple);
      expect(triple).toEqual(Float32Array.of(-3, -6, -9, -12, -15, -18));
      await program.close();
    });

    it('computes empty arrays', async () => {
      const program = await build({ y: exp(input('x', [0, 3])), sum: reduceSum(input('x2', [0, 3]), [0]) });
      const empty = new Float32Array(0);
      expect(await program.run({ x: empty, x2: empty })).toEqual({ y: empty, sum: new Float32Array(3) });
      await program.close();
    });

    it('may output inputs, constants and one value twice', async () => {
      const value = exp(x);
      const program = await build({ x, two: constant([2, 3]), a: value, b: value });
      const results = await program.run({ x: six });
      expect(results.x).toEqual(six);
      expect(results.two).toEqual(Float32Array.of(2, 3));
      expect(results.a).toEqual(results.b);
      await program.close();
    });

    it('takes inputs that the passes have made superfluous', async () => {
      const w = input('w', [2, 3]);
      const [slope] = gradients(reduceSum(mul(x, w)), [x]) as [Value];
      const sum = add(slope, mul(x, constant(0)));
      const program = await build({ slope: sum });
      expect(Object.keys(program.inputs).sort()).toEqual(['w', 'x']);
      expect((await program.run({ x: six, w: six })).slope).toEqual(six);
      await program.close();
    });

    it('shares one session among programs of equal graphs, until the last is closed', async () => {
      const program = () => build({ y: exp(mul(input('x', [4]), 3)) });
      const [a, b] = await Promise.all([program(), program()]);
      const feeds = { x: Float32Array.of(0, 0, 0, 0) };
      await a.close();
      await a.close();
      expect((await b.run(feeds)).y).toEqual(Float32Array.of(1, 1, 1, 1));
      await b.close();
      await expect(b.run(feeds)).rejects.toThrow('run: the program is closed');
    });

    it('takes large constants beside the graph, in each of several programs', async () => {
      const side = 80; // 25 kB: beside the graph, not inside it
      const matrix = constant(
        Float32Array.from({ length: side * side }, (_, i) => Math.floor(i / side)),
        [side, side],
      );
      const v = input('v', [1, side]);
      const [once, twice] = [
        await build({ y: matMul(v, matrix) }),
        await build({ y: matMul(v, matrix, { scale: 2 }) }),
      ];
      expect(once.bytes).toBeLessThan(1000);
      await twice.close();
      const { y } = await once.run({ v: new Float32Array(side).fill(1) });
      expect(y).toEqual(new Float32Array(side).fill((side * (side - 1)) / 2));
      await once.close();
    });

    it('waits for a run before it closes', async () => {
      const result = new Float32Array(size * size);
      const program = await build({ y: matMul(input('a', [size, size]), input('b', [size, size])) });
      const run = program.run({ a: ones, b: ones }, { y: result });
      await new Promise((resolve) => setImmediate(resolve));
      await program.close();
      expect(result.at(-1)).toBe(size); // complete by the time it is closed
      expect(Number((await run).y[0])).toBe(size);
    });

    it.runIf(runtime === 'native')('leaves the thread free while it computes', async () => {
      const program = await build({ y: matMul(input('a', [size, size]), input('b', [size, size])) });
      let ticks = 0;
      const timer = setInterval(() => ticks++, 1);
      for (let count = 0; count < 3; count++) await program.run({ a: ones, b: ones });
      clearInterval(timer);
      await program.close();
      expect(ticks).toBeGreaterThan(3); // three runs that block let three ticks pass at most
    });

    it('takes and gives every element type', async () => {
      const [wide, long, short, flag] = [
        input('wide', [2], 'f64'),
        input('long', [2], 'i64'),
        input('short', [2], 'i32'),
        input('flag', [2], 'bool'),
      ];
      const program = await build({
        wide: mul(wide, wide),
        long: add(long, long),
        short: cast(cast(short, 'f32'), 'i32'),
        flag: not(flag),
        part: mul(wide, cast(flag, 'f64')),
      });
      const results = await program.run({
        wide: Float64Array.of(0.1, 1e200),
        long: BigInt64Array.of(2n ** 60n, -1n),
        short: Int32Array.of(-7, 7),
        flag: Uint8Array.of(0, 1),
      });
      expect(results).toEqual({
        wide: Float64Array.of(0.1 * 0.1, Number.POSITIVE_INFINITY),
        long: BigInt64Array.of(2n ** 61n, -2n),
        short: Int32Array.of(-7, 7),
        flag: Uint8Array.of(1, 0),
        part: Float64Array.of(0, 1e200),
      });
      await program.close();
    });

    it('names our operators in its profile', async () => {
      const program = await build({ y: labelled('head', () => exp(x)) }, { profile: true });
      await program.run({ x: six });
      await program.run({ x: six });
      const times = await program.profile();
      expect(times).toEqual([expect.objectContaining({ opType: 'Exp', label: 'head', calls: 2 })]);
      await program.close();
    });

    it('measures the rate of a matrix product', async () => {
      expect(await measureProductRate({ rows: 64, inner: 64, columns: 64 }, 0.01)).toBeGreaterThan(0.01);
    });
  });

  describe('weights in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'epsilens-test-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'weights.bin');
    const weights = Float32Array.from({ length: 9 }, (_, i) => i);
    writeFileSync(path, Buffer.concat([Buffer.alloc(12), Buffer.from(weights.buffer)]));
    const w = fileConstant({ path, offset: 12 }, [3, 3]);

    it.each(['packed', 'shared'] as const)('are read from there (%s)', async (mode) => {
      const program = await build({ y: matMul(x, w) }, { weights: mode });
      expect((await program.run({ x: six })).y).toEqual(Float32Array.of(24, 30, 36, 51, 66, 81));
      expect(program.bytes).toBeLessThan(1000);
      await program.close();
    });

    it('are packed unless copies would fill the memory', () => {
      expect(usualWeights(1e9, 8e9)).toBe('packed');
      expect(usualWeights(1.1e9, 8e9)).toBe('shared');
    });

    it('are differentiated like any value', async () => {
      const [slope] = gradients(reduceSum(square(matMul(x, w))), [w]) as [Value];
      const program = await build({ slope });
      const y = [24, 30, 36, 51, 66, 81];
      const expected = [0, 1, 2].flatMap((i) =>
        [0, 1, 2].map(
          (j) => 2 * ((six[i] as number) * (y[j] as number) + (six[3 + i] as number) * (y[3 + j] as number)),
        ),
      );
      expect(Array.from((await program.run({ x: six })).slope, Number)).toEqual(expected);
      await program.close();
    });

    it('may lie in several folders', async () => {
      const other = mkdtempSync(join(tmpdir(), 'epsilens-test-'));
      writeFileSync(join(other, 'more.bin'), Buffer.from(weights.buffer));
      const v = fileConstant({ path: join(other, 'more.bin'), offset: 0 }, [3, 3]);
      const program = await build({ y: matMul(matMul(x, w), v) });
      const { y } = await program.run({ x: six });
      expect(y).toEqual(Float32Array.of(306, 396, 486, 684, 882, 1080));
      await program.close();
      rmSync(other, { recursive: true });
    });

    it('may stand in one graph with large constants that are not', async () => {
      const side = 80; // 25 kB
      const many = constant(new Float32Array(3 * side * side).fill(1), [side * side, 3]);
      const program = await build({ y: matMul(matMul(many, w), input('v', [3, 1])) });
      const { y } = await program.run({ v: Float32Array.of(1, 0, 1) });
      expect(y).toEqual(new Float32Array(side * side).fill(24));
      await program.close();
    });

    it('are read again when the file has been replaced', async () => {
      const changing = join(folder, 'changing.bin');
      const results: number[] = [];
      const programs = [];
      for (const number of [1, 2]) {
        writeFileSync(`${changing}.new`, Buffer.from(new Float32Array(9).fill(number).buffer));
        renameSync(`${changing}.new`, changing);
        const program = await build({ y: matMul(x, fileConstant({ path: changing, offset: 0 }, [3, 3])) });
        results.push(Number((await program.run({ x: six })).y[0]));
        programs.push(program);
      }
      expect(results).toEqual([6, 12]);
      for (const program of programs) await program.close();
    });

    it('are found behind symbolic links', async () => {
      const link = join(folder, 'link.bin');
      symlinkSync(path, link);
      const program = await build({ y: matMul(x, fileConstant({ path: link, offset: 12 }, [3, 3])) });
      expect((await program.run({ x: six })).y).toEqual(Float32Array.of(24, 30, 36, 51, 66, 81));
      await program.close();
    });

    it('are missed with the path', () => {
      expect(() => fileConstant({ path: join(folder, 'lost.bin'), offset: 0 }, [3, 3])).toThrow(
        /lost\.bin: no such file/,
      );
      expect(() => fileConstant({ path, offset: 12 }, [30, 3])).toThrow(
        /weights\.bin: expected 372 bytes or more for f32\[30, 3\] at 12, got 48/,
      );
      expect(() => fileConstant({ path, offset: -1 }, [3, 3])).toThrow(/expected a whole number >= 0, got -1/);
    });
  });

  describe('errors', () => {
    it('of shapes name the operator, the shapes and the label', () => {
      expect(() => labelled('layer 3', () => matMul(x, x))).toThrow(
        'MatMul in layer 3(f32[2, 3], f32[2, 3]): cannot multiply [2, 3] by [2, 3]',
      );
      expect(() => add(x, input('y', [4]))).toThrow('Add(f32[2, 3], f32[4]): shapes [2, 3] and [4] do not broadcast');
      expect(() => add(x, input('n', [3], 'i64'))).toThrow('expected one element type, got f32 and i64');
    });

    it('of element types say what there is', () => {
      expect(() => exp(input('n', [3], 'i64'))).toThrow('Exp: expected f32 or f64, got i64');
      expect(() => constant(six, [7])).toThrow('expected f32[7], got Float32Array of length 6');
      expect(() => input('x', [-1])).toThrow('invalid shape');
    });

    it('of feeds are one sentence each', async () => {
      const program = await build({ y: exp(x) });
      await expect(program.run({})).rejects.toThrow('run: missing input x, expected f32[2, 3]');
      await expect(program.run({ x: six, z: six })).rejects.toThrow('run: unknown input z, expected x');
      await expect(program.run({ x: six.subarray(1) })).rejects.toThrow(
        'run: input x: expected f32[2, 3], got Float32Array of length 5',
      );
      await expect(program.run({ x: new Float64Array(6) })).rejects.toThrow('got Float64Array of length 6');
      await expect(program.run({ x: six }, { y: new Float32Array(1) })).rejects.toThrow('run: buffer y: expected');
      await expect(program.profile()).rejects.toThrow('expected a program compiled with { profile: true }');
      await program.close();
    });

    it('of results that would overwrite what is still read', async () => {
      const program = await build({ y: exp(x), z: mul(x, 2) });
      const memory = new Float32Array(16);
      const [a, b] = [memory.subarray(0, 6), memory.subarray(5, 11)];
      await expect(program.run({ x: a }, { y: a })).rejects.toThrow('output:y and input:x share memory');
      await expect(program.run({ x: six }, { y: a, z: b })).rejects.toThrow('output:z and output:y share memory');
      const apart = await program.run({ x: a }, { y: memory.subarray(6, 12) });
      expect(apart.y).toEqual(new Float32Array(6).fill(1));
      await program.close();
    });

    it('of ONNX Runtime come back with our operator', async () => {
      const ids = input('ids', [2], 'i64');
      const program = await build({ y: labelled('words', () => gather(x, ids)) });
      await expect(program.run({ x: six, ids: BigInt64Array.of(0n, 9n) })).rejects.toThrow(
        /^Gather in words \(f32\[2, 3\]\): .*out of data bounds/,
      );
      await program.close();
    });

    it('of compiling say what is wrong', async () => {
      await expect(build({ y: exp(x) }, { provider: 'quantum' })).rejects.toThrow(
        /invalid provider: .*CPU.*got quantum/,
      );
      await expect(build({ y: exp(x) }, { provider: 'cuda' })).rejects.toThrow(/cannot be used here|invalid provider/);
      await expect(build({})).rejects.toThrow('compile: expected at least one output');
      await expect(build({ y: add(x, input('x', [2, 3])) })).rejects.toThrow('expected one input named x, got two');
    });

    it('of gradients name the value or the operator', () => {
      const ids = input('ids', [2], 'i64');
      expect(() => gradients(x, [ids])).toThrow('gradients: expected f32 or f64 values, got i64[2]');
      expect(() => gradients(x, [x], input('s', [3]))).toThrow('expected a seed of type f32[2, 3], got f32[3]');
      const { values } = labelled('beam', () => topK(x, 2));
      expect(() => gradients(values, [x])).toThrow('gradients: TopK in beam is not differentiable');
    });
  });
});

describe('gradients', () => {
  it('of what does not depend on x are zeros, and dependsOn says so', async () => {
    const hot = oneHot(argMax(x), 3);
    expect(dependsOn(hot, x)).toBe(false);
    expect(dependsOn(exp(x), x)).toBe(true);
    const program = await compile({ slope: gradients(reduceSum(hot), [x])[0] as Value });
    expect((await program.run({})).slope).toEqual(new Float32Array(6));
    await program.close();
  });

  it.each([
    [10, 64],
    [500, 16],
  ])('of a lookup add up rows taken several times (table of %i rows of %i)', async (rows, width) => {
    // The first is a product with a one-hot matrix, the second adds by index.
    const count = 700;
    const ids = Array.from({ length: count }, (_, i) => (i * i) % rows);
    const seed = Float32Array.from({ length: count * width }, (_, i) => (i % 17) - 8);
    const table = input('table', [rows, width]);
    const found = gather(table, input('ids', [count], 'i64'));
    const program = await compile({ slope: gradients(found, [table], input('seed', [count, width]))[0] as Value });
    const expected = new Float32Array(rows * width);
    for (const [i, id] of ids.entries()) {
      for (let j = 0; j < width; j++)
        expected[id * width + j] = (expected[id * width + j] as number) + (seed[i * width + j] as number);
    }
    const { slope } = await program.run({ ids: BigInt64Array.from(ids, BigInt), seed });
    expect(slope).toEqual(expected);
    await program.close();
  });

  it('are built only for what was asked', () => {
    const frozen = input('frozen', [3, 3]);
    const [slope] = gradients(reduceSum(matMul(x, frozen)), [x]) as [Value];
    const [both] = gradients(reduceSum(matMul(exp(x), frozen)), [frozen]) as [Value];
    // d/dx needs the weight but not x; d/dweight needs exp(x) and no gradient of it.
    expect(dependsOn(slope, frozen)).toBe(true);
    expect(dependsOn(slope, x)).toBe(false);
    expect(dependsOn(both, frozen)).toBe(false);
  });

  it('reach a node with several outputs once, after everything made from any of them', async () => {
    const [a, b] = split(exp(x), [1, 1], 0) as [Value, Value];
    // The second output is reached through exp, later than the first.
    const program = await compile({ slope: gradients(reduceSum(mul(exp(b), a)), [x])[0] as Value });
    const { slope } = await program.run({ x: new Float32Array(6) });
    for (const number of slope) expect(Number(number)).toBeCloseTo(Math.E, 5);
    await program.close();
  });
});
