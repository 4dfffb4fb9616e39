// A loss on a lattice from below. δ is a convex curve in e^ε; take its tangents at the two half-points around each lattice point,
// the lower of both at that point, then the convex hull of those values. Off by order h² where the loss has a density.

import type { Cells } from './discretise.js';

export interface FromBelow {
  /** P at each point, none negative. */
  readonly masses: Float64Array;
  /** How much their δ may exceed that of the tangents, and so the true δ, through rounding, which tiny steps magnify. */
  readonly excess: number;
}

/** The masses, from the cells around the points; the last cell holds everything above it. */
export function tangents(cells: Cells, step: number): FromBelow {
  const masses = lowerTangents(cells, step);
  endAtZero(masses, step);
  takeHull(masses, step);
  makeProbability(masses);
  return { masses, excess: excessOver(cells, masses, step) };
}

/** Removes negative masses and any total above one, both left by rounding, so that errors of many steps only add up. */
function makeProbability(masses: Float64Array): void {
  let sum = 0;
  for (let i = 0; i < masses.length; i++) {
    masses[i] = Math.max(0, masses[i] as number);
    sum += masses[i] as number;
  }
  if (sum > 1) for (let i = 0; i < masses.length; i++) masses[i] = (masses[i] as number) / sum;
}

/**
 * Between two lattice points the curve of the masses and the tangent are both straight, so the first is furthest above the second
 * at an end, or at e^ε = 0. Above the last mass the curve is zero, which is never too high.
 */
function excessOver({ mass, scaled }: Cells, masses: Float64Array, step: number): number {
  const decay = Math.exp(-step);
  let last = masses.length - 1;
  while (last > 0 && masses[last] === 0) last--;
  let [more, discounted, excess] = [0, 0, 0];
  for (let i = masses.length - 1; i >= 0; i--) {
    const [p, atPoint, found] = [mass[i] as number, scaled[i] as number, masses[i] as number];
    // The tangents on the right and on the left of this point differ by the cell around it.
    const tangent = i === last ? p - atPoint : Math.min(0, p - atPoint);
    if (i <= last) excess = Math.max(excess, more - discounted - tangent);
    more += found - p;
    discounted = (discounted + found - atPoint) * decay;
  }
  return Math.max(excess, more);
}

function lowerTangents({ mass, scaled }: Cells, step: number): Float64Array {
  const size = mass.length;
  const masses = new Float64Array(size);
  const inverse = 1 / Math.expm1(step);
  const growth = Math.exp(step);
  for (let i = 0; i < size; i++) {
    const p = mass[i] as number;
    if (p === 0) continue;
    const atPoint = Math.min(scaled[i] as number, p * growth);
    const excess = p - atPoint;
    masses[i] = (masses[i] as number) + atPoint;
    if (i === size - 1 || (excess > 0 && i === 0)) continue;
    // The lower tangent at this point: mass moves up to it, or up from the point after it.
    if (excess > 0) {
      masses[i] = (masses[i] as number) + (1 + inverse) * excess;
      masses[i - 1] = (masses[i - 1] as number) - inverse * excess;
    } else {
      masses[i] = (masses[i] as number) - inverse * excess;
      masses[i + 1] = (masses[i + 1] as number) + (1 + inverse) * excess;
    }
  }
  return masses;
}

/** The curve ends where the tangents fall below zero: it is set to zero at the last point before that. */
function endAtZero(masses: Float64Array, step: number): void {
  let last = masses.length - 1;
  while (last >= 0 && masses[last] === 0) last--;
  if (last < 0 || (masses[last] as number) > 0) return;
  const decay = Math.exp(-step);
  let [mass, discounted, value] = [0, 0, 0];
  for (let at = last; at > 0; at--) {
    // The curve at this point comes from the masses above it; at the point before, also from this point's own mass.
    mass += masses[at] as number;
    discounted = discounted * decay + (masses[at] as number);
    const before = mass - discounted * decay;
    if (value > 0) {
      masses[at - 1] = (masses[at - 1] as number) - value / Math.expm1(step);
      masses[at] = before / -Math.expm1(-step);
      masses.fill(0, at + 1);
      return;
    }
    value = before;
  }
  masses.fill(0);
}

/** Removes concave kinks, which are negative masses, from left to right, which leaves the convex hull. */
function takeHull(masses: Float64Array, step: number): void {
  const corners: number[] = [];
  for (let next = 0; next < masses.length; next++) {
    if (masses[next] === 0) continue;
    while (corners.length > 0) {
      const at = corners[corners.length - 1] as number;
      const mass = masses[at] as number;
      if (mass >= 0) break;
      corners.pop();
      masses[at] = 0;
      const before = corners[corners.length - 1];
      const down = before === undefined ? Number.NEGATIVE_INFINITY : (before - at) * step;
      const up = (next - at) * step;
      const share = Math.exp(down) * (up > 700 ? 1 : Math.expm1(up) / (Math.expm1(up) - Math.expm1(down)));
      if (before !== undefined) masses[before] = (masses[before] as number) + mass * share;
      masses[next] = (masses[next] as number) + mass * (1 - share);
    }
    corners.push(next);
  }
}
