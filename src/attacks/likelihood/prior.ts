// How common each token is, as an attacker knows it who has the model but none of the private text.

import { compile, input, softmax } from '../../engine/index.js';
import { clientLosses } from '../decepticons/losses.js';
import { type AttackedModel, tokensAround } from '../model.js';

/** Where the prior comes from: the model's own predictions, ranks in the vocabulary, or nowhere. */
export type PriorSource = 'model' | 'rank' | 'uniform';

export interface Unigram {
  /** Log-probability of each token of the tokenizer. */
  readonly logs: Float64Array;
  /** Where it comes from, in the end: a model without a language-model head gives ranks. */
  readonly source: PriorSource;
}

/** The share of the special tokens around a text among all tokens, where they are not known: that of a text of 16 tokens. */
const aroundShare = 1 / 8;

/**
 * Log-probabilities of tokens that no text can contain are −∞: special ones except the unknown word, and ids without a token. With `special`, the
 * tokens that usually stand around a text are possible too.
 */
export async function unigram(
  model: AttackedModel,
  wanted: PriorSource,
  { special: possible = false }: { readonly special?: boolean } = {},
): Promise<Unigram> {
  const predicts = clientLosses(model).some((loss) => loss !== 'class');
  const source = wanted === 'model' && !predicts ? 'rank' : wanted;
  const { tokenizer } = model;
  const size = Math.min(model.config.vocabulary, tokenizer.size);
  const weights = source === 'model' ? await predicted(model, size) : ranked(size, source === 'rank');
  const { unknown, ...special } = tokenizer.special;
  const barred = new Set<number | undefined>(Object.values(special));
  for (let id = 0; id < size; id++)
    if ((barred.has(id) && id !== unknown) || tokenizer.tokenOf(id) === undefined) weights[id] = 0;
  const { before, after } = tokensAround(tokenizer);
  const around = possible ? new Set([...before, ...after]) : new Set<number>();
  const others = weights.reduce((total, weight) => total + weight, 0);
  for (const id of around) weights[id] = ((others / (1 - aroundShare)) * aroundShare) / around.size;
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return { logs: weights.map((weight) => Math.log(weight / sum)), source };
}

/** Vocabularies are sorted by frequency, roughly; by Zipf's law the token of rank k has a share of 1/k. */
const ranked = (size: number, zipf: boolean): Float64Array =>
  Float64Array.from({ length: size }, (_, id) => (zipf ? 1 / (id + 1) : 1));

/** Hidden tokens whose predictions are averaged. */
const hidden = 16;

/** What the model predicts where it sees no text: at masked tokens, or after the token that begins every text. */
async function predicted(model: AttackedModel, size: number): Promise<Float64Array> {
  const { before, after } = tokensAround(model.tokenizer);
  const { mask, start, end, padding } = model.tokenizer.special;
  const masked = model.layout.attention === 'bidirectional' && mask !== undefined;
  const first = before.length > 0 ? before : [start ?? end ?? padding];
  const ids = masked ? [...before, ...Array<number>(hidden).fill(mask), ...after] : first;
  const places = masked ? Array.from({ length: hidden }, (_, k) => before.length + k) : [first.length - 1];
  const built = model.build({ batch: 1, tokens: ids.length });
  const program = await compile({ shares: softmax(built.lmLogits(input('places', [places.length], 'i64'))) });
  try {
    const feeds = {
      ids: BigInt64Array.from(ids, BigInt),
      mask: new Float32Array(ids.length).fill(1),
      places: BigInt64Array.from(places, BigInt),
    };
    const used = Object.entries(feeds).filter(([name]) => name in program.inputs);
    const shares = (await program.run(Object.fromEntries(used))).shares as Float32Array;
    const width = shares.length / places.length;
    // One more prediction knows nothing, so that no token is impossible.
    return Float64Array.from({ length: size }, (_, id) =>
      places.reduce((sum, _, row) => sum + (shares[row * width + id] as number), 1 / size),
    );
  } finally {
    await program.close();
  }
}
