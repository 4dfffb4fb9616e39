// Language models as priors: the probability of a text, against one token after another.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openClient } from '../../src/attacks/index.js';
import { likelihood } from '../../src/attacks/likelihood/attack.js';
import { openSentencePrior, type SentencePrior } from '../../src/attacks/likelihood/language-prior.js';
import { readOptions } from '../../src/checks/index.js';
import { compile } from '../../src/engine/index.js';
import { loadModel, type Model, selectParameters } from '../../src/models/index.js';
import { integerBelow, seededSource } from '../../src/random/index.js';
import { feedRows, makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
let [path, language, attacked, prior] = ['', undefined, undefined, undefined] as unknown as [
  string,
  Model,
  Model,
  SentencePrior,
];
beforeAll(async () => {
  path = await writeTiny(join(root, 'gpt2'), 'gpt2');
  language = await loadModel(path);
  attacked = await loadModel(await writeTiny(join(root, 'bert'), 'bert'), { numLabels: 2 });
  prior = openSentencePrior(language, attacked);
  return () => prior.close();
});

/** The log-probability of each token after those before it, summed: one pass per token, without padding. */
async function naive(tokens: readonly number[]): Promise<number> {
  let sum = 0;
  for (let length = 1; length < tokens.length; length++) {
    const program = await compile({ logits: language.build({ batch: 1, tokens: length }).lmLogits() });
    const feeds = Object.entries(feedRows([tokens.slice(0, length)], length));
    const { logits } = await program.run(Object.fromEntries(feeds.filter(([name]) => name in program.inputs)));
    await program.close();
    const last = [...(logits as Float32Array)].slice(-language.config.vocabulary);
    const most = Math.max(...last);
    const all = most + Math.log(last.reduce((total, one) => total + Math.exp(one - most), 0));
    sum += (last[tokens[length] as number] as number) - all;
  }
  return sum;
}

const random = seededSource('sentences');
const drawn = (count: number, length: number) =>
  Array.from({ length: count }, () => Array.from({ length }, () => integerBelow(random, 57)));

describe('the prior of a language model', () => {
  it('is the probability of each token after those before it', async () => {
    for (const length of [2, 5, 9]) {
      const [sentence] = drawn(1, length) as [number[]];
      const [found] = await prior.nats([sentence]);
      expect(Math.abs((found as number) - (await naive(sentence)))).toBeLessThan(1e-4);
    }
  });

  it('is the same for many sentences at once, in order', async () => {
    const sentences = drawn(35, 6);
    const found = await prior.nats(sentences);
    expect(found).toHaveLength(35);
    for (const k of [0, 7, 31, 32, 34]) {
      const [alone] = await prior.nats([sentences[k] as number[]]);
      expect(Math.abs((found[k] as number) - (alone as number))).toBeLessThan(1e-4);
    }
    expect(new Set(found).size).toBe(35);
    expect(await prior.nats([])).toHaveLength(0);
  });

  it('is refused in one sentence from a model that is not causal, or has another vocabulary', async () => {
    expect(() => openSentencePrior(attacked, attacked)).toThrow(
      /^languageModel: expected a causal language model, got /,
    );
    const other = await loadModel(await writeTiny(join(root, 'other'), 'gpt2', { pieces: 40 }));
    expect(() => openSentencePrior(other, attacked)).toThrow(
      /^languageModel: expected the vocabulary of .+, but .+ has another vocabulary$/,
    );
  });

  it('is refused for texts longer than the language model reads, and given up to there', async () => {
    const { positions } = language.config;
    expect((await prior.nats(drawn(1, positions)))[0]).toBeLessThan(0);
    await expect(prior.nats(drawn(1, positions + 1))).rejects.toThrow(
      `reads at most ${positions} tokens, got a text of ${positions + 1}`,
    );
  });

  it('takes the place of single tokens in the attack', async () => {
    const inputIds = [attacked.tokenizer.encode('the cat')];
    const shared = selectParameters(attacked, 'all', 'classification');
    const client = await openClient({ model: attacked, data: { inputIds, labels: [0] }, shared });
    const { view } = await client.share([0], { mechanism: 'none' }, seededSource(1));
    const options = readOptions(likelihood.options, { languageModel: path, refinement: 'quick' });
    const setting = { model: attacked, batchSize: 1, longest: 10, loss: 'class', shared, random } as const;
    const attack = await likelihood.open({ ...setting, options });
    expect(attack.about?.data.languageModel).toBe(true);
    expect(attack.about?.lines.join(' ')).toContain('how likely the text is by the language model');
    const { sentences, figures } = await attack.run(view);
    expect(sentences).toEqual(inputIds);
    expect(figures?.priorNats).toBeCloseTo((await prior.nats(inputIds))[0] as number, 3);
    await attack.close();
    await client.close();
  });
});
