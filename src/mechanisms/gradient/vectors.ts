// Arithmetic on float32 vectors. They may have millions of numbers, so nothing is copied that need not be.

/** Σ factor · vector, where missing factors are 1. Each product is rounded to float32 before it is added; a factor of 0 adds nothing, whatever the vector. */
export function sumOf(
  vectors: readonly Float32Array[],
  factors: readonly number[] = [],
  total: Float32Array = new Float32Array((vectors[0] as Float32Array).length),
): Float32Array {
  for (const [place, vector] of vectors.entries()) addScaled(total, vector, factors[place] ?? 1, place === 0);
  return total;
}

/** Adds factor · vector, or writes it in place of the total: what will be overwritten need not be read. */
export function addScaled(total: Float32Array, vector: Float32Array, factor: number, first: boolean): void {
  const { length } = total;
  // 0 · ∞ is not a number, and would tell that a gradient was not finite.
  if (factor === 0) {
    if (first) total.fill(0);
    return;
  }
  if (first) {
    // Adding 0 turns −0 into 0, as in a sum that begins with 0.
    for (let i = 0; i < length; i++) total[i] = Math.fround((vector[i] as number) * factor) + 0;
    return;
  }
  for (let i = 0; i < length; i++) total[i] = (total[i] as number) + Math.fround((vector[i] as number) * factor);
}

/** Writes factor · vector into an array. */
export function scaleInto(into: Float32Array, vector: Float32Array, factor: number): Float32Array {
  for (let i = 0; i < into.length; i++) into[i] = (vector[i] as number) * factor;
  return into;
}

/** Vectors laid end to end: a view where they lie so already, otherwise a copy. */
export function joined(vectors: readonly Float32Array[]): Float32Array {
  const [first] = vectors;
  const count = vectors.reduce((sum, { length }) => sum + length, 0);
  if (first !== undefined && lieEndToEnd(vectors)) return new Float32Array(first.buffer, first.byteOffset, count);
  const all = new Float32Array(count);
  for (const [place, part] of cut(all, vectors).entries()) part.set(vectors[place] as Float32Array);
  return all;
}

function lieEndToEnd(vectors: readonly Float32Array[]): boolean {
  const { buffer, byteOffset: start } = vectors[0] as Float32Array;
  let end = start;
  for (const vector of vectors) {
    if (vector.buffer !== buffer || vector.byteOffset !== end) return false;
    end += vector.byteLength;
  }
  return true;
}

/** Views of a whole, one after another, as long as these. */
export function cut(whole: Float32Array, like: readonly { readonly length: number }[]): Float32Array[] {
  let start = 0;
  return like.map(({ length }) => {
    start += length;
    return whole.subarray(start - length, start);
  });
}
