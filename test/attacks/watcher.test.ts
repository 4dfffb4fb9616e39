// What releases say about who took part: against a naive computation of the same posterior, and on releases whose best possible test is known.

import { describe, expect, it } from 'vitest';
import { type WatchedStep, watchReleases } from '../../src/attacks/membership/watcher.js';
import { normalCdf } from '../../src/math/index.js';
import { areaUnderRoc } from '../../src/metrics/index.js';
import { fillNormal, type RandomSource, seededSource } from '../../src/random/index.js';

const normals = (random: RandomSource, count: number) => fillNormal(random, new Float64Array(count));
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, x, i) => sum + x * (b[i] as number), 0);

/** A step in which the candidates with a share of 1 took part, with noise of deviation 1. */
function stepOf(gradients: readonly Float64Array[], took: readonly number[], random: RandomSource, sampleRate: number) {
  const release = normals(random, (gradients[0] as Float64Array).length);
  for (const [i, gradient] of gradients.entries())
    for (let k = 0; k < release.length; k++)
      release[k] = (release[k] as number) + (took[i] as number) * (gradient[k] as number);
  const step: WatchedStep = {
    sampleRate,
    squares: Float64Array.from(gradients, (one) => dot(one, one)),
    products: Float64Array.from(gradients, (one) => dot(one, release)),
    gram: Float64Array.from(gradients.flatMap((a) => gradients.map((b) => dot(a, b)))),
  };
  return { step, release };
}

describe('evidence of releases', () => {
  it('is the log-likelihood ratio of one candidate, the shares of all others being normal: by dense covariances', () => {
    const random = seededSource('dense');
    const q = 0.3;
    const gradients = Array.from({ length: 5 }, () => normals(random, 4));
    const { step, release } = stepOf(gradients, [1, 0, 0, 1, 0], random, q);
    const watcher = watchReleases(5);
    watcher.see(step);
    const share = q / 2;
    for (let i = 0; i < 5; i++) {
      // release | b_i ~ N(b_i g_i + share Σ g_j, I + share (1 − share) Σ g_j g_jᵀ), j ≠ i.
      const others = gradients.filter((_, j) => j !== i);
      const covariance = Array.from({ length: 4 }, (_, k) =>
        Array.from(
          { length: 4 },
          (_, m) =>
            Number(k === m) +
            share * (1 - share) * others.reduce((sum, g) => sum + (g[k] as number) * (g[m] as number), 0),
        ),
      );
      const height = (b: number) => {
        const off = Array.from(
          release,
          (x, k) =>
            x -
            b * ((gradients[i] as Float64Array)[k] as number) -
            share * others.reduce((sum, g) => sum + (g[k] as number), 0),
        );
        return -dot(off, solve(covariance, off)) / 2;
      };
      const nats = Math.log(1 - q + q * Math.exp(height(1) - height(0)));
      expect(watcher.nats()[i]).toBeCloseTo(nats, 8);
    }
  });

  it.each([true, false])(
    'reaches the best possible test where it is known: full batches (products of pairs: %s)',
    (pairs) => {
      // 3,000 candidates with orthogonal gradients of length μ/√T: after T steps the best test has the area Φ(μ/√2).
      const [mu, steps, count] = [1.5, 9, 300];
      const random = seededSource('optimal');
      const [inside, outside]: [number[], number[]] = [[], []];
      for (let run = 0; run < 10; run++) {
        const watcher = watchReleases(count);
        const took = Array.from({ length: count }, (_, i) => i % 2);
        const square = mu ** 2 / steps;
        for (let t = 0; t < steps; t++) {
          const noise = normals(random, count);
          const gram = new Float64Array(count * count);
          for (let i = 0; i < count; i++) gram[i * count + i] = square;
          watcher.see({
            sampleRate: 1 - 1e-9,
            squares: new Float64Array(count).fill(square),
            products: noise.map((x, i) => Math.sqrt(square) * x + (took[i] as number) * square),
            ...(pairs && { gram }),
          });
        }
        for (const [i, nats] of watcher.nats().entries()) (took[i] === 1 ? inside : outside).push(nats);
      }
      // 1,500 against 1,500: the deviation of the area is below .01, and four of them are exceeded once in 16,000 times.
      expect(Math.abs(areaUnderRoc(inside, outside) - normalCdf(mu / Math.SQRT2))).toBeLessThan(0.04);
    },
  );

  it('finds everybody in a batch without noise, and those who share a direction only with the products of pairs', () => {
    const random = seededSource('exact');
    const common = normals(random, 60);
    // Nearly parallel gradients: what one explains, the others nearly explain too.
    const gradients = Array.from({ length: 20 }, () =>
      normals(random, 60).map((x, k) => 300 * (x * 0.3 + (common[k] as number))),
    );
    const watcher = watchReleases(20);
    const alone = watchReleases(20);
    for (let t = 0; t < 6; t++) {
      const took = Array.from({ length: 20 }, (_, i) => Number(i < 10 && (i + t) % 3 === 0));
      const { step } = stepOf(gradients, took, random, 1 / 3);
      watcher.see(step);
      const { gram: _, ...rest } = step;
      alone.see(rest);
    }
    const area = (nats: Float64Array) => areaUnderRoc(nats.slice(0, 10), nats.slice(10));
    expect(area(watcher.nats())).toBe(1);
    expect(area(alone.nats())).toBeLessThan(0.95);
  });

  it('reads shuffled batches as a round in which each member is once: by Bayes, over all ways to be in it', () => {
    // Orthogonal gradients, so that nobody explains what another does; three batches of a round, of different sizes.
    const random = seededSource('round');
    const [rates, square, count] = [[0.4, 0.4, 0.2], 4, 6];
    const watcher = watchReleases(count);
    const ratios = new Float64Array(count);
    for (const [k, sampleRate] of rates.entries()) {
      const along = normals(random, count).map((x, i) => x + (i === k ? 2 : 0));
      const gram = new Float64Array(count * count);
      for (let i = 0; i < count; i++) gram[i * count + i] = square;
      const products = along.map((x) => Math.sqrt(square) * x);
      watcher.see({ sampleRate, round: 7, squares: new Float64Array(count).fill(square), products, gram });
      for (let i = 0; i < count; i++)
        ratios[i] = (ratios[i] as number) + sampleRate * Math.exp((products[i] as number) - square / 2);
    }
    for (const [i, nats] of watcher.nats().entries()) expect(nats).toBeCloseTo(Math.log(ratios[i] as number), 8);
  });

  it('takes copies of a text, next to no noise, and batches of everybody', () => {
    const random = seededSource('copies');
    for (const scale of [1, 1e4, 1e8, 1e9]) {
      const distinct = Array.from({ length: 8 }, () => normals(random, 20).map((x) => scale * x));
      // The first three occur twice; the copies are no members.
      const gradients = [...distinct, ...distinct.slice(0, 3)];
      const watcher = watchReleases(11);
      for (let t = 0; t < 12; t++) {
        const took = gradients.map((_, i) => Number(i < 4 && (i + t) % 2 === 0));
        watcher.see(stepOf(gradients, took, random, t === 11 ? 1 : 0.5).step);
      }
      const nats = watcher.nats();
      expect(nats.every(Number.isFinite)).toBe(true);
      // Members are found, and of the others only copies look like them.
      expect(nats[3]).toBeGreaterThan(Math.max(...nats.subarray(4, 8)));
    }
  });

  it('says nothing about candidates without a gradient', () => {
    const watcher = watchReleases(2);
    watcher.see({
      sampleRate: 0.5,
      squares: Float64Array.of(0, 4),
      products: Float64Array.of(0, 3),
      gram: Float64Array.of(0, 0, 0, 4),
    });
    expect(watcher.nats()[0]).toBeCloseTo(0, 12);
    expect(watcher.nats()[1]).toBeGreaterThan(0);
  });
});

/** A x = b by Gaussian elimination. */
function solve(a: readonly (readonly number[])[], b: readonly number[]): number[] {
  const rows = a.map((row, i) => [...row, b[i] as number]);
  for (let i = 0; i < rows.length; i++) {
    const pivot = rows[i] as number[];
    for (let r = 0; r < rows.length; r++) {
      if (r === i) continue;
      const row = rows[r] as number[];
      const factor = (row[i] as number) / (pivot[i] as number);
      for (let k = i; k < row.length; k++) row[k] = (row[k] as number) - factor * (pivot[k] as number);
    }
  }
  return rows.map((row, i) => (row.at(-1) as number) / (row[i] as number));
}
