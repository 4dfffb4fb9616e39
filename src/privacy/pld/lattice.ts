// A privacy loss on the lattice i·h, from above and from below. A sum of such losses is one again, so it can be moved to a
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
  /** The mass that may be misplaced: cut off, wrapped around or rounded. δ from above is wrong by no more. */
  readonly error: number;
  /** The same for δ from below; it may be large where single losses are much smaller than the step. */
  readonly lowerError: number;
  /** Σ h² over all moves to lattice points that went into the loss from above. */
  readonly squares: number;
}

/** A loss that happens `count` times, independently. */
export interface Part {
  readonly lattice: Lattice;
  readonly count: number;
}
