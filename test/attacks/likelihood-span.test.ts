// What the first block's gradient says in nats, against normal densities with the covariance written out.

import { describe, expect, it } from 'vitest';
import { readSpan, spanEvidence } from '../../src/attacks/likelihood/span-evidence.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { product } from './planted-tables.js';

const [hidden, vocabulary, rows] = [9, 6, 14];
const draw = (name: string, count: number) => fillNormal(seededSource('span').stream(name), new Float64Array(count));

function unit(token: number, place: number, into: Float64Array, start: number): void {
  const vector = draw(`input ${token} ${place}`, hidden);
  const length = Math.sqrt(product(vector, vector));
  into.set(
    vector.map((x) => x / length),
    start,
  );
}
const inputOf = (token: number, place: number) => {
  const into = new Float64Array(hidden);
  unit(token, place, into, 0);
  return into;
};

/** Rows of D X + noise. */
function gradientOf(tokens: readonly number[], strength: number): Float64Array[] {
  const slopes = tokens.map((_, place) => draw(`slopes ${place}`, rows).map((x) => x * Math.sqrt(strength)));
  return Array.from({ length: rows }, (_, row) => {
    const numbers = draw(`noise ${row}`, hidden);
    for (const [place, token] of tokens.entries()) {
      const input = inputOf(token, place);
      for (let i = 0; i < hidden; i++)
        numbers[i] = (numbers[i] as number) + (slopes[place]?.[row] as number) * (input[i] as number);
    }
    return numbers;
  });
}
const gramOf = (gradient: readonly Float64Array[]) =>
  Float64Array.from({ length: hidden * hidden }, (_, k) =>
    gradient.reduce((sum, row) => sum + (row[Math.floor(k / hidden)] as number) * (row[k % hidden] as number), 0),
  );

/** log det and inverse of a symmetric matrix, by elimination. */
function invert(matrix: number[][]): { logDeterminant: number; inverse: number[][] } {
  const size = matrix.length;
  const work = matrix.map((row, i) => [...row, ...Array.from({ length: size }, (_, j) => Number(i === j))]);
  let logDeterminant = 0;
  for (let k = 0; k < size; k++) {
    const pivotRow = work[k] as number[];
    const pivot = pivotRow[k] as number;
    logDeterminant += Math.log(pivot);
    for (let j = 0; j < 2 * size; j++) pivotRow[j] = (pivotRow[j] as number) / pivot;
    for (const [i, row] of work.entries()) {
      if (i === k) continue;
      const factor = row[k] as number;
      for (let j = 0; j < 2 * size; j++) row[j] = (row[j] as number) - factor * (pivotRow[j] as number);
    }
  }
  return { logDeterminant, inverse: work.map((row) => row.slice(size)) };
}

/** Σ over rows of log N(row; 0, I + Σ δ x xᵀ) − log N(row; 0, I). */
function naive(gradient: readonly Float64Array[], tokens: readonly number[], strengths: ArrayLike<number>): number {
  const covariance = Array.from({ length: hidden }, (_, i) =>
    Array.from({ length: hidden }, (_, j) => Number(i === j)),
  );
  for (const [place, token] of tokens.entries()) {
    const input = inputOf(token, place);
    for (const [i, row] of covariance.entries())
      for (let j = 0; j < hidden; j++)
        row[j] = (row[j] as number) + (strengths[place] as number) * (input[i] as number) * (input[j] as number);
  }
  const { logDeterminant, inverse } = invert(covariance);
  return gradient.reduce((sum, row) => {
    const turned = inverse.map((line) => product(line, row));
    return sum + (product(row, row) - product(row, turned) - logDeterminant) / 2;
  }, 0);
}

describe('the first block', () => {
  const truth = [2, 5, 0, 3];
  const gradient = gradientOf(truth, 20);
  const span = spanEvidence({ unit, vocabulary, hidden }, { gram: gramOf(gradient), count: rows, deviation: 1 });

  it('gives the ratio of normal densities for tokens and strengths', () => {
    for (const [tokens, strengths] of [
      [truth, [3, 1, 0.2, 40]],
      [
        [1, 1, 1, 1],
        [1, 2, 3, 4],
      ],
      [truth, [0, 5, 0, 0]],
    ] as const) {
      const reading = { tokens, strengths: Float64Array.from(strengths) };
      expect(span.nats(reading)).toBeCloseTo(naive(gradient, tokens, strengths), 8);
    }
  });

  it('gains exactly what a token at its best strength adds, and no other strength adds more', () => {
    const others = Float64Array.of(3, 0, 0.2, 40);
    const { nats, strengths } = span.gains({ tokens: truth, strengths: others }, 1, [0, 1, 2, 3, 4, 5]);
    const without = naive(gradient, truth, others);
    for (const token of Array.from({ length: vocabulary }, (_, k) => k)) {
      const at = (strength: number) =>
        naive(
          gradient,
          truth.map((own, place) => (place === 1 ? token : own)),
          others.map((own, place) => (place === 1 ? strength : own)),
        ) - without;
      const best = strengths[token] as number;
      expect(nats[token]).toBeCloseTo(at(best), 7);
      for (const other of [0, best * 0.8, best * 1.25, best + 0.5])
        expect(at(other)).toBeLessThanOrEqual(at(best) + 1e-9);
    }
  });

  it('prefers the true token at every place, and reads strengths that raise the nats', () => {
    const reading = readSpan(span, truth);
    for (const place of truth.keys()) {
      const { nats } = span.gains(reading, place, [0, 1, 2, 3, 4, 5]);
      expect(nats.indexOf(Math.max(...nats))).toBe(truth[place]);
    }
    expect(span.nats(reading)).toBeGreaterThan(span.nats(readSpan(span, [1, 1, 1, 1])));
    expect(span.nats(reading)).toBeGreaterThan(0);
  });

  it('leaves empty places out, and gives nothing to a token that the others explain', () => {
    const reading = readSpan(span, [2, -1, 0, -1]);
    expect([reading.strengths[1], reading.strengths[3]]).toEqual([0, 0]);
    const same = spanEvidence(
      { unit: (token, _, into, start) => unit(token, 0, into, start), vocabulary, hidden },
      { gram: gramOf(gradient), count: rows, deviation: 1 },
    );
    const { nats } = same.gains({ tokens: [2, 2], strengths: Float64Array.of(1e12, 0) }, 1, [2, 4]);
    expect(nats[0]).toBe(0);
  });

  it('scales a gradient without noise by its rounding', () => {
    const exact = { unit, vocabulary, hidden };
    const gram = gramOf(gradientOf(truth, 1e20)).map((x) => x / 1e22);
    const sharp = spanEvidence(exact, { gram, count: rows, deviation: 0 });
    expect(sharp.nats(readSpan(sharp, truth))).toBeGreaterThan(1e9);
  });
});
