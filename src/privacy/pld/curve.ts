// Reading (ε, δ) off a discrete loss distribution: δ(ε) = P(∞) + Σ over losses above ε of P(L) (1 − e^{ε − L}).

import type { Total } from './compose.js';

type Side = 'upper' | 'lower';

const infinityOf = (total: Total, side: Side) => (side === 'upper' ? total.upperInfinity : total.lowerInfinity);
/** Rounding of the transform leaves tiny masses of either sign; from above none may be lost. */
const massAt = (masses: Float64Array, i: number, side: Side) =>
  side === 'upper' ? Math.max(0, masses[i] as number) : (masses[i] as number);

/** δ at ε, with the error added from above and taken off from below. */
export function deltaOf(total: Total, epsilon: number, side: Side): number {
  const { step, first } = total;
  const masses = total[side];
  if (Number.isNaN(total.error)) return side === 'upper' ? 1 : 0;
  let sum = infinityOf(total, side);
  for (let i = masses.length - 1; i >= 0; i--) {
    const above = (first + i) * step - epsilon;
    if (above <= 0) break;
    sum -= massAt(masses, i, side) * Math.expm1(-above);
  }
  return Math.min(1, Math.max(0, side === 'upper' ? sum + total.error : sum - total.error));
}

/** The smallest ε ≥ 0 with δ(ε) ≤ δ; infinite when no ε on this lattice has it. */
export function epsilonOf(total: Total, delta: number, side: Side): number {
  const { step, first } = total;
  const masses = total[side];
  const target = (side === 'upper' ? delta - total.error : delta + total.error) - infinityOf(total, side);
  // Not a number where the lattice has overflowed: nothing is known then.
  if (Number.isNaN(target)) return side === 'upper' ? Number.POSITIVE_INFINITY : 0;
  if (target < 0) return Number.POSITIVE_INFINITY;
  // With losses above ε only, δ(ε) = mass − e^{ε − L} · discounted, for the lowest loss L among them.
  let [mass, discounted] = [0, 0];
  const decay = Math.exp(-step);
  for (let i = masses.length - 1; i >= 0; i--) {
    const loss = (first + i) * step;
    if (loss <= 0) break;
    const p = massAt(masses, i, side);
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
