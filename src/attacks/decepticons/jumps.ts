// Finds where the gradients of neighbouring units change, under noise. Between two tokens all units have the same gradient, so
// averages over them show a step that no two neighbours show. Binary segmentation (Scott & Knott 1974), for all coordinates at once.

import type { Units } from './rows.js';

interface Segment {
  readonly layer: number;
  readonly from: number;
  readonly to: number;
  /** The best place to cut the segment, and how much of its variance the cut explains. */
  readonly cut: number;
  readonly gain: number;
}

/** The `count` greatest steps over all feed-forwards: for each, the mean before it minus the mean after it. */
export function findJumps(feedForwards: readonly Units[], count: number): Float64Array[] {
  const sums = feedForwards.map((units, layer) => prefixSums(units, layer === feedForwards.length - 1));
  const segments = sums.map((one, layer) => bestCut(one, layer, 0, one.length - 1));
  for (let cuts = 0; cuts < count; cuts++) {
    let best = 0;
    for (const [place, { gain }] of segments.entries()) if (gain > (segments[best] as Segment).gain) best = place;
    const { layer, from, to, cut, gain } = segments[best] as Segment;
    if (!(gain > 0)) break;
    const own = sums[layer] as Float64Array[];
    segments.splice(best, 1, bestCut(own, layer, from, cut), bestCut(own, layer, cut, to));
  }
  return segments.flatMap((segment) => {
    const next = segments.find(({ layer, from }) => layer === segment.layer && from === segment.to);
    if (next === undefined) return [];
    const own = sums[segment.layer] as Float64Array[];
    const [left, right] = [meanOf(own, segment.from, segment.to), meanOf(own, next.from, next.to)];
    return [left.map((x, i) => x - (right[i] as number))];
  });
}

/** Sums of the first k rows. Above the very last threshold no unit is open, which a row of zeros stands for. */
function prefixSums({ rows, width }: Units, closed: boolean): Float64Array[] {
  const units = rows.length / width + Number(closed);
  const sums = [new Float64Array(width)];
  for (let unit = 0; unit < units; unit++) {
    const before = sums[unit] as Float64Array;
    sums.push(before.map((x, i) => x + (rows[unit * width + i] ?? 0)));
  }
  return sums;
}

function bestCut(sums: readonly Float64Array[], layer: number, from: number, to: number): Segment {
  const [start, end] = [sums[from] as Float64Array, sums[to] as Float64Array];
  let [cut, gain] = [from, 0];
  for (let k = from + 1; k < to; k++) {
    const here = sums[k] as Float64Array;
    const [left, right] = [1 / (k - from), 1 / (to - k)];
    let square = 0;
    for (let i = 0; i < here.length; i++) {
      const step =
        ((here[i] as number) - (start[i] as number)) * left - ((end[i] as number) - (here[i] as number)) * right;
      square += step * step;
    }
    const explained = square / (left + right);
    if (explained > gain) [cut, gain] = [k, explained];
  }
  return { layer, from, to, cut, gain };
}

const meanOf = (sums: readonly Float64Array[], from: number, to: number): Float64Array => {
  const start = sums[from] as Float64Array;
  return (sums[to] as Float64Array).map((x, i) => (x - (start[i] as number)) / (to - from));
};
