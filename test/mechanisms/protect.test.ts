// Shared gradients: bounds, noise and directions, jointly or per tensor.

import { describe, expect, it } from 'vitest';

import { meanCosine, normOf, type Protection, protect, protectorNames } from '../../src/mechanisms/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

const draw = (name: string, count: number, scale: number) =>
  fillNormal(seededSource('gradients').stream(name), new Float32Array(count), { standardDeviation: scale });
const examples = [0, 1].map((i) => ({ a: draw(`a ${i}`, 3000, 1), b: draw(`b ${i}`, 1000, 0.01) }));
const [first] = examples as [(typeof examples)[0]];
const share = (protection: Protection, of = [first], seed = 1) => protect(of, protection, seededSource(seed));
const cosine = (x: Float32Array, y: Float32Array) =>
  x.reduce((sum, value, i) => sum + value * (y[i] as number), 0) / normOf(x) / normOf(y);
const gaussian = { mechanism: 'gaussian', clipping: 'clip', clipNorm: 1, noiseMultiplier: 1e-9 } as const;

describe('protect', () => {
  it('shares the sum as it is without a mechanism', () => {
    const { gradients, noise } = share({ mechanism: 'none' }, examples);
    expect([...(gradients.a as Float32Array)]).toEqual(
      [...first.a].map((x, i) => Math.fround(x + (examples[1]?.a[i] as number))),
    );
    expect(noise).toEqual({ a: 0, b: 0 });
  });

  it.each(['clip', 'normalise'] as const)('adds nothing of a gradient that is not finite: %s', (clipping) => {
    const broken = { a: first.a.with(7, Number.POSITIVE_INFINITY), b: first.b };
    const protection = { ...gaussian, clipping, scope: 'joint' } as const;
    const alone = share(protection, [first]).gradients;
    for (const of of [
      [broken, first],
      [first, broken],
    ]) {
      const { gradients } = share(protection, of);
      expect(cosine(gradients.a as Float32Array, alone.a as Float32Array)).toBeCloseTo(1, 6);
      expect([...(gradients.a as Float32Array)].every(Number.isFinite)).toBe(true);
    }
  });

  it('clips all tensors as one vector, or each by itself', () => {
    const joint = share({ ...gaussian, scope: 'joint' }).gradients as { a: Float32Array; b: Float32Array };
    expect(Math.hypot(normOf(joint.a), normOf(joint.b))).toBeCloseTo(1, 5);
    expect(normOf(joint.b)).toBeLessThan(0.02); // the small tensor nearly vanishes beside the large one
    const alone = share({ ...gaussian, scope: 'tensor' }).gradients as { a: Float32Array; b: Float32Array };
    expect(normOf(alone.a)).toBeCloseTo(1, 5);
    expect(normOf(alone.b)).toBeCloseTo(normOf(first.b), 5); // shorter than 1 already
    const scaled = share({ ...gaussian, scope: 'tensor', clipping: 'normalise' }).gradients;
    expect(normOf(scaled.b as Float32Array)).toBeCloseTo(1, 5);
  });

  it('adds noise of the stated deviation, relative to the bound or absolute', () => {
    // 4,000 numbers: the standard deviation is within 8 % with a false-alarm rate below 1e-9.
    for (const [clipping, deviation] of [
      ['clip', 1],
      ['none', 0.5],
    ] as const) {
      const { gradients, noise } = share({ ...gaussian, scope: 'joint', clipping, clipNorm: 2, noiseMultiplier: 0.5 });
      expect(noise).toEqual({ a: deviation, b: deviation });
      const factor = clipping === 'clip' ? 2 / Math.hypot(normOf(first.a), normOf(first.b)) : 1;
      const rest = [...first.a].map((x, i) => (gradients.a?.[i] as number) - factor * x);
      expect(Math.hypot(...rest) / Math.sqrt(rest.length) / deviation).toBeGreaterThan(0.92);
      expect(Math.hypot(...rest) / Math.sqrt(rest.length) / deviation).toBeLessThan(1.08);
    }
  });

  it('draws directions whose cosine is the expected one', () => {
    const concentration = 3000;
    const { gradients } = share({ mechanism: 'directional', scope: 'tensor', concentration });
    const expected = meanCosine({ dimension: 3000, concentration });
    expect(normOf(gradients.a as Float32Array)).toBeCloseTo(1, 5);
    expect(Math.abs(cosine(gradients.a as Float32Array, first.a) - expected)).toBeLessThan(0.06);
    const zero = share({ mechanism: 'directional', scope: 'joint', concentration }, [
      { a: new Float32Array(50), b: new Float32Array(5) },
    ]);
    expect(Math.hypot(normOf(zero.gradients.a as Float32Array), normOf(zero.gradients.b as Float32Array))).toBeCloseTo(
      1,
      5,
    );
  });

  const normal = { mechanism: 'gaussian', clipNorm: 2, noiseMultiplier: 0.3 } as const;
  const direction = (dimension: number) => ({
    deviation: Math.sqrt((1 - meanCosine({ dimension, concentration: 500 }) ** 2) / dimension),
    bound: { kind: 'normalise', norm: 1 },
    concentration: 500,
  });
  it.each<[Protection, (numbers: number) => object]>([
    ...(['joint', 'tensor'] as const).flatMap((scope): [Protection, (numbers: number) => object][] => [
      [{ mechanism: 'normalised', scope }, () => ({ deviation: 0, bound: { kind: 'normalise', norm: 1 } })],
      [{ ...normal, scope, clipping: 'clip' }, () => ({ deviation: 0.6, bound: { kind: 'clip', norm: 2 } })],
      [{ ...normal, scope, clipping: 'normalise' }, () => ({ deviation: 0.6, bound: { kind: 'normalise', norm: 2 } })],
      [{ ...normal, scope, clipping: 'none' }, () => ({ deviation: 0.3 })],
      [
        { ...normal, scope, mechanism: 'gaussian-normalised' },
        () => ({ deviation: 0.6, bound: { kind: 'normalise', norm: 2 } }),
      ],
      [{ mechanism: 'directional', scope, concentration: 500 }, direction],
    ]),
    [{ mechanism: 'none' }, () => ({ deviation: 0 })],
  ])('says by which law each tensor was released: %o', (protection, law) => {
    const { laws, noise } = share(protection);
    const joint = 'scope' in protection && protection.scope === 'joint';
    const groups = joint ? [['a', 'b']] : [['a'], ['b']];
    const numbers = { a: 3000, b: 1000 };
    const expected = groups.map((names) => {
      return { names, ...law(names.reduce((sum, name) => sum + numbers[name as 'a'], 0)) };
    });
    expect(laws).toEqual(expected);
    for (const { names, deviation } of laws) for (const name of names) expect(noise[name]).toBe(deviation);
  });

  it('has a law of its own for each tensor under noise for a cosine, without a bound', () => {
    const { laws } = share({ mechanism: 'cosine', cosine: 0.6 });
    const deviationOf = (x: Float32Array) => normOf(x) * Math.sqrt((1 / 0.36 - 1) / x.length);
    expect(laws).toEqual([
      { names: ['a'], deviation: deviationOf(first.a) },
      { names: ['b'], deviation: deviationOf(first.b) },
    ]);
  });

  it('covers every protector in the laws above', () => {
    const tested = ['none', 'normalised', 'gaussian', 'gaussian-normalised', 'directional', 'cosine'];
    expect([...protectorNames].sort()).toEqual(tested.sort());
  });

  it('leaves the requested cosine in each tensor', () => {
    for (const asked of [0.9, 0.3]) {
      const { gradients } = share({ mechanism: 'cosine', cosine: asked });
      expect(Math.abs(cosine(gradients.a as Float32Array, first.a) - asked)).toBeLessThan(0.06);
      expect(Math.abs(cosine(gradients.b as Float32Array, first.b) - asked)).toBeLessThan(0.12);
    }
  });

  it.each<Protection>([
    { mechanism: 'none' },
    { mechanism: 'normalised', scope: 'joint' },
    { ...gaussian, noiseMultiplier: 1, scope: 'joint' },
    { ...gaussian, noiseMultiplier: 1, scope: 'tensor' },
    { mechanism: 'directional', concentration: 3000, scope: 'joint' },
    { mechanism: 'directional', concentration: 3000, scope: 'tensor' },
    { mechanism: 'cosine', cosine: 0.5 },
  ])('shares the same wherever the tensors and the sum lie, and leaves the examples as they are: %o', (protection) => {
    const endToEnd = examples.map(({ a, b }) => {
      const all = Float32Array.from([...a, ...b]);
      return { a: all.subarray(0, 3000), b: all.subarray(3000) };
    });
    const before = endToEnd.map(({ a, b }) => [a.slice(), b.slice()]);
    const expected = share(protection, examples);
    const into = new Float32Array(4000).fill(7);
    const found = protect(endToEnd, protection, seededSource(1), into);
    expect(found).toEqual(expected);
    expect(into).toEqual(Float32Array.from([...(expected.gradients.a ?? []), ...(expected.gradients.b ?? [])]));
    expect(endToEnd.map(({ a, b }) => [a, b])).toEqual(before);
  });

  it('refuses invalid protections', () => {
    expect(() => protect(examples, { mechanism: 'none' }, seededSource(1), new Float32Array(5))).toThrow(
      'into: expected 4000 numbers, got 5',
    );
    expect(() => share({ mechanism: 'none' }, [])).toThrow('at least one example');
    expect(() => share({ mechanism: 'cosine', cosine: 1.5 })).toThrow('invalid cosine');
    expect(() => share({ ...gaussian, scope: 'joint', clipNorm: 0 })).toThrow('invalid clipNorm');
  });
});
