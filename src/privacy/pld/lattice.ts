// A privacy loss on the lattice i·h, from above and from below. A sum of such losses is one again, so that it can be put on a
// coarser lattice and added up further.

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
  /** P of what may lie elsewhere than it should: cut off, wrapped around or rounded. δ from above is wrong by no more. */
  readonly error: number;
  /** The same for δ from below; it may be large where single losses are small beside the step. */
  readonly lowerError: number;
  /** Σ h² over all the moves to lattice points that a loss from above has gone through. */
  readonly squares: number;
}

/** A loss that happens `count` times, independently. */
export interface Part {
  readonly lattice: Lattice;
  readonly count: number;
}
