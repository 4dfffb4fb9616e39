// Statistics for the tests of samplers. Seeds are fixed, so a test either passes always or never; the critical values
// are for a false-alarm rate of 1e-4, which is the chance that a correct sampler fails after its numbers change.

const CRITICAL_NORMAL_ONE_SIDED = 3.719; // the 1 - 1e-4 quantile
export const CRITICAL_NORMAL = 3.891; // the same, two-sided

/** The upper critical value of chi-square (Wilson and Hilferty 1931). */
function criticalChiSquare(degrees: number): number {
  const share = 2 / (9 * degrees);
  return degrees * (1 - share + CRITICAL_NORMAL_ONE_SIDED * Math.sqrt(share)) ** 3;
}

/** Pearson's statistic of counts against probabilities; divide by the critical value: below 1 is a pass. */
export function chiSquareRatio(counts: ArrayLike<number>, probabilities: readonly number[]): number {
  const total = Array.from(counts).reduce((sum, count) => sum + count, 0);
  const statistic = probabilities.reduce(
    (sum, probability, bin) => sum + ((counts[bin] as number) - total * probability) ** 2 / (total * probability),
    0,
  );
  return statistic / criticalChiSquare(probabilities.length - 1);
}

/** Kolmogorov's distance against its critical value √(ln(2/α)/2n): below 1 is a pass. */
export function kolmogorovRatio(sample: ArrayLike<number>, distribution: (value: number) => number): number {
  const sorted = Float64Array.from(sample).sort();
  const distance = sorted.reduce((worst, value, index) => {
    const expected = distribution(value);
    return Math.max(worst, expected - index / sorted.length, (index + 1) / sorted.length - expected);
  }, 0);
  return distance / Math.sqrt(Math.log(2 / 1e-4) / (2 * sorted.length));
}

/** The normal distribution function by its series (Marsaglia, J. Stat. Softw. 11(4), 2004); good to 1e-14 here. */
export function normalDistribution(value: number): number {
  if (value < -6) return 0;
  if (value > 6) return 1;
  let term = value;
  let sum = value;
  for (let odd = 3; Math.abs(term) > 1e-17; odd += 2) {
    term *= (value * value) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp(-0.5 * value * value)) / Math.sqrt(2 * Math.PI);
}

export function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const mean = (list: ArrayLike<number>) => Array.from(list).reduce((sum, value) => sum + value, 0) / list.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let index = 0; index < a.length; index += 1) {
    const [da, db] = [(a[index] as number) - meanA, (b[index] as number) - meanB];
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return ab / Math.sqrt(aa * bb);
}
