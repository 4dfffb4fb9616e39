// Two shares that both mean “little”, for two different questions.

/**
 * An attack is stopped when it gains no more than this share of what it gains without noise. Readers compare attacks and studies by
 * it, so it is one round number: a tenth.
 */
export const stoppedShare = 0.1;

/**
 * Means that differ by no more than this share of a curve's range count as equal in a verdict. It is half of `stoppedShare`, because a
 * verdict says which levels can be ranked, and a twentieth cannot be seen on a chart of the curve.
 */
export const unseenShare = 0.05;
