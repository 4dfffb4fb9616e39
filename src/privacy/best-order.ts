// The Rényi order with the smallest result, without computing the divergence at all of them. (α − 1) D_α is convex in α
// and 0 at α = 1 (van Erven, Harremoës 2014), so a line through two known orders lies below it everywhere outside them. An order
// whose result could not be the smallest even on that line is skipped. Every order gives a valid result, so a wrong skip
// would cost tightness, never soundness.

interface Known {
  readonly order: number;
  /** (α − 1) D_α. */
  readonly height: number;
}

export interface Best {
  readonly order: number;
  readonly value: number;
}

/** Orders tried before any is skipped: enough for lines on both sides of the smallest. */
const FIRST = 12;
/** Relative to the heights, and far more than their rounding. */
const MARGIN = 1e-9;

/** `divergence` is D_α, which is slow; `convert` turns it into the value to minimise, is fast, and grows with it. */
export function bestOrder(
  orders: readonly number[],
  divergence: (order: number) => number,
  convert: (bound: number, order: number) => number,
): Best {
  const sorted = [...new Set(orders)].sort((a, b) => a - b);
  const known: Known[] = [{ order: 1, height: 0 }];
  const rest = new Set(sorted);
  let best: Best = { order: sorted[0] as number, value: Number.POSITIVE_INFINITY };
  const visit = (order: number) => {
    const bound = divergence(order);
    const value = convert(bound, order);
    const place = known.findIndex((other) => other.order > order);
    known.splice(place === -1 ? known.length : place, 0, { order, height: (order - 1) * bound });
    if (value < best.value || (value === best.value && order < best.order)) best = { order, value };
    rest.delete(order);
  };

  const stride = Math.ceil(sorted.length / FIRST);
  for (const [index, order] of sorted.entries()) {
    if (index % stride === 0 || index === sorted.length - 1) visit(order);
  }
  for (;;) {
    let promising: Best | undefined;
    for (const order of rest) {
      // A divergence of 0 would mean that nothing was released, so the line stops above it.
      const value = convert(Math.max(Number.MIN_VALUE, leastHeight(known, order) / (order - 1)), order);
      if (value < (promising?.value ?? best.value)) promising = { order, value };
    }
    if (promising === undefined) return best;
    visit(promising.order);
  }
}

/** A lower bound at this order: the larger of the lines through two known neighbours on either side. */
function leastHeight(known: readonly Known[], order: number): number {
  const above = known.findIndex((other) => other.order > order);
  const right = above === -1 ? known.length : above;
  return Math.max(along(known[right - 2], known[right - 1], order), along(known[right + 1], known[right], order));
}

function along(far: Known | undefined, near: Known | undefined, order: number): number {
  if (far === undefined || near === undefined) return Number.NEGATIVE_INFINITY;
  const slope = (near.height - far.height) / (near.order - far.order);
  const height = near.height + slope * (order - near.order) - MARGIN * (near.height + far.height);
  return Number.isNaN(height) ? Number.NEGATIVE_INFINITY : height; // infinite heights bound nothing
}
