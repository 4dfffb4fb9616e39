// Logistic regression on one number, by Newton's method. The slope is penalised by half its square, as in scikit-learn's default, so that
// groups that a threshold separates completely have a fit too.

/** P(y = 1) = 1/(1 + e^−(constant + slope·x)). */
export interface Logistic {
  readonly constant: number;
  readonly slope: number;
}

/** Newton steps; a fit of one number takes about ten. */
const mostSteps = 100;

/** Fits these numbers of the class 1, and those of the class 0. */
export function fitLogistic(ones: ArrayLike<number>, zeros: ArrayLike<number>): Logistic {
  let [constant, slope] = [0, 0];
  for (let step = 0; step < mostSteps; step++) {
    // Gradient and curvature of the penalised negative log-likelihood.
    let [g0, g1, h00, h01, h11] = [0, slope, 0, 0, 1];
    const add = (numbers: ArrayLike<number>, y: number) => {
      for (let i = 0; i < numbers.length; i++) {
        const x = numbers[i] as number;
        const p = 1 / (1 + Math.exp(-(constant + slope * x)));
        const weight = p * (1 - p);
        g0 += p - y;
        g1 += (p - y) * x;
        h00 += weight;
        h01 += weight * x;
        h11 += weight * x * x;
      }
    };
    add(ones, 1);
    add(zeros, 0);
    const determinant = h00 * h11 - h01 * h01;
    const [d0, d1] = [(h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant];
    constant -= d0;
    slope -= d1;
    if (Math.abs(d0) + Math.abs(d1) < 1e-12 * (1 + Math.abs(constant) + Math.abs(slope))) break;
  }
  return { constant, slope };
}
