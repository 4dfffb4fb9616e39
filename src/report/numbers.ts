// Writes numbers as people read them, with Unicode powers of ten (privacy statements have their own writer, in ASCII). Bounds are
// rounded to their own side, so that what is printed stays true.

import type { Estimate } from '../calibration/index.js';

type Side = 'near' | 'up' | 'down';

/** At most this many digits; very small and very large numbers as powers of ten. */
export function typesetNumber(value: number, digits = 3, side: Side = 'near'): string {
  if (Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value < 0 ? '−∞' : '∞';
  const rounded = round(value, digits, side);
  const size = Math.abs(rounded);
  return withMinus(size !== 0 && (size < 1e-3 || size >= 1e5) ? power(rounded) : grouped(rounded));
}

/** Noise levels, mostly as powers of ten. */
export const writeNoise = (value: number): string => {
  const rounded = Number(value.toPrecision(3));
  return rounded >= 0.01 && rounded < 1e3 ? grouped(rounded) : withMinus(power(rounded));
};

/** A learning rate as people write it: in full, unless it is tiny. */
export const writeRate = (value: number): string => (value >= 1e-6 ? `${value}` : typesetNumber(value));

/** A whole number in full, thousands separated. */
export const writeCount = (value: number): string => grouped(Math.round(value));

export const writePercent = (share: number, digits = 1): string =>
  Number.isFinite(share) ? `${withMinus((share * 100).toFixed(digits))}\u00a0%` : '–';

/** A share that is small but above 0, never rounded to 0. */
export const writeShare = (share: number): string =>
  share < 0.001 ? `under ${writePercent(0.001)}` : writePercent(share, share < 0.0995 ? 1 : 0);

/** A difference of shares in percentage points. */
export const writePoints = (share: number): string => withMinus((share * 100).toFixed(1).replace(/^-(0\.0)$/, '$1'));

/** A score, mostly between 0 and 1, with two decimals. */
export const writeScore = (value: number): string =>
  Number.isFinite(value) ? withMinus(value.toFixed(2).replace(/^-(0\.00)$/, '$1')) : '–';

/** Two decimals, or a power of ten where these would be 0.00. */
export const writeCosine = (value: number): string =>
  value !== 0 && Math.abs(value) < 0.01 ? typesetNumber(value, 1) : writeScore(value);

/** The ends of an interval; empty if there is a single value. */
export function writeInterval({ lower, upper, values, mean }: Estimate, write: (value: number) => string): string {
  if (values.length < 2 && lower === mean && upper === mean) return '';
  return `${write(lower).replace('\u00a0%', '')}${lower < 0 ? ' to ' : '–'}${write(upper)}`;
}

function round(value: number, digits: number, side: Side): number {
  const near = Number(value.toPrecision(digits));
  // Rounding errors of a computed bound do not count.
  const slack = 1e-9 * Math.abs(value);
  const isOnSide = side === 'up' ? near >= value : near <= value + slack;
  if (side === 'near' || isOnSide) return near;
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  return Number((near + (side === 'up' ? unit : -unit)).toPrecision(digits));
}

function power(value: number): string {
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const raised = `10${superscript(Number(exponent))}`;
  return mantissa === '1' ? raised : `${mantissa}\u202f×\u202f${raised}`;
}

const superscript = (exponent: number): string =>
  [...`${exponent}`].map((digit) => (digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])).join('');

/** Separates thousands: 1,234.5 */
const grouped = (value: number): string => {
  const [whole, rest] = `${value}`.split('.') as [string, string?];
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return rest === undefined ? apart : `${apart}.${rest}`;
};

const withMinus = (text: string): string => text.replace('-', '−');
