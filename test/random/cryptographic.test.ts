import { describe, expect, it, vi } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { cryptographicSource, fillNormal, normal, seededSource } from '../../src/random/index.js';
import { describeSource } from './describe-source.js';

/** A repeatable filler, and the arrays it was given. */
function repeatable(seed: number) {
  const source = seededSource(seed);
  const asked: Uint8Array[] = [];
  const fillRandom = (bytes: Uint8Array<ArrayBuffer>) => {
    asked.push(bytes);
    source.fill(new Uint32Array(bytes.buffer));
  };
  return { asked, fillRandom };
}

const wordsOf = (seed: number, count: number) => {
  const words = new Uint32Array(count);
  seededSource(seed).fill(words);
  return words;
};

// With fixed bytes, because the suite's false alarms (7e-5 together) would occur at random.
describeSource('cryptographicSource of fixed bytes', () => cryptographicSource(repeatable(1).fillRandom));

describe('cryptographicSource', () => {
  it('never repeats itself, in one source or two', () => {
    // 20,000 pairs of words, more than a pool: the chance of two equal ones is 1e-11.
    const [one, other] = [cryptographicSource(), cryptographicSource()];
    const words = new Uint32Array(36_000);
    one.fill(words);
    const pairs = Array.from({ length: 18_000 }, (_, pair) => `${words[2 * pair]} ${words[2 * pair + 1]}`);
    for (let draw = 0; draw < 2000; draw += 1) pairs.push(`${other.next()} ${other.next()}`);
    expect(new Set(pairs).size).toBe(20_000);
  });

  it('sets every bit of the real words about half of the time', () => {
    const words = new Uint32Array(40_000);
    cryptographicSource().fill(words);
    for (let bit = 0; bit < 32; bit += 1) {
      const ones = words.reduce((count, word) => count + ((word >>> bit) & 1), 0);
      // Eight standard errors: one false alarm in 1e13 runs.
      expect(Math.abs(ones - 20_000) / 100).toBeLessThan(8);
    }
  });

  it('gives the words of its generator in order, however they are drawn', () => {
    const expected = wordsOf(2, 60_000);
    for (const before of [0, 1, 16_383, 16_384, 16_385]) {
      for (const length of [0, 1, 16_384, 40_000]) {
        const source = cryptographicSource(repeatable(2).fillRandom);
        const words = new Uint32Array(before + length + 1);
        for (let draw = 0; draw < before; draw += 1) words[draw] = source.next();
        source.fill(words.subarray(before, before + length));
        words[before + length] = source.next();
        expect(words.every((word, index) => word === expected[index])).toBe(true);
      }
    }
  });

  it('asks for as much as Web Crypto gives at once, and for nothing before it is needed', () => {
    const { asked, fillRandom } = repeatable(3);
    const source = cryptographicSource(fillRandom);
    expect(asked.length).toBe(0);
    source.fill(new Uint32Array(16_384));
    expect(asked.map((bytes) => bytes.length)).toEqual([65_536]);
    source.next();
    expect(asked.map((bytes) => bytes.length)).toEqual([65_536, 65_536]);
    const browser = cryptographicSource((bytes) => globalThis.crypto.getRandomValues(bytes));
    expect(new Set([browser.next(), browser.next(), browser.next()]).size).toBe(3);
  });

  it('wipes exactly the words that were drawn', () => {
    const { asked, fillRandom } = repeatable(4);
    const expected = wordsOf(4, 16_384);
    const source = cryptographicSource(fillRandom);
    const pool = () => new Uint32Array((asked[0] as Uint8Array).buffer);
    const isWipedUpTo = (drawn: number) => pool().every((word, at) => word === (at < drawn ? 0 : expected[at]));
    for (let drawn = 1; drawn <= 10; drawn += 1) {
      source.next();
      expect(isWipedUpTo(drawn)).toBe(true);
    }
    source.fill(new Uint32Array(1000));
    expect(isWipedUpTo(1010)).toBe(true);
    source.fill(new Uint32Array(16_384 - 1010));
    expect(pool().every((word) => word === 0)).toBe(true);
  });

  it('has no seed, no streams and no state', () => {
    expect(Object.keys(cryptographicSource()).sort()).toEqual(['fill', 'next']);
    for (const seed of [7, 7n, 'seven', null, {}]) {
      const act = () => cryptographicSource(seed as never);
      expect(act).toThrow(ArgumentError);
      expect(act).toThrow(/^invalid fillRandom: expected a function that fills bytes, got /);
    }
  });

  it('needs no Node, and asks for a function where there is no Web Crypto', () => {
    vi.stubGlobal('process', undefined);
    expect(cryptographicSource().next()).toBeLessThan(2 ** 32);
    vi.stubGlobal('crypto', undefined);
    let message = '';
    try {
      cryptographicSource();
    } catch (error) {
      message = String(error);
    }
    vi.unstubAllGlobals();
    expect(message).toContain('invalid fillRandom: expected a function that fills bytes, got undefined');
  });

  it('refuses bytes that were not set, and passes on the error of its generator', () => {
    const unset = 'fillRandom left bytes unset: it must fill the whole array before it returns';
    expect(() => cryptographicSource(() => undefined).next()).toThrow(unset);
    const late = cryptographicSource(async (bytes) => {
      await Promise.resolve();
      bytes.fill(1);
    });
    expect(() => late.fill(new Uint32Array(1))).toThrow(unset);
    expect(() => cryptographicSource((bytes) => void bytes.fill(1, 0, 65_000)).next()).toThrow(unset);
    // The same when a pool was used up before.
    let calls = 0;
    const once = cryptographicSource((bytes) => void (calls++ === 0 && bytes.fill(1)));
    once.fill(new Uint32Array(16_384));
    expect(() => once.next()).toThrow(unset);
    const broken = cryptographicSource(() => {
      throw new Error('no entropy');
    });
    expect(() => broken.next()).toThrow('no entropy');
    expect(() => broken.next()).toThrow('no entropy');
  });

  it.each([0, 1, 1025, 30_000])('gives fillNormal the same numbers as normal, for %i numbers', (length) => {
    const [bulk, single] = [
      cryptographicSource(repeatable(5).fillRandom),
      cryptographicSource(repeatable(5).fillRandom),
    ];
    const expected = Array.from({ length }, () => normal(single));
    expect([...fillNormal(bulk, new Float64Array(length))]).toEqual(expected);
    expect(bulk.next()).toBe(single.next());
  });
});
