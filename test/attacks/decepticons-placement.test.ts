// From rows to sentences: planted rows, made from random tables and keys, return to their sentence, place and word.

import { describe, expect, it } from 'vitest';
import { clusterPoints } from '../../src/attacks/decepticons/clusters.js';
import { correlation, embeddingCorrelations, without } from '../../src/attacks/decepticons/embedding-correlations.js';
import { chooseTokens, fillEmpty, type Placed, placeRows } from '../../src/attacks/decepticons/placement.js';
import { fillNormal, integerBelow, seededSource, shuffled } from '../../src/random/index.js';

const [hidden, keyLength, vocabulary, places] = [40, 6, 50, 8];
const draw = (name: string, size: number) => fillNormal(seededSource('placement').stream(name), new Float64Array(size));
const tables = {
  words: Float32Array.from(draw('words', vocabulary * hidden)),
  positions: Float32Array.from(draw('positions', places * hidden)),
};
const seen = embeddingCorrelations(tables, hidden, keyLength);
const partOf = (table: Float32Array, row: number) => [
  ...table.subarray(row * hidden + keyLength, (row + 1) * hidden - 1),
];
const centred = (numbers: readonly number[]) => {
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  return numbers.map((x) => x - mean);
};
const pearson = (a: readonly number[], b: readonly number[]) => {
  const [x, y] = [centred(a), centred(b)];
  return x.reduce((sum, one, i) => sum + one * (y[i] as number), 0) / (Math.hypot(...x) * Math.hypot(...y));
};
/** a·(word + position) + c between the key and the last coordinate, which others write to. */
function rowOf(token: number, place: number, key: ArrayLike<number>, [scale, shift]: readonly [number, number]) {
  const row = draw(`junk ${token} ${place}`, hidden);
  for (let i = 0; i < keyLength; i++) row[i] = scale * (key[i] as number) + shift;
  const [word, position] = [partOf(tables.words, token), partOf(tables.positions, place)];
  for (const [i, x] of word.entries()) row[keyLength + i] = scale * (x + (position[i] as number)) + shift;
  return row;
}

describe('correlations with the tables', () => {
  it('are those of the parts that both show', () => {
    const row = rowOf(7, 3, draw('key', keyLength), [2, 5]);
    const shown = [...row.subarray(keyLength, -1)];
    for (const place of [0, 3])
      expect(correlation(seen.centred(row), seen.position(place))).toBeCloseTo(
        pearson(shown, partOf(tables.positions, place)),
        10,
      );
    expect([...seen.word(9)]).toEqual(centred(partOf(tables.words, 9)).map((x) => expect.closeTo(x, 12)));
  });

  it('of a word are partial: the place’s own part is removed from both', () => {
    const shown = [...rowOf(7, 3, draw('key', keyLength), [2, 5]).subarray(keyLength, -1)];
    const tokens = [0, 7, 22];
    const scores = seen.tokenScores(Float64Array.from(centred(shown)), 3, tokens);
    const place = partOf(tables.positions, 3);
    for (const [i, token] of tokens.entries()) {
      // The textbook's formula.
      const [xy, xz, yz] = [
        pearson(shown, partOf(tables.words, token)),
        pearson(shown, place),
        pearson(partOf(tables.words, token), place),
      ];
      expect(scores[i]).toBeCloseTo((xy - xz * yz) / Math.sqrt((1 - xz * xz) * (1 - yz * yz)), 9);
    }
    expect(scores[1]).toBeCloseTo(1, 9);
  });

  it('are 0 where there is no direction, and what is left is orthogonal', () => {
    const [a, b, zero] = [draw('a', 9), draw('b', 9), new Float64Array(9)];
    expect(correlation(a, zero)).toBe(0);
    expect(correlation(without(a, b), b)).toBeCloseTo(0, 12);
    expect(without(a, zero)).toEqual(a);
  });
});

describe('planted rows', () => {
  const source = seededSource('texts');
  const lengths = [8, 5, 7];
  const sentences = lengths.map((length) => Array.from({ length }, () => integerBelow(source, vocabulary)));
  const flat = sentences.flatMap((tokens, sentence) => tokens.map((token, place) => ({ sentence, token, place })));
  const mixed = [...shuffled(source, flat)];
  // Some point backwards, as those do whose loss has a negative slope.
  const vectors = mixed.map(({ sentence, token, place }, i) =>
    rowOf(token, place, draw(`key ${sentence}`, keyLength), [(i % 3 === 0 ? -1 : 1) * (0.5 + i / 10), i / 7]),
  );
  const placed = placeRows(vectors, seen, keyLength, lengths);

  it('go to their sentence and place', () => {
    expect(placed).toHaveLength(flat.length);
    const key = ({ sentence, place }: Pick<Placed, 'sentence' | 'place'>) => `${sentence} ${place}`;
    expect(placed.map(key).sort()).toEqual(flat.map(key).sort());
  });

  it('give their words, best of the vocabulary or of those that leaked', () => {
    const wordAt = ({ sentence, place }: Placed) => sentences[sentence]?.[place];
    const tokensOf = (leaked: readonly number[], replaceBelow = 0) =>
      chooseTokens(placed, seen, leaked, replaceBelow, vocabulary).map(({ token }) => token);
    const truth = placed.map(wordAt);
    expect(tokensOf([])).toEqual(truth);
    expect(tokensOf(sentences.flat())).toEqual(truth);
    // Without the first word among the leaked, its row must take another, unless the vocabulary's best is much better.
    const [first] = truth as [number];
    const wrong = sentences.flat().map((token) => (token === first ? (first + 1) % vocabulary : token));
    expect(tokensOf(wrong)).not.toEqual(truth);
    expect(tokensOf(wrong, 0.9)).toEqual(truth);
  });

  it('that hold two tokens give the second to the free place', () => {
    const [own, other] = [
      { token: 12, place: 2 },
      { token: 33, place: 6 },
    ];
    const parts = [own, other].map(({ token, place }) =>
      seen.word(token).map((x, i) => x + (seen.position(place)[i] as number)),
    );
    const shared = (parts[0] as Float64Array).map((x, i) => x + 0.6 * (parts[1]?.[i] as number));
    const row: Placed = { sentence: 0, place: 2, seen: shared };
    const fill = (candidates: readonly number[]) =>
      fillEmpty([{ sentence: 0, place: 6 }], candidates, [row], [{ token: 12, score: 1 }], seen)[0];
    expect(fill([4, 33, 12, 20])?.token).toBe(33);
    // A row with nothing beyond its own token says nothing: score 0.
    const bare = { ...row, seen: parts[0] as Float64Array };
    expect(fillEmpty([{ sentence: 0, place: 6 }], [4, 33], [bare], [{ token: 12, score: 1 }], seen)[0]?.score).toBe(0);
  });
});

describe('clusters', () => {
  it('of planted groups are found in any order, and none outgrows its limit', () => {
    for (let round = 0; round < 5; round++) {
      const groups = [5, 3, 4].flatMap((count, group) =>
        Array.from({ length: count }, (_, i) => ({
          group,
          point: draw(`${round} ${group} ${i}`, 4).map((x, d) => x / 10 + (d === group ? 3 : 0)),
        })),
      );
      const mixed = [...shuffled(seededSource(`clusters ${round}`), groups)];
      const found = clusterPoints(
        mixed.map(({ point }) => point),
        3,
        5,
      );
      const pairs = new Set(mixed.map(({ group }, i) => `${group} ${found[i]}`));
      expect(pairs.size).toBe(3);
      const crowded = clusterPoints(
        mixed.map(({ point }) => point),
        3,
        4,
      );
      for (const cluster of [0, 1, 2]) expect(crowded.filter((one) => one === cluster).length).toBe(4);
    }
  });

  it('are one where one is wanted', () => {
    expect([...clusterPoints([draw('x', 2), draw('y', 2)], 1, 5)]).toEqual([0, 0]);
  });
});
