// A privacy loss put on the lattice i·h, once from above and once from below. With x = e^L, δ(ε) = E_Q[(x − e^ε)₊] is a
// convex curve in e^ε; a distribution on the lattice is a curve with kinks there.
// Above: chords (Doroshenko et al. 2022), so each cell's mass goes to its two ends and keeps P and Q.
// Below: around each lattice point lie tangents at the two half-points; the lower of both at each lattice point, then the
// convex hull of those values. Both are off by order h².

import type { LossPair } from './pairs.js';

export interface Lattice {
  readonly step: number;
  /** Index of the first point: its loss is first · step. */
  readonly first: number;
  /** P at each point. */
  readonly upper: Float64Array;
  readonly lower: Float64Array;
  /** P of an infinite loss, from above and from below. */
  readonly upperInfinity: number;
  readonly lowerInfinity: number;
}

export function discretise(pair: LossPair, step: number, tail: number): Lattice {
  const [low, high] = pair.range(tail);
  const first = Math.floor(low / step) - 1;
  const size = Math.ceil(high / step) + 1 - first + 1;
  const above = chords(pair, step, first, size);
  const below = tangents(pair, step, first, size);
  return {
    step,
    first,
    upper: above.masses,
    lower: below.masses,
    upperInfinity: pair.infinity + above.infinity,
    lowerInfinity: pair.infinity,
  };
}

interface Halves {
  readonly masses: Float64Array;
}

function chords(pair: LossPair, step: number, first: number, size: number): Halves & { readonly infinity: number } {
  const masses = new Float64Array(size);
  const growth = Math.expm1(step);
  for (let i = 0; i + 1 < size; i++) {
    const left = (first + i) * step;
    const [logP, logQ] = pair.mass(left, (first + i + 1) * step);
    const p = Math.exp(logP);
    if (p === 0) continue;
    const scaled = Math.exp(logQ + left); // between p·e^−h and p
    const right = Math.min(p, Math.max(0, ((1 + growth) * (p - scaled)) / growth));
    masses[i] = (masses[i] as number) + p - right;
    masses[i + 1] = (masses[i + 1] as number) + right;
  }
  // Below the lattice: up to its first point. Above: the part that the last point can carry, the rest is infinite.
  masses[0] = (masses[0] as number) + Math.exp(pair.mass(Number.NEGATIVE_INFINITY, first * step)[0]);
  const top = (first + size - 1) * step;
  const [logP, logQ] = pair.mass(top, Number.POSITIVE_INFINITY);
  const kept = Math.min(Math.exp(logP), Math.exp(logQ + top));
  masses[size - 1] = (masses[size - 1] as number) + kept;
  return { masses, infinity: Math.exp(logP) - kept };
}

function tangents(pair: LossPair, step: number, first: number, size: number): Halves {
  const masses = new Float64Array(size);
  const inverse = 1 / Math.expm1(step);
  for (let i = 0; i < size; i++) {
    const middle = (first + i) * step;
    const end = i === size - 1;
    // The last point takes all that lies above; what lies below the first is left out.
    const [logP, logQ] = pair.mass(middle - step / 2, end ? Number.POSITIVE_INFINITY : middle + step / 2);
    const p = Math.exp(logP);
    if (p === 0) continue;
    const scaled = Math.min(Math.exp(logQ + middle), p * Math.exp(step));
    const excess = p - scaled;
    masses[i] = (masses[i] as number) + scaled;
    if (end || (excess > 0 && i === 0)) continue;
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
  return { masses };
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
