// Membership by neighbours (Mattern et al. 2023): a model that was trained on a text fits it better than nearly equal texts. It takes no reference
// models, only questions to the target about neighbours of each candidate.

import { loadModel } from '../../models/index.js';
import type { QuerySetting, WorldAttack } from '../attack.js';
import { membershipMeasure } from './measure.js';
import { exchangesOf } from './neighbours.js';
import { mean } from './references.js';

const options = {
  neighbourTexts: { type: 'integer', least: 1, default: 50, help: 'neighbours per text, if it has as many' },
  tokensPerPlace: { type: 'integer', least: 1, default: 6, help: 'tokens that are tried at each place of a text' },
  dropout: {
    type: 'positive',
    below: 1,
    default: 0.7,
    help: 'the share of a word embedding that is hidden from the masked language model when it proposes other tokens',
  },
  maskedModel: {
    type: 'model',
    default: 'bundled:bert-mini',
    help: 'the masked language model that proposes other tokens, of any vocabulary',
  },
} as const;

export const miaN: WorldAttack<typeof options> = {
  name: 'mia-n',
  sees: 'models',
  goal: 'membership',
  words: {
    label: 'MIA-N',
    help: 'tell the training data of a classifier from other data by comparing the loss of each text with those of its neighbours, in which one word is another',
    definition:
      'An attacker who sees the trained model’s losses asks it about neighbours of each text, in which one token is exchanged for a likely other, and compares: training lowers the loss of a text more than those of its neighbours.',
    reference: 'Mattern et al. 2023',
  },
  options,
  measure: membershipMeasure,
  references: () => 'none',
  queries: neighbourQueries,
  run: ({ queried }) =>
    (queried ?? []).map(([original, ...neighbours]) =>
      neighbours.length === 0 ? 0 : mean(neighbours) - (original as number),
    ),
  decision: () => 0,
};

/**
 * The text itself, then its neighbours, as the target's tokenizer reads their text. The text makes the same round trip through both tokenizers as its
 * neighbours, or what the trip changes (case, spaces, rare characters) would tell them apart.
 */
async function neighbourQueries(setting: QuerySetting<typeof options>): Promise<number[][][]> {
  const { tokenizer, inputIds, maxTokens, options: values, random, onProgress, signal } = setting;
  const masked = await loadModel(values.maskedModel);
  const longest = { maxTokens: masked.config.positions };
  const texts = inputIds.map((ids) => masked.tokenizer.encode(tokenizer.decode(ids), longest));
  const exchanges = await exchangesOf(masked, texts, {
    dropout: values.dropout,
    candidates: values.tokensPerPlace,
    random,
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  });
  const read = (ids: readonly number[]) => tokenizer.encode(masked.tokenizer.decode(ids), { maxTokens });
  return texts.map((ids, text) => {
    const found = new Map<string, number[]>();
    const add = (some: readonly number[]) => {
      const encoded = read(some);
      found.set(encoded.join(), encoded);
    };
    add(ids);
    for (const { place, token } of exchanges[text] ?? []) {
      if (found.size > values.neighbourTexts) break;
      add(ids.with(place, token));
    }
    return [...found.values()];
  });
}
