// The parts of the recovery, each against what is known.

import { describe, expect, it } from 'vitest';
import { clusterPoints } from '../../src/attacks/decepticons/clusters.js';
import { findJumps } from '../../src/attacks/decepticons/jumps.js';
import { drawMeasurement, makeThresholds } from '../../src/attacks/decepticons/measurement.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

describe('clusters of limited size', () => {
  it('are found where points lie apart, and none outgrows its limit', () => {
    const around = (x: number, count: number) =>
      Array.from({ length: count }, (_, i) => Float64Array.of(x + 0.01 * i, -x));
    const points = [...around(0, 4), ...around(5, 4), ...around(9, 4)];
    const found = clusterPoints(points, 3, 4);
    expect(new Set(found.slice(0, 4)).size).toBe(1);
    expect(new Set(found.slice(4, 8)).size).toBe(1);
    expect(new Set(found).size).toBe(3);
    const crowded = clusterPoints([...around(0, 7), ...around(5, 1)], 2, 4);
    expect(crowded.filter((cluster) => cluster === crowded[0]).length).toBe(4);
  });
});

describe('jumps', () => {
  const [units, width] = [60, 40];
  const steps = [7, 22, 23, 51];
  const direction = (seed: string) => fillNormal(seededSource(seed), new Float64Array(width));
  const clean = new Float64Array(units * width);
  for (const step of steps) {
    const vector = direction(`step ${step}`);
    for (let unit = 0; unit < step; unit++)
      for (let i = 0; i < width; i++)
        clean[unit * width + i] = (clean[unit * width + i] as number) + (vector[i] as number);
  }
  const cosine = (a: Float64Array, b: Float64Array) =>
    a.reduce((sum, x, i) => sum + x * (b[i] as number), 0) / (Math.hypot(...a) * Math.hypot(...b));

  it('are exact without noise', () => {
    const found = findJumps([{ rows: clean, width }], steps.length);
    expect(found.length).toBe(steps.length);
    for (const step of steps) {
      expect(Math.max(...found.map((one) => cosine(one, direction(`step ${step}`))))).toBeCloseTo(1, 10);
    }
  });

  it('are clearer under noise than the difference of two neighbours', () => {
    const noise = fillNormal(seededSource('noise'), new Float64Array(clean.length), { standardDeviation: 1 });
    const rows = clean.map((x, i) => x + (noise[i] as number));
    const found = findJumps([{ rows, width }], steps.length);
    const neighbours = rows.subarray(6 * width, 7 * width).map((x, i) => x - (rows[7 * width + i] as number));
    const truth = direction('step 7');
    expect(Math.max(...found.map((one) => cosine(one, truth)))).toBeGreaterThan(cosine(neighbours, truth) + 0.1);
  });
});

describe('the measurement', () => {
  it('has length 1 and mean 0, and leaves the key and the last coordinate out', () => {
    const m = drawMeasurement(seededSource(1), 50, 8);
    expect(Math.hypot(...m)).toBeCloseTo(1, 12);
    expect(m.reduce((sum, x) => sum + x, 0)).toBeCloseTo(0, 12);
    expect([...m.slice(0, 8), m[49]]).toEqual(Array(9).fill(0));
  });

  it('has thresholds that divide normal values evenly', () => {
    const values = [...fillNormal(seededSource(2), new Float64Array(20000), { mean: 3, standardDeviation: 0.5 })];
    const thresholds = makeThresholds(values, 10);
    const above = [...thresholds].map((threshold) => values.filter((x) => x > threshold).length / values.length);
    // Five standard deviations of a share of 20,000.
    for (const [i, share] of above.entries()) expect(Math.abs(share - (1 - (i + 0.5) / 10))).toBeLessThan(0.018);
  });
});
