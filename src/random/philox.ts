// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
// 1, 2, 3" (SC 2011). Ten rounds of a keyed bijection turn a 128-bit counter into four random words.

export type Four = readonly [number, number, number, number];
export type Two = readonly [number, number];

export const ROUNDS = 10;
export const MULTIPLIERS: Two = [0xd2511f53, 0xcd9e8d57];
/** Added to the key after each round: the golden ratio and √3 − 1 in 32 bits. */
export const KEY_STEPS: Two = [0x9e3779b9, 0xbb67ae85];

/** The upper 32 bits of a 32 × 32-bit product, from four 16-bit products that each fit in 32 bits. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) >>> 0;
  const cross = (Math.imul(aLow, bHigh) + (middle & 0xffff)) >>> 0;
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (cross >>> 16)) >>> 0;
}

/** The four random words of one counter under one key. */
export function philoxBlock(counter: Four, key: Two): Four {
  let [x0, x1, x2, x3] = counter;
  let [key0, key1] = key;
  for (let round = 0; round < ROUNDS; round += 1) {
    const high0 = multiplyHigh(x0, MULTIPLIERS[0]);
    const low0 = Math.imul(x0, MULTIPLIERS[0]);
    const high1 = multiplyHigh(x2, MULTIPLIERS[1]);
    const low1 = Math.imul(x2, MULTIPLIERS[1]);
    x0 = high1 ^ x1 ^ key0;
    x1 = low1;
    x2 = high0 ^ x3 ^ key1;
    x3 = low0;
    key0 = (key0 + KEY_STEPS[0]) | 0;
    key1 = (key1 + KEY_STEPS[1]) | 0;
  }
  return [x0 >>> 0, x1 >>> 0, x2 >>> 0, x3 >>> 0];
}

/** Writes `blocks` blocks of four words each, for the counter and its successors in the lower 64 bits. */
export type FillBlocks = (counter: Four, key: Two, words: Uint32Array, start: number, blocks: number) => void;

export const fillBlocksPlainly: FillBlocks = (counter, key, words, start, blocks) => {
  const [first, second, third, fourth] = counter;
  for (let block = 0; block < blocks; block += 1) {
    const low = (first + block) % 2 ** 32;
    const carry = first + block >= 2 ** 32 ? 1 : 0;
    words.set(philoxBlock([low, (second + carry) >>> 0, third, fourth], key), start + 4 * block);
  }
};
