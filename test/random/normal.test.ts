import { describe, expect, it } from 'vitest';
import { fillNormal, normal, seededSource } from '../../src/random/index.js';
import { buildZiggurat, LAYERS, TAIL_START } from '../../src/random/ziggurat.js';
import { CRITICAL_NORMAL, chiSquareRatio, kolmogorovRatio, normalDistribution } from './statistics.js';

describe('the ziggurat', () => {
  const { edges, heights } = buildZiggurat();

  it('has layers of equal area that fall to zero width', () => {
    // 40 digits with mpmath: 0.00492867323397465534736…
    const area = 0.004928673233974655;
    for (let layer = 1; layer < LAYERS; layer += 1) {
      const [width, next] = [edges[layer] as number, edges[layer + 1] as number];
      expect(width).toBeGreaterThan(next);
      expect(width * ((heights[layer + 1] as number) - (heights[layer] as number))).toBeCloseTo(area, 13);
    }
    const tail = Math.sqrt(2 * Math.PI) * (1 - normalDistribution(TAIL_START));
    expect(TAIL_START * (heights[1] as number) + tail).toBeCloseTo(area, 13);
    expect((edges[0] as number) * (heights[1] as number)).toBeCloseTo(area, 15);
  });
});

describe('normal', () => {
  it('gives the same numbers on every platform', () => {
    const source = seededSource(7);
    // The golden values agree with a Python version of the same method, to the last bit.
    const golden = [1.8352730367816645, 0.30420987558052615, 0.16913671551659115, -1.1047000448412436];
    expect(golden.map(() => normal(source))).toEqual(golden);
    const many = seededSource(7);
    const draws = Array.from({ length: 100_000 }, () => normal(many));
    expect([draws[3649], draws[5662], draws[9999]]).toEqual([3.654396178841838, 3.768101712871455, 0.600630049437974]);
    expect(many.state().position).toBe(204_318);
  });

  it('takes the layer and the value from different bits, down to the last', () => {
    const at = (...words: number[]) => normal({ next: () => words.shift() as number });
    const { edges } = buildZiggurat();
    const layer = 100;
    const step = (edges[layer] as number) * 2 ** -53;
    expect(at(layer, 1)).toBe(step);
    expect(at(layer, 0)).toBe(0);
    expect(at((2 ** 22 - 1) * 2 ** 10 + layer, 2 ** 32 - 1)).toBe(-step);
    expect(at(layer + 2 ** 10, 0)).toBe(step * 2 ** 32);
    expect(at(layer + 1, 1)).toBe((edges[layer + 1] as number) * 2 ** -53);
  });

  it('has the moments of the normal distribution', () => {
    const count = 2_000_000;
    const draws = fillNormal(seededSource(31), new Float64Array(count));
    // The means of x, x², x³, x⁴ and the variances of these powers.
    const variances = [1, 2, 15, 96];
    for (const [index, mean] of [0, 1, 0, 3].entries()) {
      const average = draws.reduce((sum, value) => sum + value ** (index + 1), 0) / count;
      expect(Math.abs(average - mean) / Math.sqrt((variances[index] as number) / count)).toBeLessThan(CRITICAL_NORMAL);
    }
  });

  it('has the distribution function of the normal distribution', () => {
    const draws = fillNormal(seededSource(32), new Float64Array(200_000));
    expect(kolmogorovRatio(draws, normalDistribution)).toBeLessThan(1);
  });

  it('has the right counts in narrow bins, at the edges of layers and in both tails', () => {
    // Bins of 0.05 up to ±4.4, beyond which 11 in a million lie; the tail method starts at 3.65.
    const bins = 178;
    const edge = (bin: number) => -4.4 + 0.05 * (bin - 1);
    const counts = new Uint32Array(bins);
    const [source, draws] = [seededSource(33), new Float64Array(500_000)];
    for (let pass = 0; pass < 10; pass += 1) {
      for (const value of fillNormal(source, draws)) {
        const bin = Math.max(0, Math.min(bins - 1, Math.floor((value + 4.4) / 0.05) + 1));
        counts[bin] = (counts[bin] as number) + 1;
      }
    }
    const below = (bin: number) => (bin === 0 ? 0 : bin === bins ? 1 : normalDistribution(edge(bin)));
    const probabilities = Array.from({ length: bins }, (_, bin) => below(bin + 1) - below(bin));
    expect(chiSquareRatio(counts, probabilities)).toBeLessThan(1);
  });

  it('decays beyond the start of the tail as the normal distribution does', () => {
    const [source, draws] = [seededSource(34), new Float64Array(500_000)];
    const beyond: number[] = [];
    for (let pass = 0; pass < 10; pass += 1) {
      for (const value of fillNormal(source, draws)) if (Math.abs(value) > TAIL_START) beyond.push(Math.abs(value));
    }
    const outside = 1 - normalDistribution(TAIL_START);
    expect(beyond.length).toBeGreaterThan(1000);
    expect(kolmogorovRatio(beyond, (value) => 1 - (1 - normalDistribution(value)) / outside)).toBeLessThan(1);
  });
});

describe('fillNormal', () => {
  it.each([0, 1, 2, 1023, 1024, 1025, 30_000])('gives an array of %i what normal gives', (length) => {
    const [bulk, single] = [seededSource(5), seededSource(5)];
    const expected = Array.from({ length }, () => normal(single));
    expect(Array.from(fillNormal(bulk, new Float64Array(length)))).toEqual(expected);
    expect(bulk.state()).toEqual(single.state());
    const rounded = fillNormal(seededSource(5), new Float32Array(length));
    expect(Array.from(rounded)).toEqual(expected.map(Math.fround));
  });

  it('scales and shifts', () => {
    const plain = fillNormal(seededSource(6), new Float64Array(100));
    const scaled = fillNormal(seededSource(6), new Float64Array(100), { mean: -3, standardDeviation: 2 });
    expect(scaled).toEqual(plain.map((value) => -3 + 2 * value));
    const constant = fillNormal(seededSource(6), new Float32Array(3), { mean: 1.5, standardDeviation: 0 });
    expect([...constant]).toEqual([1.5, 1.5, 1.5]);
  });

  it('refuses a mean that is not finite and a negative standard deviation', () => {
    const fill = (options: object) => () => fillNormal(seededSource(1), new Float32Array(1), options);
    expect(fill({ mean: Number.NaN })).toThrow('invalid mean: expected a finite number, got NaN');
    expect(fill({ standardDeviation: -1 })).toThrow('invalid standardDeviation: expected a finite number >= 0, got -1');
    expect(fill({ standardDeviation: Number.POSITIVE_INFINITY })).toThrow('invalid standardDeviation');
  });
});
