// Numbers in sentences and tables. Rounding must keep a bound true: an upper bound is rounded up, a lower one down.

/** A number with at most this many digits; very small and very large ones have an exponent. */
export function writeNumber(value: number, digits = 4, side: 'near' | 'up' | 'down' = 'near'): string {
  if (!Number.isFinite(value)) return 'infinity';
  const rounded = roundTo(value, digits, side);
  if (rounded !== 0 && (Math.abs(rounded) < 1e-3 || Math.abs(rounded) >= 1e7)) {
    return rounded.toExponential().replace('e+', 'e');
  }
  return `${rounded}`;
}

function roundTo(value: number, digits: number, side: 'near' | 'up' | 'down'): number {
  const near = Number(value.toPrecision(digits));
  const wrong = side === 'up' ? near < value : side === 'down' ? near > value : false;
  if (!wrong) return near;
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  return Number((near + (side === 'up' ? unit : -unit)).toPrecision(digits));
}
