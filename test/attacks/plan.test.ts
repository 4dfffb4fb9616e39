// How many tokens are looked for at each position, computed by hand, and what is public about a model.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AttackedModel, type GradientView, openAttackedModel, tokensAround } from '../../src/attacks/index.js';
import { isWholeModel, wholeModel } from '../../src/attacks/model.js';
import { checkBatch, planOf } from '../../src/attacks/span/plan.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
let [model, relu]: [AttackedModel, AttackedModel] = [undefined as never, undefined as never];
beforeAll(async () => {
  model = await openAttackedModel(await writeTiny(join(root, 'bert'), 'bert'), { numLabels: 2, seed: 1 });
  relu = await openAttackedModel('relu', { seed: 1, maxTokens: 40 });
});

describe('the plan of a batch', () => {
  const viewOf = (noise: number, target = model): GradientView => ({
    model: target,
    parameters: {},
    gradients: { g: new Float32Array(1) },
    noise: { g: noise },
    batchSize: 3,
  });

  it('wants one token per position of one sentence', () => {
    expect(planOf({ ...viewOf(0), batchSize: 1 }, [4], 4)).toEqual({
      wanted: [1, 1, 1, 1],
      total: 4,
      known: [],
      exact: false,
    });
  });

  it('takes the special tokens around each sentence as known, and leaves room for the rest', () => {
    // [CLS] . . [SEP] / [CLS] . [SEP] / [CLS] . . [SEP]: position 2 holds one end, position 3 two.
    const plan = planOf(viewOf(0), [4, 3, 4], 7);
    expect(plan.wanted).toEqual([0, 3, 2, 0]);
    expect(plan.known).toEqual([
      { token: 2, position: 0 },
      { token: 3, position: 3 },
      { token: 3, position: 2 },
    ]);
    // Rank 7 less the three known; under noise not all stand out, so as many as there is room for.
    expect([plan.total, plan.exact]).toEqual([4, true]);
    expect(planOf(viewOf(1), [4, 3, 4], 7)).toMatchObject({ total: 5, exact: false });
  });

  it('takes nothing as known in texts without special tokens', () => {
    const bare = { ...model, tokenizer: { ...model.tokenizer, added: 0 } };
    expect(planOf(viewOf(0, bare), [2, 3], 4)).toEqual({ wanted: [2, 2, 1], total: 4, known: [], exact: true });
    expect(planOf(viewOf(1, bare), [2, 3], 4)).toMatchObject({ total: 5, exact: false });
  });

  it('is refused for impossible lengths', () => {
    const check = (batchSize: number, lengths?: number[]) => () =>
      checkBatch({ ...viewOf(0), batchSize, ...(lengths && { lengths }) });
    expect(check(1)).not.toThrow();
    expect(check(2)).toThrow('needs the lengths of the sentences in a batch of 2');
    expect(check(2, [3, 1])).toThrow('a whole number from 2');
    expect(check(2, [16, 15])).not.toThrow();
    expect(check(2, [16, 16])).toThrow("fewer than the model's width 32");
  });
});

describe('the attacked model', () => {
  it('has special tokens around every text', () => {
    expect(tokensAround(model.tokenizer)).toEqual({ before: [2], after: [3] });
    const bare = {
      ...model.tokenizer,
      added: 0,
      encode: (text: string) => model.tokenizer.encode(text, { special: false }),
    };
    expect(tokensAround(bare)).toEqual({ before: [], after: [] });
  });

  it('is a checkpoint, or the ReLU transformer of the wanted length with the bundled vocabulary', () => {
    expect([isWholeModel(model), isWholeModel(relu)]).toEqual([true, false]);
    expect(wholeModel(model)).toBe(model);
    expect(() => wholeModel(relu)).toThrow('relu has no classifier: expected a model from a checkpoint');
    expect(relu.config.positions).toBe(40);
    expect(relu.config.vocabulary).toBe(relu.tokenizer.size);
  });
});
