// Texts without the special tokens that usually stand around them: an attacker who takes those as known fails, one who does not reads the text.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, openClient } from '../../src/attacks/index.js';
import { likelihood } from '../../src/attacks/likelihood/attack.js';
import { unigram } from '../../src/attacks/likelihood/prior.js';
import { tokensAround } from '../../src/attacks/model.js';
import { readOptions } from '../../src/checks/index.js';
import type { Model } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { openTiny } from './likelihood-models.js';

const root = makeRoot();
let model: Model;
let client: Client;
let rows: number[][];
let shared: readonly string[];
beforeAll(async () => {
  ({ model, shared } = await openTiny(root, 'bert', 'class'));
  const whole = model.tokenizer.encode('a b c d e f');
  rows = [whole, whole.slice(0, -1), whole.slice(1, -1)];
  client = await openClient({ model, data: { inputIds: rows, labels: rows.map((_, i) => i % 2) }, shared });
});
afterAll(() => client.close());

/** For each text, whether it comes back token by token. */
async function recovered(unknownSpecialTokens: boolean): Promise<boolean[]> {
  const options = readOptions(likelihood.options, { unknownSpecialTokens, refinement: 'quick' });
  const attack = await likelihood.open({
    model,
    options,
    batchSize: 1,
    longest: 8,
    loss: 'class',
    shared,
    random: seededSource(1),
  });
  const found: boolean[] = [];
  for (const [index, row] of rows.entries()) {
    const { view } = await client.share([index], { mechanism: 'none' }, seededSource(1));
    found.push((await attack.run(view)).sentences[0]?.join() === row.join());
  }
  await attack.close();
  return found;
}

describe('special tokens around a text', () => {
  it('known: only texts that have them all come back', async () => {
    expect(await recovered(false)).toEqual([true, false, false]);
  });

  it('unknown: all texts come back', async () => {
    expect(await recovered(true)).toEqual([true, true, true]);
  });

  it('unknown: have an eighth of all probability, known: none', async () => {
    const { before, after } = tokensAround(model.tokenizer);
    const share = async (special: boolean) => {
      const { logs } = await unigram(model, 'rank', { special });
      expect(logs.reduce((sum, one) => sum + Math.exp(one), 0)).toBeCloseTo(1, 9);
      return [...new Set([...before, ...after])].reduce((sum, id) => sum + Math.exp(logs[id] as number), 0);
    };
    expect(await share(true)).toBeCloseTo(1 / 8, 9);
    expect(await share(false)).toBe(0);
  });
});
