// Whether a search failed, from an objective that is planted.

import { expect, it } from 'vitest';
import { judgeFor, searchFailures } from '../../src/attacks/evaluation/limit.js';
import { loadModel } from '../../src/models/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const { tokenizer } = await loadModel(await writeTiny(makeRoot(), 'bert'), { numLabels: 2 });
const unigram = new Float64Array(57).fill(-Math.log(57));
const truths = [
  [2, 5, 6, 3],
  [2, 7, 8, 3],
];

/** The truth has these nats, every other sentence none. */
const judged = async (likelihood: number, prior: number, answer = [2, 9, 9, 3], genie = 0) => {
  const calls: (readonly (readonly number[])[])[] = [];
  const nats = async (_: unknown, sentences: readonly (readonly number[])[]) => {
    calls.push(sentences);
    return sentences.map((one) =>
      one.join() === truths[1]?.join() ? { likelihood, prior } : { likelihood: 0, prior: 0 },
    );
  };
  const judge = judgeFor({ judge: { nats, unigram } }, { tokenizer, truths, genie, seed: 1 });
  return { ...(await judge?.(1, {} as never, answer)), calls };
};

it.each([
  ['is likelier', 3, -2, true],
  ['is likelier only by rounding', 1e-7, 0, false],
  ['is less likely: the likelihood allows no more', 3, -4, false],
  ['cannot come from the prior', 3, Number.NEGATIVE_INFINITY, false],
])('a search whose truth %s', async (_, likelihood, prior, failed) => {
  const { limit } = await judged(likelihood, prior);
  expect(limit).toEqual({
    truth: { likelihood, prior },
    answer: { likelihood: 0, prior: 0 },
    searchFailed: failed,
  });
});

it('does not fail where the answer is the truth', async () => {
  expect((await judged(3, 2, truths[1])).limit?.searchFailed).toBe(false);
});

it('judges truth, answer and the genie’s sentences in one call, and needs an objective', async () => {
  const { calls, genie } = await judged(3, -2, [2, 9, 9, 3], 2);
  expect(calls.map(({ length }) => length)).toEqual([2 + 2 * 15]);
  expect(calls[0]?.slice(0, 2)).toEqual([truths[1], [2, 9, 9, 3]]);
  expect(genie).toEqual({ places: 2, right: 2, byChance: 2 / 16 });
  expect((await judged(3, -2)).genie).toBeUndefined();
  expect(judgeFor({}, { tokenizer, truths, genie: 0, seed: 1 })).toBeUndefined();
});

it('counts failures among the texts that were judged', () => {
  const limit = (searchFailed: boolean) => ({
    truth: { likelihood: 0, prior: 0 },
    answer: { likelihood: 0, prior: 0 },
    searchFailed,
  });
  expect(searchFailures([limit(true), undefined, limit(false), limit(true)])).toEqual({ failed: 2, texts: 3 });
  expect(searchFailures([undefined])).toBeUndefined();
});
