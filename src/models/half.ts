// The 16-bit float formats of checkpoints: F16 (IEEE binary16) and BF16 (the upper half of an F32).

const bits = new Uint32Array(1);
const float = new Float32Array(bits.buffer);

const asFloat = (pattern: number): number => {
  bits[0] = pattern;
  return float[0] as number;
};
const asBits = (number: number): number => {
  float[0] = number;
  return bits[0] as number;
};

/** Widens one F16: sign, 5 bits of exponent, 10 of fraction; exponent 0 is 2⁻²⁴ × fraction, 31 is infinite or NaN. */
export function fromF16(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** Rounds to the nearest F16, ties to even; numbers that are too large become infinite. */
export function toF16(number: number): number {
  if (Number.isNaN(number)) return 0x7e00;
  const sign = Object.is(number, -0) || number < 0 ? 0x8000 : 0;
  const size = Math.abs(number);
  if (size >= 65520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | roundToEven(size * 2 ** 24); // rounding up to 1024 gives the smallest normal number
  const exponent = Math.floor(Math.log2(size));
  const power = size < 2 ** exponent ? exponent - 1 : size >= 2 ** (exponent + 1) ? exponent + 1 : exponent;
  return sign | (((power + 14) << 10) + roundToEven(size * 2 ** (10 - power)));
}

function roundToEven(number: number): number {
  const down = Math.floor(number);
  const rest = number - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}

/** Widens one BF16. */
export const fromBF16 = (half: number): number => asFloat((half << 16) >>> 0);

/** Rounds to the nearest BF16, ties to even. */
export function toBF16(number: number): number {
  const pattern = asBits(number);
  if (Number.isNaN(number)) return (pattern >>> 16) | 0x40;
  return ((pattern + 0x7fff + ((pattern >>> 16) & 1)) >>> 16) & 0xffff;
}

let table: Float32Array | undefined;

/** Widens many F16 with a table. */
export function widenF16(halves: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 0x10000 }, (_, half) => fromF16(half));
  const known = table;
  const result = new Float32Array(halves.length);
  for (let index = 0; index < halves.length; index++) result[index] = known[halves[index] as number] as number;
  return result;
}

/** Widens many BF16. */
export function widenBF16(halves: Uint16Array): Float32Array {
  const patterns = new Uint32Array(halves.length);
  for (let index = 0; index < halves.length; index++) patterns[index] = (halves[index] as number) << 16;
  return new Float32Array(patterns.buffer);
}
