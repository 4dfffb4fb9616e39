// The test of kind: how often it fires on samples of one kind, and that it fires where kinds differ.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareKinds, type KindExamples } from '../../src/attacks/index.js';
import { type Example, loadDataSet } from '../../src/data/index.js';
import { loadModel } from '../../src/models/index.js';
import { integerBelow, permutation, type SeededSource, seededSource } from '../../src/random/index.js';
import { shared } from '../data/files.js';

/** Texts of random words: word w is about as frequent as 1/(w + 1). */
function draw(random: SeededSource, count: number, { longer = 0, from = 1 } = {}): KindExamples {
  const word = () => from + Math.floor(300 / (1 + integerBelow(random, 299)));
  const inputIds = Array.from({ length: count }, () =>
    Array.from({ length: 5 + longer + integerBelow(random, 12) }, word),
  );
  return { inputIds, labels: inputIds.map(() => integerBelow(random, 2)) };
}

describe('the test of kind', () => {
  it('fires on at most 1 % of samples of one kind', () => {
    const rounds = 600;
    const fired = Array.from({ length: rounds }, (_, round) => {
      const random = seededSource('one kind').stream(round);
      return compareKinds(draw(random, 120), draw(random, 60), random)?.different;
    }).filter((different) => different);
    // At a rate of 1 %, 17 or more of 600 happen once in 400 times.
    expect(fired.length).toBeLessThan(17);
  });

  it('fires if lengths, words or labels differ, and says which and by how much', () => {
    const random = seededSource('kinds');
    const usual = draw(random, 600);
    const longer = compareKinds(usual, draw(random, 200, { longer: 6 }), random);
    expect(longer).toMatchObject({ different: true, by: 'lengths' });
    // Both are uniform over 12 lengths, 6 apart: a quarter of the pairs overlap, half of those are in the wrong order.
    expect(longer?.auc).toBeGreaterThan(0.82);
    expect((longer?.tokens.others ?? 0) - (longer?.tokens.members ?? 0)).toBeGreaterThan(4);
    const words = compareKinds(usual, draw(random, 200, { from: 3 }), random);
    expect(words).toMatchObject({ different: true, by: 'words' });
    expect(words?.auc).toBeGreaterThan(0.9);
    const others = draw(random, 200);
    const labels = compareKinds(usual, { ...others, labels: others.labels.map(() => 1) }, random);
    expect(labels).toMatchObject({ different: true, by: 'words' });
    expect(compareKinds(usual, others, random)?.different).toBe(false);
  });

  it('counts copies and relatives once', () => {
    const random = seededSource('copies');
    const [members, one] = [draw(random, 200), draw(random, 60)];
    const odd = { inputIds: Array.from({ length: 200 }, () => [9, 9, 9, 9]), labels: Array<number>(200).fill(1) };
    const join = (a: KindExamples, b: KindExamples) => ({
      inputIds: [...a.inputIds, ...b.inputIds],
      labels: [...a.labels, ...b.labels],
    });
    expect(compareKinds(members, join(one, odd), random)?.different).toBe(false);
    const relatives = { ...odd, inputIds: odd.inputIds.map((_, i) => [9, 9, 9, 9, 10 + i]) };
    const groups = [...one.inputIds.map(() => undefined), ...odd.inputIds.map(() => 'one thread')];
    expect(compareKinds(members, join(one, relatives), random)?.different).toBe(true);
    expect(compareKinds(members, { ...join(one, relatives), groups }, random)?.different).toBe(false);
    expect(compareKinds(members, odd, random)).toBeUndefined();
  });
});

describe.skipIf(!existsSync(join(shared, 'sst2')))('the test of kind on SST-2', () => {
  let train: KindExamples;
  let validation: KindExamples;
  beforeAll(async () => {
    const [{ splits }, { tokenizer }] = [await loadDataSet(join(shared, 'sst2')), await loadModel('bundled:bert-mini')];
    const encode = (rows: readonly Example[] = []): KindExamples => ({
      inputIds: rows.map(({ text }) => tokenizer.encode(text, { maxTokens: 128 })),
      labels: rows.map(({ label }) => label ?? 0),
    });
    [train, validation] = [encode(splits.train), encode(splits.validation)];
  });
  const pick = ({ inputIds, labels }: KindExamples, places: Uint32Array): KindExamples => ({
    inputIds: Array.from(places, (place) => inputIds[place] as readonly number[]),
    labels: Array.from(places, (place) => labels[place] as number),
  });

  it('fires on train against validation', () => {
    const found = compareKinds(train, validation, seededSource(1));
    expect(found).toMatchObject({ different: true, by: 'lengths', tokens: { members: 12, others: 29 } });
    expect(found?.auc).toBeCloseTo(0.81, 2);
  });

  it('fires on at most 1 % of random splits of train', () => {
    const pool = pick(train, permutation(seededSource('pool'), train.labels.length).subarray(0, 6000));
    const fired = Array.from({ length: 200 }, (_, round) => {
      const random = seededSource('splits').stream(round);
      const order = permutation(random, pool.labels.length);
      return compareKinds(pick(pool, order.subarray(0, 800)), pick(pool, order.subarray(800, 1200)), random);
    }).filter((found) => found?.different);
    // At a rate of 1 %, 8 or more of 200 happen once in 900 times.
    expect(fired.length).toBeLessThan(8);
  });
});
