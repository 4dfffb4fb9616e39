// The sentence encoder against the package that its weights come from.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSentenceEncoder, type SentenceEncoder } from '../../src/models/index.js';
import { makePieces } from '../../src/models/sentence-encoder-pieces.js';

interface GoldenText {
  readonly text: string;
  readonly ids: number[];
  readonly vector: number[];
  readonly cosine: number;
}
const { texts } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'golden', 'sentence-encoder.json'), 'utf8'),
) as { texts: GoldenText[] };

const folder = mkdtempSync(join(tmpdir(), 'epsilens-encoder-'));
let encoder: SentenceEncoder;
beforeAll(async () => {
  encoder = await openSentenceEncoder({ folder });
});
afterAll(async () => {
  await encoder.close();
  rmSync(folder, { recursive: true });
});

const dot = (left: ArrayLike<number>, right: ArrayLike<number>) =>
  Array.from(left).reduce((sum, number, place) => sum + number * (right[place] as number), 0);

describe('pieces', () => {
  it.each(texts)('of $text', ({ text, ids }) => {
    expect(encoder.encode(text)).toEqual(ids.slice(0, 128));
  });

  it('are the most likely way to split a text', () => {
    const known: [string, number][] = [
      ['▁', -3],
      ['a', -2],
      ['b', -2.5],
      ['ab', -3],
      ['ba', -4.2],
      ['aba', -5.5],
      ['▁a', -4],
    ];
    const vocabulary: [string, number][] = [...Array.from({ length: 6 }, (): [string, number] => ['', 0]), ...known];
    const pieces = makePieces(vocabulary);
    const likeliest = (rest: string): number =>
      rest === ''
        ? 0
        : Math.max(
            ...known.flatMap(([piece, score]) =>
              rest.startsWith(piece) ? [score + likeliest(rest.slice(piece.length))] : [],
            ),
          );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 8 }), (text) => {
        const chosen = pieces(text).map((id) => vocabulary[id] as [string, number]);
        expect(chosen.map(([piece]) => piece).join('')).toBe(`▁${text}`);
        expect(chosen.reduce((sum, [, score]) => sum + score, 0)).toBeCloseTo(likeliest(`▁${text}`), 12);
      }),
    );
  });

  it('do not depend on the amount or kind of white space', () => {
    expect(encoder.encode('\n two  words\t')).toEqual(encoder.encode('two words'));
    expect([encoder.encode(''), encoder.encode(' \n')]).toEqual([[], []]);
  });
});

describe('sentence encoder', () => {
  it('gives the vectors of the package, whatever else is in the batch', async () => {
    const together = await encoder.embed(texts.map(({ text }) => text));
    const [alone] = await encoder.embed([texts[4]?.text as string]);
    for (const [index, { vector, cosine }] of texts.entries()) {
      const own = together[index] as Float32Array;
      expect(Array.from(own.subarray(0, vector.length))).toEqual(vector.map((number) => expect.closeTo(number, 6)));
      expect(dot(own, together[0] as Float32Array)).toBeCloseTo(cosine, 5);
      expect(dot(own, own)).toBeCloseTo(1, 5);
    }
    expect(Array.from(alone as Float32Array)).toEqual(
      Array.from(together[4] as Float32Array, (number) => expect.closeTo(number, 6)),
    );
  });

  it('puts a paraphrase nearer than another subject', async () => {
    const [question, paraphrase, other] = (await encoder.embed([
      'When does the meeting start?',
      'At what time will the meeting begin?',
      'My cat eats fish.',
    ])) as [Float32Array, Float32Array, Float32Array];
    expect(dot(question, paraphrase)).toBeGreaterThan(dot(question, other) + 0.3);
  });

  it('gives zeros for a text without words, and nothing for no texts', async () => {
    const [empty, full] = await encoder.embed([' ', 'word']);
    expect(dot(empty as Float32Array, empty as Float32Array)).toBe(0);
    expect(dot(full as Float32Array, full as Float32Array)).toBeCloseTo(1, 5);
    expect(await encoder.embed([])).toEqual([]);
  });

  it('writes its weights again if the cached ones are damaged', async () => {
    const other = mkdtempSync(join(tmpdir(), 'epsilens-encoder-'));
    writeFileSync(join(other, 'universal-sentence-encoder-lite-0.2.0-1.safetensors'), 'damaged');
    const again = await openSentenceEncoder({ folder: other });
    const [vector] = await again.embed([texts[0]?.text as string]);
    expect(vector?.[0]).toBeCloseTo(texts[0]?.vector[0] as number, 5);
    await again.close();
    rmSync(other, { recursive: true });
  });
});
