// Directional noise against exact moments (mpmath, test/golden/vmf-moments.json) and against summing draws directly.
// Statistical tests have fixed seeds; a correct implementation exceeds each threshold with probability below 1e-6.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawCosine, drawDirection, drawDirectionSum, meanCosine } from '../../src/mechanisms/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

const { moments } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'vmf-moments.json'), 'utf8')) as {
  moments: { dim: number; kappa: number; mean_w: number; var_w: number }[];
};

describe('one draw', () => {
  it.each(moments)('has the mean and variance of W at K = $dim, κ = $kappa', ({ dim, kappa, mean_w, var_w }) => {
    const source = seededSource('W').stream(`${dim} ${kappa}`);
    const count = 20_000;
    let [sum, squares, fourth] = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      const { cosine, sine } = drawCosine(source, { dimension: dim, concentration: kappa });
      expect(Math.abs(cosine * cosine + sine * sine - 1)).toBeLessThan(1e-9);
      const z = (cosine - mean_w) / Math.sqrt(var_w);
      sum += z;
      squares += z * z;
      fourth += z ** 4;
    }
    expect(Math.abs(sum / count)).toBeLessThan(5.2 / Math.sqrt(count));
    const spread = Math.sqrt((fourth / count - (squares / count) ** 2) / count);
    expect(Math.abs(squares / count - 1)).toBeLessThan(6 * spread);
  });

  it.each(moments)('has the exact mean cosine at K = $dim, κ = $kappa', ({ dim, kappa, mean_w }) => {
    expect(Math.abs(meanCosine({ dimension: dim, concentration: kappa }) / mean_w - 1)).toBeLessThan(1e-9);
  });

  it('is a unit vector, near the direction it was drawn around', () => {
    const source = seededSource('draw').stream('one');
    const direction = unit(50, source);
    for (const concentration of [0, 1, 100, 1e6]) {
      const y = drawDirection(source, direction, concentration);
      expect(Math.abs(Math.sqrt(product(y, y)) - 1)).toBeLessThan(1e-6);
    }
    expect(product(drawDirection(source, direction, 1e6), direction)).toBeGreaterThan(0.999);
  });

  it('refuses invalid directions, dimensions and concentrations', () => {
    const source = seededSource(1);
    expect(() => drawDirection(source, Float64Array.of(1, 1), 1)).toThrow(
      'invalid length of the direction: expected 1',
    );
    expect(() => drawDirection(source, Float64Array.of(1), 1)).toThrow('invalid dimension: expected at least 2');
    expect(() => drawDirection(source, Float64Array.of(1, 0), -1)).toThrow('invalid concentration');
    expect(() => drawDirection(source, Float64Array.of(1, 0), Number.NaN)).toThrow('invalid concentration');
  });
});

type Vector = Float64Array | Float32Array;
const product = (a: Vector, b: Vector) =>
  Float64Array.from(a).reduce((sum, number, i) => sum + number * (b[i] as number), 0);
function unit(size: number, source: Parameters<typeof fillNormal>[0]): Float64Array {
  const vector = fillNormal(source, new Float64Array(size));
  const length = Math.sqrt(product(vector, vector));
  return vector.map((number) => number / length);
}

/** The largest distance between two empirical distributions; values that differ only by rounding count as equal. */
function distance(one: number[], other: number[]): number {
  const sorted = (numbers: number[]) => Float64Array.from(numbers, (number) => Math.round(number * 1e5)).sort();
  const [a, b] = [sorted(one), sorted(other)];
  let [i, j, largest] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const here = Math.min(a[i] as number, b[j] as number);
    while (a[i] === here) i++;
    while (b[j] === here) j++;
    largest = Math.max(largest, Math.abs(i / a.length - j / b.length));
  }
  return largest;
}

const cases = (size: number) => {
  const source = seededSource('sum').stream(`directions ${size}`);
  const [a, b, c] = [unit(size, source), unit(size, source), unit(size, source)];
  const near = a.map((number, i) => number + 1e-3 * (b[i] as number));
  const length = Math.sqrt(product(near, near));
  const opposite = a.map((number) => -number);
  const none = new Float64Array(size);
  return {
    'three directions': [a, b, c],
    'a repeated and an opposite one': [a, a, opposite, b],
    'two nearly the same': [a, near.map((number) => number / length), c],
    'one without direction': [a, none, b],
    'none with a direction': [none, none],
    'one alone': [a],
  };
};

describe.each([2, 5, 40])('the sum of draws in %i dimensions', (size) => {
  for (const [name, directions] of Object.entries(cases(size))) {
    for (const concentration of [0.5, 60]) {
      it(`has the law of direct draws: ${name}, κ = ${concentration}`, async () => {
        const count = directions.length;
        const gram = Float64Array.from({ length: count * count }, (_, k) =>
          product(directions[Math.floor(k / count)] as Vector, directions[k % count] as Vector),
        );
        const probe = unit(size, seededSource('probe').stream(size));
        const rounds = 3000;
        const kinds = ['norm', 'probe', 'first', 'mixed'] as const;
        const found = { direct: {} as Record<string, number[]>, summed: {} as Record<string, number[]> };
        const note = (way: 'direct' | 'summed', sum: Float64Array) => {
          const first = product(sum, directions[0] as Vector);
          const numbers = [product(sum, sum), product(sum, probe), first, first * product(sum, probe)];
          for (const [k, kind] of kinds.entries()) {
            found[way][kind] ??= [];
            found[way][kind].push(numbers[k] as number);
          }
        };
        const source = seededSource('law').stream(`${size} ${name} ${concentration}`);
        const direct: Float64Array[] = [];
        const summed: Float64Array[] = [];
        for (let round = 0; round < rounds; round++) {
          const total = new Float64Array(size);
          for (const direction of directions) {
            const has = direction.some((number) => number !== 0);
            const y = drawDirection(source, has ? direction : unit(size, source), has ? concentration : 0);
            for (let i = 0; i < size; i++) total[i] = (total[i] as number) + (y[i] as number);
          }
          direct.push(total);
          const { coefficients, noise, noiseScale } = await drawDirectionSum(source, {
            dimension: size,
            concentration,
            gram,
            products: (n) => directions.map((direction) => product(direction, Float64Array.from(n))),
          });
          summed.push(
            Float64Array.from(noise, (number, i) =>
              directions.reduce(
                (sum, direction, k) => sum + (coefficients[k] as number) * (direction[i] as number),
                noiseScale * number,
              ),
            ),
          );
        }
        for (const total of direct) note('direct', total);
        for (const total of summed) note('summed', total);
        for (const kind of kinds) {
          const gap = distance(found.direct[kind] as number[], found.summed[kind] as number[]);
          // Kolmogorov: P(gap > x√(2/n)) ≈ 2 exp(−2x²), 1e-7 at 2.9.
          expect(gap, kind).toBeLessThan(2.9 * Math.sqrt(2 / rounds));
        }
      });
    }
  }
});

describe('the sum of draws', () => {
  it('of one direction is a unit vector', async () => {
    const source = seededSource('one');
    const direction = Float32Array.from(unit(1000, source));
    const { coefficients, noise, noiseScale } = await drawDirectionSum(source, {
      dimension: 1000,
      concentration: 500,
      gram: Float64Array.of(1),
      products: (n) => [product(n, direction)],
    });
    const y = noise.map((number, i) => noiseScale * number + (coefficients[0] as number) * (direction[i] as number));
    expect(Math.abs(Math.sqrt(product(y, y)) - 1)).toBeLessThan(1e-5);
  });

  it('refuses a Gram matrix that does not belong to unit vectors', async () => {
    const draw = (gram: Float64Array, dimension = 3) =>
      drawDirectionSum(seededSource(1), { dimension, concentration: 1, gram, products: () => [0, 0] });
    await expect(draw(Float64Array.of(1, 0))).rejects.toThrow('elements of gram');
    await expect(draw(Float64Array.of(2))).rejects.toThrow('expected 1 or 0 on the diagonal, got 2 at 0');
    await expect(draw(Float64Array.of(1, 2, 2, 1))).rejects.toThrow('positive semidefinite');
    await expect(draw(Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), 2)).rejects.toThrow('rank at most 2, got 3');
  });
});
