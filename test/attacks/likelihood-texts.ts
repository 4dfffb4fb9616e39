// Texts that are hard for one reason each, shared by tiny models without noise, and which of them the likelihood attack recovers.

import { join } from 'node:path';
import { openAttackedModel, openClient } from '../../src/attacks/index.js';
import { likelihood } from '../../src/attacks/likelihood/attack.js';
import { readOptions } from '../../src/checks/index.js';
import type { Protection } from '../../src/mechanisms/index.js';
import { selectParameters } from '../../src/models/index.js';
import { fillNormal, integerBelow, seededSource } from '../../src/random/index.js';
import { type TinyName, writeTiny } from '../models/tiny-models.js';

const random = seededSource('letters');
const letters = (count: number) =>
  Array.from({ length: count }, () => String.fromCharCode(97 + integerBelow(random, 26))).join(' ');
/** Letters, then words that the tokenizer knows, then the letters again. */
const distinct = (count: number) =>
  Array.from({ length: count }, (_, k) => (k % 89 < 26 ? String.fromCharCode(97 + (k % 89)) : `word${(k % 89) - 26}`));

/** Tokens of the longest text, and the numbers per token. */
const [longest, width] = [130, 32];

const texts = {
  'one token': 'i',
  'two tokens': 'q z',
  'no token at all': '',
  'the same token 20 times': 'q '.repeat(20),
  'two tokens in turns': 'a b '.repeat(5),
  'an unknown word': 'a § b § c',
  'more tokens than the model is wide': letters(40),
  '128 tokens': distinct(128).join(' '),
};
export type TextName = keyof typeof texts;
const all = Object.keys(texts) as TextName[];

export interface Attempt {
  readonly options?: Readonly<Record<string, unknown>>;
  /** Names of the parameters whose gradients the attack reads. Default: all. */
  readonly names?: readonly string[];
  readonly protection?: Protection;
}

/** A client of a tiny model that has room for the longest text. */
export async function openTexts(root: string, name: TinyName) {
  const table = name === 'bert' ? 'embeddings.position_embeddings.weight' : 'wpe.weight';
  const folder = await writeTiny(join(root, `${name} texts`), name, {
    pieces: 120,
    config: { max_position_embeddings: longest, n_positions: longest, n_ctx: longest },
    change: (tensors) => {
      const data = fillNormal(seededSource('places'), new Float32Array(longest * width), { standardDeviation: 0.1 });
      tensors[table] = { shape: [longest, width], data, dtype: 'F32' };
    },
  });
  const model = await openAttackedModel(folder, { numLabels: 2, seed: 1 });
  const rows = Object.values(texts).map((text) => model.tokenizer.encode(text, { maxTokens: longest }));
  const shared = selectParameters(model as never, 'all', 'classification');
  const client = await openClient({ model, data: { inputIds: rows, labels: rows.map((_, i) => i % 2) }, shared });
  return {
    model,
    rows,
    shared,
    close: client.close,
    /** Those of the texts that come back token by token. */
    recovered: async (some: readonly TextName[], attempt: Attempt = {}): Promise<TextName[]> => {
      const { options = {}, names = shared, protection = { mechanism: 'none' } } = attempt;
      const values = readOptions(likelihood.options, options);
      const setting = { model, options: values, batchSize: 1, longest, loss: 'class', shared: names, random } as const;
      const attack = await likelihood.open(setting);
      const found: TextName[] = [];
      for (const one of some) {
        const index = all.indexOf(one);
        const hideLengths = values.unknownLengths === true;
        const { view } = await client.share([index], protection, seededSource(one), { hideLengths });
        const kept = Object.entries(view.gradients).filter(([own]) => names.includes(own));
        const { sentences } = await attack.run({ ...view, gradients: Object.fromEntries(kept) });
        if (sentences[0]?.join() === rows[index]?.join()) found.push(one);
      }
      await attack.close();
      return found;
    },
  };
}
