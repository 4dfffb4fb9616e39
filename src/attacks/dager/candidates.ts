// The span check of tokens: at each position, those whose unit input lies in the span of the first block.

import { multiplyRows } from '../../math/index.js';
import type { FirstInputs } from '../span/inputs.js';
import { shortlist } from '../span/shortlist.js';

interface Candidate {
  readonly token: number;
  /** From its unit input to the span. */
  readonly distance: number;
}

/** The candidates of one position, the closest first. */
export interface PositionCandidates {
  /** Those below the threshold. */
  readonly passing: readonly Candidate[];
  /** Those below the threshold, or if there are none, the closest token. */
  readonly tokens: readonly Candidate[];
}

/** Float32 leaves squared distances uncertain by less than this; they are computed again in float64. */
const uncertain = 1e-4;

export async function findCandidates(
  inputs: FirstInputs,
  basis: Float64Array,
  positions: number,
  threshold: number,
): Promise<PositionCandidates[]> {
  const weights = new Float64Array(basis.length / inputs.hidden).fill(1);
  const shares = await inputs.scoreTokens(basis, weights, positions);
  return shares.map((share, position) => {
    const least = 1 - threshold ** 2 - uncertain;
    const near = new Set(shortlist(share));
    for (let token = 0; token < share.length; token++) if ((share[token] as number) > least) near.add(token);
    const all = distancesOf(inputs, basis, [...near], position).sort((a, b) => a.distance - b.distance);
    const passing = all.filter(({ distance }) => distance < threshold);
    return { passing, tokens: passing.length > 0 ? passing : all.slice(0, 1) };
  });
}

/** The distances of these tokens at one position, in float64. */
function distancesOf(
  inputs: FirstInputs,
  basis: Float64Array,
  tokens: readonly number[],
  position: number,
): Candidate[] {
  const size = inputs.hidden;
  const count = basis.length / size;
  const units = new Float64Array(tokens.length * size);
  for (const [row, token] of tokens.entries()) inputs.unit(token, position, units, row * size);
  const along = multiplyRows(basis, units, size);
  return tokens.map((token, row) => {
    let inside = 0;
    for (let k = row * count; k < (row + 1) * count; k++) inside += (along[k] as number) ** 2;
    return { token, distance: Math.sqrt(Math.max(0, 1 - inside)) };
  });
}
