// Dropout masks: independent elements, each 0 with a given probability and otherwise the factor that keeps the mean. Eight elements
// at a time are one pattern of eight bits, drawn by Walker's alias method from 16 random bits, of which 8 name a column of the table
// and 8 decide between the column's two patterns. Only if these 8 bits equal the threshold's (once in 256 draws), 16 more decide.

import { check } from '../checks/index.js';
import type { RandomSource } from './source.js';

/** The law of a mask with one rate, ready to draw from. */
export interface MaskLaw {
  /** The exact probability of a 0: within 2⁻²⁴ of the rate that was asked for. */
  readonly rate: number;
  /** What the other elements are: 1 / (1 − rate). */
  readonly scale: number;
  /**
   * Overwrites `rows` rows of `length` elements of the array, the first from `start` on, one every `stride` elements; up to seven
   * elements after a row may be overwritten, too. How many words are drawn depends on rows and length only up to rare extra ones.
   */
  readonly fill: (source: MaskSource, into: Float32Array, place: MaskPlace) => void;
}

/** Where words come from: most of them in bulk, the rare extra ones from a source of their own. */
interface MaskSource {
  readonly words: RandomSource;
  readonly extra: RandomSource;
}

/** The rows of an array that a mask fills. */
interface MaskPlace {
  readonly start: number;
  readonly rows: number;
  readonly length: number;
  readonly stride: number;
}

const patterns = 256;
const bits = 8;
/** Probabilities are multiples of 2⁻³²: a column weighs 2²⁴. */
const columnWeight = 2 ** 24;

/** Prepares masks with this probability of a 0, from 0 to 1 (without 1). */
export function maskLaw(rate: number): MaskLaw {
  check({ rate }, 'a number from 0 to 1, without 1', (value) => value >= 0 && value < 1);
  const weights = patternWeights(rate);
  const zeros = weights.reduce((sum, weight, pattern) => sum + weight * (bits - countOnes(pattern)), 0);
  const exact = zeros / (bits * 2 ** 32);
  const scale = 1 / (1 - exact);
  const columns = aliasTable(weights);
  const answers = tabulate(columns);
  const numbers = Float32Array.from({ length: patterns * bits }, (_, i) => ((i >> 3) & (1 << (i & 7)) ? scale : 0));
  let words = new Uint32Array(0);
  return {
    rate: exact,
    scale,
    fill: ({ words: source, extra }, into, { start, rows, length, stride }) => {
      const perRow = (length + bits - 1) >> 3;
      const needed = (rows * perRow + 1) >> 1;
      if (words.length < needed) words = new Uint32Array(needed);
      source.fill(words.subarray(0, needed));
      const halves = new Uint16Array(words.buffer, 0, rows * perRow);
      decide(halves, answers, columns, extra);
      write(halves, numbers, into, { start, rows, length, stride });
    },
  };
}

/** Replaces each 16 random bits by the pattern that they choose. */
function decide(halves: Uint16Array, answers: Int16Array, { low, other }: Columns, extra: RandomSource): void {
  for (let i = 0; i < halves.length; i++) {
    const half = halves[i] as number;
    const answer = answers[half] as number;
    if (answer >= 0) halves[i] = answer;
    else {
      const column = half & 255;
      halves[i] = (extra.next() & 0xffff) < (low[column] as number) ? column : (other[column] as number);
    }
  }
}

/** Writes the numbers of patterns, two at a time where the rows allow: as 64 bits, which are never those of NaN. */
function write(chosen: Uint16Array, numbers: Float32Array, into: Float32Array, place: MaskPlace): void {
  const { start, rows, length, stride } = place;
  const perRow = (length + bits - 1) >> 3;
  const isAligned = into.byteOffset % 8 === 0 && start % 2 === 0 && stride % 2 === 0;
  const wide = isAligned ? new Float64Array(into.buffer, into.byteOffset, into.length >> 1) : undefined;
  const pairs = new Float64Array(numbers.buffer);
  for (let row = 0; row < rows; row++) {
    const [first, next] = [start + row * stride, row * perRow];
    if (wide && first + bits * perRow <= into.length) writePairs(chosen, next, perRow, pairs, wide, first >> 1);
    else {
      for (let i = 0; i < bits * perRow; i++) {
        into[first + i] = numbers[((chosen[next + (i >> 3)] as number) << 3) + (i & 7)] as number;
      }
    }
  }
}

function writePairs(
  chosen: Uint16Array,
  from: number,
  count: number,
  pairs: Float64Array,
  wide: Float64Array,
  start: number,
): void {
  for (let i = 0; i < count; i++) {
    const pair = (chosen[from + i] as number) << 2;
    const at = start + (i << 2);
    wide[at] = pairs[pair] as number;
    wide[at + 1] = pairs[pair + 1] as number;
    wide[at + 2] = pairs[pair + 2] as number;
    wide[at + 3] = pairs[pair + 3] as number;
  }
}

/**
 * The probability of each pattern in units of 2⁻³², equal for patterns with equally many ones. What rounding leaves goes to the
 * likelier one of the two patterns that treat all bits alike.
 */
function patternWeights(rate: number): number[] {
  const weights = Array.from({ length: patterns }, (_, pattern) => {
    const ones = countOnes(pattern);
    return Math.round((1 - rate) ** ones * rate ** (bits - ones) * 2 ** 32);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const rest = rate < 0.5 ? patterns - 1 : 0;
  return weights.with(rest, (weights[rest] as number) + 2 ** 32 - sum);
}

/** Vose's form of the alias method, in whole numbers: a column gives its own pattern below its threshold, and another one above. */
function aliasTable(weights: readonly number[]): Columns {
  const left = weights.map((weight) => weight * patterns);
  const full = columnWeight * patterns;
  const [high, low] = [new Uint16Array(patterns), new Uint32Array(patterns)];
  const other = Uint8Array.from({ length: patterns }, (_, pattern) => pattern);
  const small = left.flatMap((weight, pattern) => (weight < full ? [pattern] : []));
  const large = left.flatMap((weight, pattern) => (weight >= full ? [pattern] : []));
  const set = (pattern: number, weight: number) => {
    const threshold = Math.round(weight / patterns);
    high[pattern] = Math.floor(threshold / 2 ** 16);
    low[pattern] = threshold % 2 ** 16;
  };
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop() as number, large.at(-1) as number];
    set(less, left[less] as number);
    other[less] = more;
    left[more] = (left[more] as number) - (full - (left[less] as number));
    if ((left[more] as number) < full) small.push(large.pop() as number);
  }
  for (const pattern of [...small, ...large]) set(pattern, full);
  return { high, low, other };
}

interface Columns {
  /** The upper 8 bits of each column's threshold in units of 2⁻²⁴; 256 if the column is all its own. */
  readonly high: Uint16Array;
  /** Its lower 16 bits. */
  readonly low: Uint32Array;
  /** The pattern above the threshold. */
  readonly other: Uint8Array;
}

/** The pattern that each 16 bits choose, or −1 where they do not decide. */
const tabulate = ({ high, low, other }: Columns): Int16Array =>
  Int16Array.from({ length: 2 ** 16 }, (_, half) => {
    const [column, rest] = [half & 255, half >>> 8];
    const bound = high[column] as number;
    if (rest === bound && (low[column] as number) > 0) return -1;
    return rest < bound ? column : (other[column] as number);
  });

const countOnes = (pattern: number): number => {
  let ones = 0;
  for (let rest = pattern; rest > 0; rest >>= 1) ones += rest & 1;
  return ones;
};
