// Philox in WebAssembly, whose 64-bit product makes it about four times faster than products of 16-bit pieces. The
// arithmetic is on integers only, so the words cannot differ; tests compare it with philox.ts. The module is one short
// loop, assembled here byte by byte (WebAssembly core specification, chapter 5).

import { type FillBlocks, fillBlocksPlainly, KEY_STEPS, MULTIPLIERS, ROUNDS } from './philox.js';

const [I32, I64, FUNCTION, EMPTY] = [0x7f, 0x7e, 0x60, 0x40];
const [LOOP, IF, END, BRANCH_IF, GET, SET, TEE] = [0x03, 0x04, 0x0b, 0x0d, 0x20, 0x21, 0x22];
const [I32_CONSTANT, I32_IS_ZERO, I32_LESS, I32_ADD] = [0x41, 0x45, 0x49, 0x6a];
const [I64_CONSTANT, I64_MULTIPLY, I64_AND, I64_XOR, I64_SHIFT_RIGHT] = [0x42, 0x7e, 0x83, 0x85, 0x88];
const [I64_EXTEND, I64_STORE_32] = [0xad, 0x3e];

/** Signed LEB128, the format's variable-length integers. */
const leb = (value: number): number[] =>
  value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...leb(Math.floor(value / 128))];

const i32 = (value: number) => [I32_CONSTANT, ...leb(value | 0)];
const i64 = (value: number) => [I64_CONSTANT, ...leb(value)];
const sized = (bytes: readonly number[]) => [...leb(bytes.length), ...bytes];
const section = (id: number, bytes: readonly number[]) => [id, ...sized(bytes)];

// Indices of the function's locals: eight 32-bit parameters, then six 64-bit variables.
const [AT, END_AT, KEY, COUNTER, X, PRODUCT0, PRODUCT1] = [0, 1, 2, 4, 8, 12, 13] as const;
const words = [0, 1, 2, 3] as const;

const upper = (product: number) => [GET, product, ...i64(32), I64_SHIFT_RIGHT];
const lower = (product: number) => [GET, product, ...i64(0xffffffff), I64_AND];
const roundKey = (which: 0 | 1, round: number) => {
  const steps = i32(Math.imul(round, KEY_STEPS[which]));
  return [GET, KEY + which, ...steps, I32_ADD, I64_EXTEND];
};

const philoxRound = (round: number) => [
  ...[GET, X, ...i64(MULTIPLIERS[0]), I64_MULTIPLY, SET, PRODUCT0],
  ...[GET, X + 2, ...i64(MULTIPLIERS[1]), I64_MULTIPLY, SET, PRODUCT1],
  ...[...upper(PRODUCT1), GET, X + 1, I64_XOR, ...roundKey(0, round), I64_XOR, SET, X],
  ...[...lower(PRODUCT1), SET, X + 1],
  ...[...upper(PRODUCT0), GET, X + 3, I64_XOR, ...roundKey(1, round), I64_XOR, SET, X + 2],
  ...[...lower(PRODUCT0), SET, X + 3],
];

const increment = (place: number) => [GET, place, ...i32(1), I32_ADD];

/** (at, endAt, key0, key1, counter0 … counter3): writes blocks to memory from byte `at` up to `endAt`. */
const body = () => [
  ...[1, 6, I64],
  ...[LOOP, EMPTY],
  ...words.flatMap((word) => [GET, COUNTER + word, I64_EXTEND, SET, X + word]),
  ...Array.from({ length: ROUNDS }, (_, round) => philoxRound(round)).flat(),
  ...words.flatMap((word) => [GET, AT, GET, X + word, I64_STORE_32, 2, 4 * word]),
  ...[...increment(COUNTER), TEE, COUNTER, I32_IS_ZERO, IF, EMPTY, ...increment(COUNTER + 1), SET, COUNTER + 1, END],
  ...[GET, AT, ...i32(16), I32_ADD, TEE, AT, GET, END_AT, I32_LESS, BRANCH_IF, 0],
  ...[END, END],
];

const moduleBytes = () =>
  new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // "\0asm", version 1
    ...section(1, [1, FUNCTION, ...sized(Array(8).fill(I32)), ...sized([])]), // one type: eight i32, no result
    ...section(3, [1, 0]), // one function of that type
    ...section(5, [1, 0, 1]), // one page of memory
    ...section(7, [2, ...sized([0x6d]), 2, 0, ...sized([0x66]), 0, 0]), // exports: m, the memory; f, the function
    ...section(10, [1, ...sized(body())]),
  ]);

type Exports = { readonly m: { readonly buffer: ArrayBuffer }; readonly f: (...parameters: number[]) => void };

// Declared here because the types of Node 20 lack it; absent under `node --jitless`.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

const PAGE_BLOCKS = 4096;

function load(): FillBlocks {
  if (typeof WebAssembly === 'undefined') return fillBlocksPlainly;
  const { m, f } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes())).exports as Exports;
  const page = new Uint32Array(m.buffer);
  return (counter, key, output, start, blocks) => {
    for (let done = 0; done < blocks; done += PAGE_BLOCKS) {
      const count = Math.min(PAGE_BLOCKS, blocks - done);
      const first = counter[0] + done;
      const second = first < 2 ** 32 ? counter[1] : counter[1] + 1;
      // `| 0` keeps the arguments small integers, which are passed without boxing.
      f(0, 16 * count, key[0] | 0, key[1] | 0, first | 0, second | 0, counter[2] | 0, counter[3] | 0);
      output.set(page.subarray(0, 4 * count), start + 4 * done);
    }
  };
}

let loaded: FillBlocks | undefined;

/** Compiles at the first call (a quarter of a millisecond), so importing the room has no side effects. */
export const fillBlocks: FillBlocks = (counter, key, output, start, blocks) => {
  loaded ??= load();
  loaded(counter, key, output, start, blocks);
};
