// The likelihood attack on 128 tokens of a model that is 32 numbers wide, without noise: half a minute to two minutes per text.

import { describe, expect, it } from 'vitest';
import { makeRoot } from '../models/tiny-models.js';
import { openTexts, type TextName } from './likelihood-texts.js';

const root = makeRoot();

describe.each(['bert', 'gpt2'] as const)('long texts on tiny %s', (name) => {
  it.each([false, true])('come back in full, with lengths that are secret: %s', async (unknownLengths) => {
    const { recovered, close } = await openTexts(root, name);
    const some: TextName[] = ['more tokens than the model is wide', '128 tokens'];
    expect(await recovered(some, { options: { unknownLengths } })).toEqual(some);
    await close();
  });
});
