// The identity of a source's sequence: 128 bits, derived from the seed and the names of the streams that lead to it. A
// child's identity is the parent's with the name absorbed, block by block, as in Davies and Meyer:
// h ← philox(counter h, key block) ⊕ h. This keeps streams apart; it is not a cryptographic hash.

import { check } from '../checks/index.js';
import { type Four, philoxBlock } from './philox.js';

/** The 128 bits that tell one seeded sequence from another, as four 32-bit words. */
export type Identity = Four;

/**
 * A seed or the name of a stream: well-formed text or a whole number. A number and a bigint of the same value are the same
 * name (7 and 7n); text is a different one ('7' gives unrelated numbers).
 */
export type StreamName = string | number | bigint;

/** Where every derivation starts. */
export const ORIGIN: Identity = [0, 0, 0, 0];

const TEXT = 1;
const WHOLE = 2;
const NEGATIVE = 3;

// A lone surrogate has no UTF-8 form: all of them would become the same replacement character.
const isName = (name: StreamName): boolean =>
  typeof name === 'string' ? !/\p{Surrogate}/u.test(name) : typeof name === 'bigint' || Number.isSafeInteger(name);

function textWords(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  const words: number[] = [bytes.length];
  for (let at = 0; at < bytes.length; at += 4) {
    const byte = (offset: number) => bytes[at + offset] ?? 0;
    words.push((byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24)) >>> 0);
  }
  return words;
}

function magnitudeWords(magnitude: bigint): number[] {
  const words: number[] = [];
  for (let rest = magnitude; rest > 0n; rest >>= 32n) words.push(Number(BigInt.asUintN(32, rest)));
  return [words.length, ...words];
}

/** Kind and length come first, so no name is a prefix of another: 'a' then 'b' differs from 'ab'. */
function encode(name: StreamName): number[] {
  if (typeof name === 'string') return [TEXT, ...textWords(name)];
  const value = BigInt(name);
  return value < 0n ? [NEGATIVE, ...magnitudeWords(-value)] : [WHOLE, ...magnitudeWords(value)];
}

/** The identity of a child of `parent`. The shorthand object gives an error its name: `derive(parent, { seed })`. */
export function derive(parent: Identity, named: Readonly<Record<string, StreamName>>): Identity {
  check(named, 'well-formed text or a whole number', isName);
  let identity = parent;
  for (const name of Object.values(named)) {
    const words = encode(name);
    for (let at = 0; at < words.length; at += 2) {
      const mixed = philoxBlock(identity, [words[at] as number, words[at + 1] ?? 0]);
      const feed = (index: 0 | 1 | 2 | 3) => (mixed[index] ^ identity[index]) >>> 0;
      identity = [feed(0), feed(1), feed(2), feed(3)];
    }
  }
  return identity;
}
