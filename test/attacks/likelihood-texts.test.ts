// The likelihood attack without noise on texts that are hard for one reason each: all of them come back.

import { beforeAll, describe, expect, it } from 'vitest';
import { tableNames } from '../../src/attacks/likelihood/table-products.js';
import type { Protection } from '../../src/mechanisms/index.js';
import { selectParameters } from '../../src/models/index.js';
import { makeRoot, type TinyName } from '../models/tiny-models.js';
import { type Attempt, openTexts, type TextName } from './likelihood-texts.js';

const root = makeRoot();

describe.each(['bert', 'gpt2'] as const)('without noise, on tiny %s', (name: TinyName) => {
  let client: Awaited<ReturnType<typeof openTexts>>;
  beforeAll(async () => {
    client = await openTexts(root, name);
    return () => client.close();
  });
  const expectAll = async (some: TextName[], attempt: Attempt = {}) =>
    expect(await client.recovered(some, attempt)).toEqual(some);

  it('has the texts as they are meant', () => {
    const { rows, model } = client;
    expect(rows.map(({ length }) => length)).toEqual([3, 4, 2, 22, 12, 7, 42, 130]);
    expect(rows[5]?.filter((token) => token === model.tokenizer.special.unknown)).toHaveLength(2);
    expect(new Set(rows[7]).size).toBe(91);
  });

  it('recovers short texts and none, repeats and unknown words', async () => {
    await expectAll(['one token', 'two tokens', 'no token at all', 'the same token 20 times', 'an unknown word']);
  });

  it('recovers more tokens than the model is wide, where no span is left', async () => {
    await expectAll(['more tokens than the model is wide']);
  });

  it('recovers texts without refinement, and from the tables alone with a quick one', async () => {
    await expectAll(['two tokens in turns', 'an unknown word'], { options: { refinement: 'none' } });
    const names = tableNames(client.model);
    await expectAll(['two tokens'], { options: { refinement: 'quick' }, names });
  });

  it('finds lengths that are secret', async () => {
    const options = { unknownLengths: true };
    await expectAll(['no token at all', 'two tokens in turns'], { options });
  });

  it('recovers texts if the embeddings are frozen', async () => {
    const { words, positions, tokenTypes } = client.model.layout.embeddings;
    const tables = [words.weight, positions.weight, tokenTypes?.weight];
    await expectAll(['an unknown word'], {
      names: client.shared.filter((one) => !tables.includes(one)),
    });
  });

  it.each([
    { mechanism: 'normalised', scope: 'joint' },
    { mechanism: 'normalised', scope: 'tensor' },
    { mechanism: 'directional', scope: 'joint', concentration: 1e12 },
  ] as const satisfies Protection[])('recovers texts from bounded gradients: %o', async (protection) => {
    await expectAll(['an unknown word'], { protection });
  });

  it('reads a short text from the gradient of the head alone', async () => {
    const names = selectParameters(client.model as never, 'head', 'classification');
    expect(await client.recovered(['one token'], { names })).toEqual(['one token']);
  });
});
