// How well the inputs of a sentence span a basis: the coefficients a_k that minimise ‖u_k − Σ_p a_kp x_p‖² + ridge ‖a_k‖², which solve
// (X Xᵀ + ridge) a_k = X u_k. The ridge keeps nearly equal inputs, such as those of the first steps, from getting huge ones.

import { pivotedCholesky, solveLower, solveUpper } from '../../math/index.js';

const ridge = 0.1;

/** `gram` and `along` are [restarts, tokens, tokens]: products of unit inputs with each other and with the basis. Writes a_kp into `into`. */
export function solveCoefficients(gram: Float32Array, along: Float32Array, tokens: number, into: Float32Array): void {
  const size = tokens * tokens;
  for (let start = 0; start < gram.length; start += size) {
    const matrix = Float64Array.from(gram.subarray(start, start + size));
    for (let i = 0; i < tokens; i++) matrix[i * tokens + i] = (matrix[i * tokens + i] as number) + ridge;
    const factored = pivotedCholesky(matrix, tokens);
    const right = new Float64Array(tokens);
    for (let k = 0; k < tokens; k++) {
      for (const [place, p] of factored.order.entries()) right[place] = along[start + p * tokens + k] as number;
      const solved = solveUpper(factored, solveLower(factored, right));
      for (const [place, p] of factored.order.entries()) into[start + k * tokens + p] = solved[place] as number;
    }
  }
}
