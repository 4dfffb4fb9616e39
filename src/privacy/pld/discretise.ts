// Moves a loss to the lattice i·h, or from one lattice to a coarser one. With x = e^L, δ(ε) = E_Q[(x − e^ε)₊] is a convex curve
// in e^ε; a distribution on the lattice is a curve with kinks there.
// From above: chords (Doroshenko et al. 2022), so each cell's mass moves to its two ends and keeps P and Q. From below: tangents.ts.

import type { Lattice } from './lattice.js';
import type { LossPair } from './pairs.js';
import { tangents } from './tangents.js';

/** P of each cell, and Q times e^loss at the cell's own lattice point. */
export interface Cells {
  readonly mass: Float64Array;
  readonly scaled: Float64Array;
}

function add({ mass, scaled }: Cells, at: number, p: number, atPoint: number): void {
  mass[at] = (mass[at] as number) + p;
  scaled[at] = (scaled[at] as number) + atPoint;
}

const emptyCells = (size: number): Cells => ({ mass: new Float64Array(size), scaled: new Float64Array(size) });

/** A loss on the lattice of this step. `tail` is the mass that may be cut off on each side. */
export function discretise(pair: LossPair, step: number, tail: number): Lattice {
  const [low, high] = pair.range(tail);
  const first = Math.floor(low / step) - 1;
  const size = Math.ceil(high / step) + 1 - first + 1;
  const { logP, logQ } = pair.masses(halfSteps(first, size, step));
  const [between, around] = [emptyCells(size), emptyCells(size)];
  const growth = Math.exp(step);
  for (let half = 1; half < 2 * size; half++) {
    const left = (half - 1) >> 1;
    const nearest = half >> 1;
    const p = Math.exp(logP[half] as number);
    const scaled = Math.exp((logQ[half] as number) + (first + left) * step);
    add(between, left, p, scaled);
    add(around, nearest, p, nearest === left ? scaled : scaled * growth);
  }
  const above = chords(between, step);
  const lower = tangents(around, step);
  // Mass below the lattice moves up to its first point in the upper bound, and is left out of the lower one.
  const below = Math.exp(logP[0] as number);
  above.masses[0] = (above.masses[0] as number) + below;
  return {
    step,
    first,
    upper: above.masses,
    lower: lower.masses,
    upperInfinity: pair.infinity + above.infinity,
    lowerInfinity: pair.infinity,
    error: below + above.infinity,
    lowerError: lower.excess,
    squares: step ** 2,
  };
}

/** All lattice points and those half-way between, with infinite ends. */
function halfSteps(first: number, size: number, step: number): Float64Array {
  const bounds = new Float64Array(2 * size + 1);
  for (let i = 1; i < 2 * size; i++) bounds[i] = (first + (i - 1) / 2) * step;
  bounds[0] = Number.NEGATIVE_INFINITY;
  bounds[2 * size] = Number.POSITIVE_INFINITY;
  return bounds;
}

/** The same loss on the points of a coarser lattice. */
export function coarsen(lattice: Lattice, step: number): Lattice {
  const { upper, lower } = lattice;
  const first = Math.floor((lattice.first * lattice.step) / step) - 1;
  const size = Math.ceil(((lattice.first + upper.length) * lattice.step) / step) + 1 - first + 1;
  const [between, around] = [emptyCells(size), emptyCells(size)];
  for (let i = 0; i < upper.length; i++) {
    const place = ((lattice.first + i) * lattice.step) / step - first;
    const below = Math.floor(place);
    const nearest = Math.round(place);
    // Rounding of the transform leaves tiny masses of either sign; the error counts them.
    const p = Math.max(0, upper[i] as number);
    const q = Math.max(0, lower[i] as number);
    add(between, below, p, p * Math.exp((below - place) * step));
    add(around, nearest, q, q * Math.exp((nearest - place) * step));
  }
  const below = tangents(around, step);
  return {
    ...lattice,
    step,
    first,
    upper: chords(between, step).masses,
    lower: below.masses,
    lowerError: lattice.lowerError + below.excess,
    squares: lattice.squares + step ** 2,
  };
}

/** P at each point, from the cells above the points. The last point takes what it can carry; the rest becomes an infinite loss. */
function chords({ mass, scaled }: Cells, step: number) {
  const masses = new Float64Array(mass.length);
  const share = -1 / Math.expm1(-step);
  const last = mass.length - 1;
  for (let i = 0; i < last; i++) {
    const p = mass[i] as number;
    if (p === 0) continue;
    // The scaled mass lies between p·e^−h and p.
    const right = Math.min(p, Math.max(0, share * (p - (scaled[i] as number))));
    masses[i] = (masses[i] as number) + p - right;
    masses[i + 1] = (masses[i + 1] as number) + right;
  }
  const carried = Math.min(mass[last] as number, scaled[last] as number);
  masses[last] = (masses[last] as number) + carried;
  return { masses, infinity: (mass[last] as number) - carried };
}
