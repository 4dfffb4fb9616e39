// The likelihood attack on 128 tokens of a model that is 32 numbers wide, without noise: about a minute per text.

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

it.each([false, true])('long texts come back in full from tiny bert, with lengths that are secret: %s', (secret) =>
  expectAll('bert', ['more tokens than the model is wide', '128 tokens'], secret),
);

it('more tokens than the model is wide come back from tiny gpt2, with lengths that are secret', () =>
  expectAll('gpt2', ['more tokens than the model is wide'], true));

// A known limit of the search, not of the gradient: all tries are spent while 28 of 130 tokens are wrong, and the misfit says so.
it.fails('128 tokens come back in full from tiny gpt2', () => expectAll('gpt2', ['128 tokens'], false));
