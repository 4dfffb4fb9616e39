// A loss on a lattice from below. Around each lattice point lie tangents of δ, a convex curve in e^ε, at the two half-points;
// the lower of both at each lattice point, then the convex hull of those values. Off by order h² where the loss has a density.

import type { Cells } from './discretise.js';

/** P at each point, from the cells around the points; the last cell holds all that lies above. */
export function tangents({ mass, scaled }: Cells, step: number): Float64Array {
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
  endAtZero(masses, step);
  takeHull(masses, step);
  return masses;
}

/** Where the tangents have fallen below zero, the curve ends: at the last point where they had not, it is set to zero. */
function endAtZero(masses: Float64Array, step: number): void {
  let last = masses.length - 1;
  while (last >= 0 && masses[last] === 0) last--;
  if (last < 0 || (masses[last] as number) > 0) return;
  const decay = Math.exp(-step);
  let [mass, discounted, value] = [0, 0, 0];
  for (let at = last; at > 0; at--) {
    // The curve at this point comes from the masses above it; the one before also from this point's own.
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

/** Removes concave kinks, which are negative masses, from left to right: what is left is the convex hull. */
function takeHull(masses: Float64Array, step: number): void {
  const kept: number[] = [];
  for (let next = 0; next < masses.length; next++) {
    if (masses[next] === 0) continue;
    while (kept.length > 0) {
      const at = kept[kept.length - 1] as number;
      const mass = masses[at] as number;
      if (mass >= 0) break;
      kept.pop();
      masses[at] = 0;
      const before = kept[kept.length - 1];
      const down = before === undefined ? 0 : Math.exp((before - at) * step);
      const up = (next - at) * step;
      const share = up > 700 ? down : (down * Math.expm1(up)) / (Math.exp(up) - down);
      if (before !== undefined) masses[before] = (masses[before] as number) + mass * share;
      masses[next] = (masses[next] as number) + mass * (1 - share);
    }
    kept.push(next);
  }
}
