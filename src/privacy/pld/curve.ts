// Reading (ε, δ) off a discrete loss distribution: δ(ε) = P(∞) + Σ over losses above ε of P(L) (1 − e^{ε − L}).
//
// There are two lower bounds, and the better one counts. The loss from below is close where single losses are smooth on the
// lattice. Where they are not, the loss from above is shifted: each chord moves a loss by ξ within an interval of length h
// with E[e^−ξ] = 1, so all moves together exceed Σh²/8 + √(Σh² · log(1/slack)/2) with probability `slack` at most (Hoeffding).

import type { Lattice } from './lattice.js';

export interface Bounds {
  readonly lower: number;
  readonly estimate: number;
  readonly upper: number;
}

/** The share of δ that is given up for a smaller shift. */
const SLACK = 1e-4;

export function deltaBounds(total: Lattice, epsilon: number): Bounds {
  if (Number.isNaN(total.error)) return { lower: 0, estimate: 0.5, upper: 1 };
  const { upper, lower, upperInfinity, lowerInfinity, error, lowerError } = total;
  const at = (masses: Float64Array, infinity: number, loss: number) => infinity + deltaAt(total, masses, loss);
  const above = Math.min(1, at(upper.map(positivePart), upperInfinity, epsilon) + error);
  const slack = SLACK * above;
  const below = Math.max(
    0,
    at(lower, lowerInfinity, epsilon) - lowerError,
    at(upper, upperInfinity, epsilon + largestShift(total, slack)) - error - slack,
  );
  return between(below, at(upper, upperInfinity, epsilon + likelyShift(total)), above);
}

export function epsilonBounds(total: Lattice, delta: number): Bounds {
  // The error is NaN where the lattice has overflowed: nothing is known then.
  if (Number.isNaN(total.error)) return { lower: 0, estimate: 0, upper: Number.POSITIVE_INFINITY };
  const { upper, lower, upperInfinity, lowerInfinity, error, lowerError } = total;
  const slack = SLACK * delta;
  const above = epsilonAt(total, upper.map(positivePart), delta - error - upperInfinity);
  const below = Math.max(
    0,
    epsilonAt(total, lower, delta + lowerError - lowerInfinity),
    epsilonAt(total, upper, delta + error + slack - upperInfinity) - largestShift(total, slack),
  );
  return between(below, epsilonAt(total, upper, delta - upperInfinity) - likelyShift(total), above);
}

const largestShift = ({ squares }: Lattice, slack: number) => squares / 8 + Math.sqrt((squares * -Math.log(slack)) / 2);

/** On average a chord moves a loss by h²/12 and adds h²/6 to its variance, which moves ε about as much again. */
const likelyShift = ({ squares }: Lattice) => squares / 6;

const between = (lower: number, estimate: number, upper: number): Bounds => ({
  lower,
  estimate: Math.min(upper, Math.max(lower, estimate)),
  upper,
});

/** The intersection of two bounds. A lower bound above the upper one, beyond rounding, is wrong: 0 then takes its place. */
export function meet(known: Bounds, found: Bounds): Bounds {
  const [lower, upper] = [Math.max(known.lower, found.lower), Math.min(known.upper, found.upper)];
  return between(lower > upper * (1 + 1e-9) ? 0 : Math.min(lower, upper), found.estimate, upper);
}

/** Rounding of the transform leaves tiny masses of either sign; an upper bound may not lose any. */
const positivePart = (mass: number) => Math.max(0, mass);

function deltaAt({ step, first }: Lattice, masses: Float64Array, epsilon: number): number {
  let sum = 0;
  for (let i = masses.length - 1; i >= 0; i--) {
    const above = (first + i) * step - epsilon;
    if (above <= 0) break;
    sum -= (masses[i] as number) * Math.expm1(-above);
  }
  return sum;
}

/** The smallest ε ≥ 0 at which the finite losses have δ(ε) ≤ target; infinite if there is none. */
function epsilonAt({ step, first }: Lattice, masses: Float64Array, target: number): number {
  if (target < 0) return Number.POSITIVE_INFINITY;
  // With losses above ε only, δ(ε) = mass − e^{ε − L} · discounted, for the lowest loss L among them.
  let [mass, discounted] = [0, 0];
  const decay = Math.exp(-step);
  for (let i = masses.length - 1; i >= 0; i--) {
    const loss = (first + i) * step;
    if (loss <= 0) break;
    const p = masses[i] as number;
    mass += p;
    discounted = discounted * decay + p;
    // δ at the next lower lattice point, or at zero.
    const below = Math.max(0, loss - step);
    if (mass - Math.exp(below - loss) * discounted > target) {
      return Math.max(below, loss + Math.log(Math.max(0, mass - target) / discounted));
    }
  }
  return 0;
}
