// Two shares that both mean “little”. They differ because they answer different questions.

/**
 * Of what an attack gains without noise: an attack that gains no more than this is stopped. It is a promise to readers, who
 * compare attacks and studies by it, so it is one round number: a tenth.
 */
export const stoppedShare = 0.1;

/**
 * Of the range of a curve: means that differ by no more than this count as equal in a verdict. Half of `stoppedShare`, since
 * a verdict says which levels can be ranked, and a twentieth is what cannot be seen on a chart of the curve.
 */
export const unseenShare = 0.05;
