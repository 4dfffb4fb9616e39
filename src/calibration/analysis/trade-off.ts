// Reads utility against leakage along the levels of one mechanism, at leakages that no level has exactly.

/** Leakage and utility at each level, no noise first. */
export interface TradeOff {
  readonly leakage: readonly number[];
  readonly utility: readonly number[];
}

export interface Reading {
  readonly utility: number;
  /** Places of the levels between which it lies. */
  readonly between: readonly [number, number];
}

/**
 * Utility with the least noise that brings leakage down to this value, linear between levels. Leakage is first fitted so that it never
 * rises, which makes that place unique. Undefined if the curve does not reach the value.
 */
export function readUtility(curve: TradeOff, leakage: number): Reading | undefined {
  const fitted = fallingFit(curve.leakage);
  const place = fitted.findIndex((value) => value <= leakage);
  const at = (list: readonly number[], index: number) => list[index] as number;
  if (place < 0 || (place === 0 && at(fitted, 0) < leakage)) return undefined;
  if (place === 0) return { utility: at(curve.utility, 0), between: [0, 0] };
  const before = place - 1;
  const share = (at(fitted, before) - leakage) / (at(fitted, before) - at(fitted, place));
  const utility = (1 - share) * at(curve.utility, before) + share * at(curve.utility, place);
  return { utility, between: [before, place] };
}

/** Reads along the levels at these places of longer lists; the reading names places in those lists. */
export function readAlong(
  places: readonly number[],
  leakages: readonly number[],
  utilities: readonly number[],
  leakage: number,
): Reading | undefined {
  const of = (list: readonly number[]) => places.map((place) => list[place] as number);
  const reading = readUtility({ leakage: of(leakages), utility: of(utilities) }, leakage);
  if (reading === undefined) return undefined;
  const [before, after] = reading.between.map((one) => places[one]) as [number, number];
  return { utility: reading.utility, between: [before, after] };
}

/** The closest values that never rise (least squares): neighbours that would rise share their mean (Ayer et al. 1955). */
export function fallingFit(values: readonly number[]): number[] {
  const blocks: { sum: number; count: number }[] = [];
  for (const value of values) {
    let block = { sum: value, count: 1 };
    for (let last = blocks.at(-1); last && last.sum / last.count < block.sum / block.count; last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
}
