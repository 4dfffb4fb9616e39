import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Four, fillBlocksPlainly, philoxBlock, type Two } from '../../src/random/philox.js';
import { fillBlocks } from '../../src/random/philox-wasm.js';

// kat_vectors of Random123 1.14, lines "philox4x32 10"; the last one agrees with PyPI randomgen 2.3 as well.
const knownAnswers: readonly (readonly [string, string, string])[] = [
  ['00000000 00000000 00000000 00000000', '00000000 00000000', '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
  ['ffffffff ffffffff ffffffff ffffffff', 'ffffffff ffffffff', '408f276d 41c83b0e a20bc7c6 6d5451fd'],
  ['243f6a88 85a308d3 13198a2e 03707344', 'a4093822 299f31d0', 'd16cfe09 94fdcceb 5001e420 24126ea1'],
];

const parse = (text: string) => text.split(' ').map((word) => Number.parseInt(word, 16));

describe('philox4x32-10', () => {
  it.each(knownAnswers)('turns counter %s under key %s into %s', (counter, key, answer) => {
    const [four, two] = [parse(counter) as unknown as Four, parse(key) as unknown as Two];
    expect(philoxBlock(four, two)).toEqual(parse(answer));
    for (const fill of [fillBlocksPlainly, fillBlocks]) {
      const words = new Uint32Array(4);
      fill(four, two, words, 0, 1);
      expect([...words]).toEqual(parse(answer));
    }
  });

  it('is the same in WebAssembly, for any counter, key, place and number of blocks', () => {
    const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    // Counters near the end of the lower word carry into the next.
    const counter = fc.tuple(fc.oneof(word, fc.integer({ min: 2 ** 32 - 9, max: 2 ** 32 - 1 })), word, word, word);
    const property = fc.property(counter, fc.tuple(word, word), fc.nat(5), fc.nat(20), (four, two, start, blocks) => {
      const [plain, fast] = [new Uint32Array(90), new Uint32Array(90)];
      fillBlocksPlainly(four, two, plain, start, blocks);
      fillBlocks(four, two, fast, start, blocks);
      expect(fast).toEqual(plain);
    });
    fc.assert(property, { seed: 1 });
  });

  it('continues across a page of WebAssembly memory, the carry into the second word and the last counter', () => {
    const [plain, fast] = [new Uint32Array(40_000), new Uint32Array(40_000)];
    for (const second of [5, 2 ** 32 - 1]) {
      const counter: Four = [2 ** 32 - 6000, second, 1, 2];
      fillBlocksPlainly(counter, [3, 4], plain, 0, 10_000);
      fillBlocks(counter, [3, 4], fast, 0, 10_000);
      expect(fast).toEqual(plain);
      expect([...fast.slice(24_000, 24_004)]).toEqual(philoxBlock([0, (second + 1) % 2 ** 32, 1, 2], [3, 4]));
    }
  });
});
