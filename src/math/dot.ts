/** The scalar product, added up in order on top of `sum`, so that a product over several arrays can continue from one to the next. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>, sum = 0): number {
  let total = sum;
  for (let i = 0; i < a.length; i++) total += (a[i] as number) * (b[i] as number);
  return total;
}

/** The product of `count` numbers of a and b from these places on. Two sums, so that additions need not wait for each other. */
export function dotRange(a: Float64Array, aStart: number, b: Float64Array, bStart: number, count: number): number {
  let [even, odd] = [0, 0];
  let i = 0;
  for (; i + 1 < count; i += 2) {
    even += (a[aStart + i] as number) * (b[bStart + i] as number);
    odd += (a[aStart + i + 1] as number) * (b[bStart + i + 1] as number);
  }
  return i < count ? even + odd + (a[aStart + i] as number) * (b[bStart + i] as number) : even + odd;
}

/**
 * The products of every row of a matrix with every vector, all of this size: [vectors, rows]. It takes two rows and four vectors at a
 * time, so that each number is read less often.
 */
export function multiplyRows(matrix: Float64Array, vectors: Float64Array, size: number): Float64Array {
  const [rows, width] = [matrix.length / size, vectors.length / size];
  const result = new Float64Array(width * rows);
  const [whole, even] = [width - (width % 4), rows - (rows % 2)];
  for (let k = 0; k < whole; k += 4) {
    const [at0, at1, at2, at3] = [k * size, (k + 1) * size, (k + 2) * size, (k + 3) * size] as const;
    for (let i = 0; i < even; i += 2) {
      const [upper, lower] = [i * size, (i + 1) * size];
      let [a0, a1, a2, a3, b0, b1, b2, b3] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let j = 0; j < size; j++) {
        const x = matrix[upper + j] as number;
        const y = matrix[lower + j] as number;
        const v0 = vectors[at0 + j] as number;
        const v1 = vectors[at1 + j] as number;
        const v2 = vectors[at2 + j] as number;
        const v3 = vectors[at3 + j] as number;
        a0 += x * v0;
        a1 += x * v1;
        a2 += x * v2;
        a3 += x * v3;
        b0 += y * v0;
        b1 += y * v1;
        b2 += y * v2;
        b3 += y * v3;
      }
      const to = k * rows + i;
      result[to] = a0;
      result[to + 1] = b0;
      result[to + rows] = a1;
      result[to + rows + 1] = b1;
      result[to + 2 * rows] = a2;
      result[to + 2 * rows + 1] = b2;
      result[to + 3 * rows] = a3;
      result[to + 3 * rows + 1] = b3;
    }
  }
  for (let k = 0; k < width; k++) {
    for (let i = k < whole ? even : 0; i < rows; i++)
      result[k * rows + i] = dotRange(matrix, i * size, vectors, k * size, size);
  }
  return result;
}
