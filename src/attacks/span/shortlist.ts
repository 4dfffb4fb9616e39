/** Tokens of each position that are looked at more closely. */
const size = 64;

/** The tokens that a position's scores put first. */
export function shortlist(scores: Float32Array): number[] {
  // A threshold that leaves few, found on a sample of the scores, so that few are sorted.
  const sample = new Float32Array(Math.ceil(scores.length / 16));
  for (let i = 0; i < sample.length; i++) sample[i] = scores[i * 16] as number;
  sample.sort();
  const least = scores.length > 4096 ? (sample.at(-Math.ceil(size / 8)) as number) : Number.NEGATIVE_INFINITY;
  const few: number[] = [];
  for (let v = 0; v < scores.length; v++) if ((scores[v] as number) >= least) few.push(v);
  return few.sort((a, b) => (scores[b] as number) - (scores[a] as number)).slice(0, size);
}
