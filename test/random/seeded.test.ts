import { describe, expect, it } from 'vitest';
import { normal, restoreSource, type SourceState, type StreamName, seededSource } from '../../src/random/index.js';
import { describeSource } from './describe-source.js';
import { correlation } from './statistics.js';

const sourceOf = (seed: StreamName, ...names: StreamName[]) =>
  names.reduce((source, name) => source.stream(name), seededSource(seed));

const first = (count: number, seed: StreamName, ...names: StreamName[]) => {
  const source = sourceOf(seed, ...names);
  return Array.from({ length: count }, () => source.next());
};

// From an implementation of the same derivation in a few lines of Python, with whole numbers of any size.
const golden: readonly (readonly [readonly [StreamName, ...StreamName[]], string])[] = [
  [[7], '67f6192a f2027d64 21501eb6 c0fbf39f 0bc72256 a163ef21'],
  [[0], 'bfd806b9 82a94f62 f7eb8848 053a41c4 1ec0c7dc e795997b'],
  [[-1], 'bba35e0e f9795437 2624accb 67ae17a0 00e30f2d 27fc50a0'],
  [[2n ** 200n + 1n], 'e092c639 0b731ec9 1aab3990 a08c07ab 4cc3217e ce4eac71'],
  [['seven'], '4a2f438d 1ab74a04 9fbea438 b6ff2b38 5acbd22d 220ff94d'],
  [[''], '0c507a6e fd518949 b1f319cf c886963c 9a78f40d 7b281a15'],
  [[7, 'init'], '70924eb4 269f356b 7fb4e590 07f43474 7c3d1f93 4b42230c'],
  [[7, 'init', 'layer 3'], 'daaeabf1 0bf17497 5e29f6e7 5530d709 b6b169bf 823a8d49'],
  [[7, 3], '2cc21603 6b952350 99ad643f ff792976 a6ae8523 f35b5f6c'],
  [[7, '3'], '6cc96851 6cd57ffb 75f3aff0 6e9e72e4 6360c016 4e09498a'],
  [[7, 'naïve → 🙂'], '55142876 645d77dd 094616d1 9c8f6cbb 30f6d7bd 46d9a557'],
];

describeSource('seededSource', () => seededSource(1));
describeSource('a stream', () => seededSource(1).stream('a').stream(2));

describe('seededSource', () => {
  it.each(golden)('gives the same words on every platform: %s', (names, words) => {
    const hex = first(6, ...names).map((word) => word.toString(16).padStart(8, '0'));
    expect(hex.join(' ')).toBe(words);
  });

  it('fills with the words of next(), at any position', () => {
    const expected = first(1000, 3);
    for (const before of [0, 1, 3, 4, 15, 16, 17]) {
      for (const length of [0, 1, 5, 16, 18, 500]) {
        const source = seededSource(3);
        for (let draw = 0; draw < before; draw += 1) source.next();
        const words = new Uint32Array(length);
        source.fill(words);
        expect([...words, source.next()]).toEqual(expected.slice(before, before + length + 1));
      }
    }
  });

  it('treats a number and a bigint of the same value as the same seed, and text as another', () => {
    expect(first(4, 7n)).toEqual(first(4, 7));
    expect(first(4, -0)).toEqual(first(4, 0));
    expect(first(4, '7')).not.toEqual(first(4, 7));
  });

  it.each([1.5, Number.NaN, 2 ** 53, 'a\ud800', undefined, null, {}])('refuses %s as a seed or a name', (value) => {
    expect(() => seededSource(value as never)).toThrow(
      /^invalid seed: expected well-formed text or a whole number, got/,
    );
    expect(() => seededSource(1).stream(value as never)).toThrow(/^invalid name: expected well-formed text/);
  });
});

describe('stream', () => {
  it('does not depend on what was drawn from the parent, and draws nothing from it', () => {
    const parent = seededSource(7);
    for (let draw = 0; draw < 37; draw += 1) parent.next();
    expect(parent.stream('init').next()).toBe(first(1, 7, 'init')[0]);
    expect(parent.next()).toBe(first(38, 7)[37]);
  });

  it('distinguishes paths that read alike', () => {
    const paths: StreamName[][] = [
      ...[[], ['a', 'b'], ['ab'], ['b', 'a'], ['a'], ['a', ''], ['a\0'], ['a\0\0\0\0'], ['', 'a'], ['']],
      ...[[1], ['1'], [-1], [2 ** 32], [2 ** 32 + 1], [2n ** 64n], [0], [0, 0], [1, 0], [0, 1], ['é'], ['e\u0301']],
    ];
    const starts = paths.map((path) => first(4, 7, ...path).join());
    expect(new Set(starts).size).toBe(paths.length);
  });

  it('gives siblings that are not correlated', () => {
    const siblings = Array.from({ length: 20 }, (_, name) => first(5000, 11, 'siblings', name));
    // 190 pairs at 1e-6 two-sided each (4.9 standard errors): 2e-4 together.
    const bound = 4.9 / Math.sqrt(5000);
    for (const [index, one] of siblings.entries()) {
      for (const other of siblings.slice(index + 1)) expect(Math.abs(correlation(one, other))).toBeLessThan(bound);
      // A shift of the same sequence would hide from the comparison above.
      const following = siblings[(index + 1) % siblings.length] as number[];
      expect(one.filter((word) => following.includes(word)).length).toBeLessThan(3);
    }
  });

  it('changes half of the bits from one name to the next', () => {
    let changed = 0;
    for (let name = 0; name < 1000; name += 1) {
      let bits = (first(1, 5, name)[0] as number) ^ (first(1, 5, name + 1)[0] as number);
      for (; bits !== 0; bits &= bits - 1) changed += 1;
    }
    // 32,000 fair bits: 16,000 with a standard deviation of 89.4, here 3.9 of them (1e-4).
    expect(Math.abs(changed - 16_000)).toBeLessThan(349);
  });
});

describe('state and restoreSource', () => {
  it('continue with the next word from any position, through JSON', () => {
    const source = seededSource('checkpoint').stream('noise');
    for (let position = 0; position < 70; position += 1) {
      const state = JSON.parse(JSON.stringify(source.state())) as SourceState;
      expect(state.position).toBe(position);
      const restored = restoreSource(state);
      expect(restored.state()).toEqual(state);
      expect(restored.stream('child').next()).toBe(source.stream('child').next());
      const words = new Uint32Array(21);
      restored.fill(words);
      expect(words[0]).toBe(source.next());
      expect(restored.state().position).toBe(position + 21);
    }
  });

  it('cover positions whose block number needs more than 32 bits', () => {
    const { identity } = seededSource(1).state();
    const at = (position: number) => restoreSource({ generator: 'philox4x32-10', identity, position });
    const words = new Uint32Array(8);
    at(2 ** 34 - 4).fill(words);
    expect([...words.slice(4)]).toEqual(Array.from({ length: 4 }, (_, word) => at(2 ** 34 + word).next()));
    expect(words[4]).not.toBe(at(0).next());
    expect(Number.isFinite(normal(at(2 ** 52 + 3)))).toBe(true);
  });

  const good = seededSource(1).state();
  it.each<[unknown, string]>([
    [null, 'invalid state: expected an object, got null'],
    [{ ...good, generator: 'mt19937' }, 'invalid state.generator: expected philox4x32-10, got mt19937'],
    [{ ...good, identity: [1, 2, 3] }, 'invalid state.identity: expected four 32-bit words, got 1,2,3'],
    [{ ...good, identity: [1, 2, 3, 2 ** 32] }, 'invalid state.identity: expected four 32-bit words'],
    [{ ...good, identity: [1, 2, 3, -1] }, 'invalid state.identity: expected four 32-bit words'],
    [{ ...good, identity: undefined }, 'invalid state.identity: expected four 32-bit words'],
    [{ ...good, position: -1 }, 'invalid state.position: expected a whole number >= 0, got -1'],
    [{ ...good, position: 0.5 }, 'invalid state.position: expected a whole number >= 0, got 0.5'],
    [{ ...good, seed: 1 }, 'invalid keys of state: expected no others, got seed'],
  ])('refuse %j', (state, message) => {
    expect(() => restoreSource(state as SourceState)).toThrow(message);
  });
});
