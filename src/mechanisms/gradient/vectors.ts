// Arithmetic on float32 vectors.

export function sumOf(vectors: readonly Float32Array[]): Float32Array {
  const total = new Float32Array((vectors[0] as Float32Array).length);
  for (const vector of vectors)
    for (let i = 0; i < total.length; i++) total[i] = (total[i] as number) + (vector[i] as number);
  return total;
}

export const scaled = (vector: Float32Array, factor: number): Float32Array =>
  factor === 1 ? vector : vector.map((x) => x * factor);

export function joined(vectors: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(vectors.reduce((count, { length }) => count + length, 0));
  let start = 0;
  for (const vector of vectors) {
    all.set(vector, start);
    start += vector.length;
  }
  return all;
}
