// The likelihood attack on 128 tokens of a model that is 32 numbers wide, without noise.

import { expect, it } from 'vitest';
import { makeRoot, type TinyName } from '../models/tiny-models.js';
import { openTexts, type TextName } from './likelihood-texts.js';

const root = makeRoot();

async function expectAll(name: TinyName, some: TextName[], unknownLengths: boolean) {
  const { recovered, close } = await openTexts(root, name);
  const found = await recovered(some, { options: { unknownLengths } });
  await close();
  expect(found).toEqual(some);
}

it.each(['bert', 'gpt2'] as const)(
  'more tokens than the model is wide come back from tiny %s, with lengths that are secret',
  (name) => expectAll(name, ['more tokens than the model is wide'], true),
);

it.each(['bert', 'gpt2'] as const)('128 tokens come back in full from tiny %s', (name) =>
  expectAll(name, ['128 tokens'], false),
);
