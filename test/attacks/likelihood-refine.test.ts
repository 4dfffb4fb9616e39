// Improving a sentence by the likelihood of the whole: a planted one that knows the truth.

import { describe, expect, it } from 'vitest';
import { candidatesFor } from '../../src/attacks/likelihood/candidates.js';
import { type Pieces, read } from '../../src/attacks/likelihood/objective.js';
import { limited, refine } from '../../src/attacks/likelihood/refine.js';
import { posterior } from '../../src/attacks/likelihood/search.js';

const prior = Float64Array.from([0.4, 0.3, 0.15, 0.1, 0.05], Math.log);
const pieces: Pieces = { prior, known: new Map([[0, 2]]) };
const candidates = candidatesFor(pieces, undefined, 5);

/** Ten nats per token in place. */
const truth = [2, 4, 1, 3, 0];
const planted = (sentence: readonly number[]) => 10 * sentence.filter((token, place) => token === truth[place]).length;
/** The same only for the whole sentence: no single token shows the way. */
const exchanged = (sentence: readonly number[]) => (sentence.join() === truth.join() ? 100 : 0);

function counting(nats: (sentence: readonly number[]) => number) {
  const seen: string[] = [];
  const head = async (sentence: readonly number[]) => {
    seen.push(sentence.join());
    return nats(sentence);
  };
  return { head, seen };
}

describe('refining', () => {
  it('follows the likelihood of the whole, keeps known tokens, and computes no sentence twice', async () => {
    const { head, seen } = counting(planted);
    const found = await refine(pieces, candidates, read(pieces, [2, 0, 0, 0, 0]), limited(head, 1000));
    expect(found.tokens).toEqual(truth);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.every((sentence) => sentence.startsWith('2,'))).toBe(true);
  });

  it('exchanges two tokens where one at a time does not help', async () => {
    const { head } = counting(exchanged);
    const flat = { ...pieces, prior: prior.map(() => Math.log(0.2)) };
    const found = await refine(flat, candidates, read(flat, [2, 4, 3, 1, 0]), limited(head, 1000));
    expect(found.tokens).toEqual(truth);
  });

  it('stops when no tries are left, and never gets worse', async () => {
    for (const tries of [0, 1, 7]) {
      const { head, seen } = counting(planted);
      const found = await refine(pieces, candidates, read(pieces, [2, 0, 0, 0, 0]), limited(head, tries));
      expect(seen.length).toBe(tries);
      expect(planted(found.tokens)).toBeGreaterThanOrEqual(planted([2, 0, 0, 0, 0]));
    }
  });

  it('makes the posterior surer by the sentences whose likelihood is known', async () => {
    const reading = read(pieces, truth);
    const head = limited(counting(planted).head, 1000);
    await refine(pieces, candidates, reading, head);
    const [without, withHead] = [
      posterior(pieces, candidates, reading),
      posterior(pieces, candidates, reading, head.known),
    ];
    expect(without[1]).toBeCloseTo(0.05, 9);
    // 10 nats against each of the four other tokens, weighed by the prior.
    expect(withHead[1]).toBeCloseTo(0.05 / (0.05 + 0.95 * Math.exp(-10)), 9);
    expect(withHead[0]).toBe(1);
  });
});
