/** Tokens per position that are examined more closely. */
const size = 64;

/** The tokens with the highest scores of a position, the best first. */
export function shortlist(scores: Float32Array): number[] {
  // A threshold found on a sample of the scores leaves few tokens to sort.
  const sample = new Float32Array(Math.ceil(scores.length / 16));
  for (let i = 0; i < sample.length; i++) sample[i] = scores[i * 16] as number;
  sample.sort();
  const least = scores.length > 4096 ? (sample.at(-Math.ceil(size / 8)) as number) : Number.NEGATIVE_INFINITY;
  const few: number[] = [];
  for (let v = 0; v < scores.length; v++) if ((scores[v] as number) >= least) few.push(v);
  return few.sort((a, b) => (scores[b] as number) - (scores[a] as number)).slice(0, size);
}
