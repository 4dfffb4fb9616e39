// The range of a sum of lattice losses, except for a small mass on either side (Chernoff): P(S ≥ s) ≤ E[e^{tS}] e^{−ts}.

import type { Lattice, Part } from './lattice.js';

/** The range outside which both sums, from above and from below, have at most `tail` on either side. */
export function window(parts: readonly Part[], tail: number): readonly [low: number, high: number] {
  const cost = -Math.log(tail);
  const variance = parts.reduce((sum, { lattice, count }) => sum + count * varianceOf(lattice), 0);
  let [least, most] = [0, 0];
  for (const { lattice, count } of parts) {
    least += lattice.first * lattice.step * count;
    most += (lattice.first + lattice.upper.length - 1) * lattice.step * count;
  }
  // The best tilt for a normal sum is √(2 cost/variance); for the heaviest tails it is the cost over the sum's length.
  const largest = Math.log(2 * Math.sqrt((2 * cost) / Math.max(variance, 1e-300)));
  const smallest = Math.min(largest, Math.log(cost / Math.max(most - least, 1e-300)));
  const reach = (sign: number) =>
    minimise((logTilt) => (logMoment(parts, sign * Math.exp(logTilt)) + cost) / Math.exp(logTilt), smallest, largest);
  return [Math.max(least, -reach(-1)), Math.min(most, reach(1))];
}

/** The smallest value found by golden-section search. The bound has a single minimum, and any value of it is valid. */
function minimise(bound: (at: number) => number, from: number, to: number): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [from, to];
  let [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
  let [atLeft, atRight] = [bound(left), bound(right)];
  while (high - low > 0.1) {
    if (atLeft < atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - ratio * (high - low);
      atLeft = bound(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + ratio * (high - low);
      atRight = bound(right);
    }
  }
  return Math.min(atLeft, atRight);
}

function varianceOf({ upper, first, step }: Lattice): number {
  let [sum, squares, mass] = [0, 0, 0];
  for (let i = 0; i < upper.length; i++) {
    const p = upper[i] as number;
    const loss = (first + i) * step;
    mass += p;
    sum += p * loss;
    squares += p * loss * loss;
  }
  return Math.max(0, squares / mass - (sum / mass) ** 2);
}

/** Σ count · log E[e^{tL}], the larger of both discretisations. */
function logMoment(parts: readonly Part[], tilt: number): number {
  let total = 0;
  for (const { lattice, count } of parts) {
    const { upper, lower, first, step } = lattice;
    // Scaled by the exponential at the end where it is largest.
    const [from, to] = tilt > 0 ? [upper.length - 1, -1] : [0, upper.length];
    const decay = Math.exp(-Math.abs(tilt) * step);
    const stride = Math.sign(to - from);
    let [u, l, weight] = [0, 0, 1];
    for (let i = from; i !== to && weight > 0; i += stride, weight *= decay) {
      u += (upper[i] as number) * weight;
      l += (lower[i] as number) * weight;
    }
    total += count * (Math.log(Math.max(u, l, 1e-300)) + tilt * (first + from) * step);
  }
  return total;
}
