// A client's sentences as token ids, from given texts or a sample of a data set, in batches of equal size.

import { ArgumentError, expectTexts, option, say } from '../../checks/index.js';
import type { Example, Tokenizer } from '../../data/index.js';
import { permutation, seededSource } from '../../random/index.js';
import type { LabelledExamples } from '../../training/index.js';
import type { AttackedModel } from '../model.js';

/** Which sentences are drawn from a data set. */
export interface SampleOptions {
  readonly count: number;
  /** Sentences are cut to this many tokens. */
  readonly maxTokens: number;
  readonly seed: number;
}

/** Draws texts that contain words, by the seed alone: they are the same for every attack and noise level. */
export function sampleSentences(
  model: Pick<AttackedModel, 'tokenizer' | 'config'>,
  examples: readonly Example[],
  options: SampleOptions,
): LabelledExamples {
  const chosen = draw(model, examples, options);
  return { inputIds: chosen.map(({ ids }) => ids), labels: chosen.map(({ label }) => label) };
}

/** The texts that `sampleSentences` draws, as they were before the tokenizer read and cut them. */
export const sampledTexts = (...drawn: Parameters<typeof sampleSentences>): string[] =>
  draw(...drawn).map(({ text }) => text);

interface Drawn {
  readonly text: string;
  readonly ids: readonly number[];
  readonly label: number;
}

function draw(...[model, examples, { count, seed, maxTokens }]: Parameters<typeof sampleSentences>): Drawn[] {
  const { tokenizer } = model;
  const cut = { maxTokens: Math.min(maxTokens, model.config.positions) };
  const order = permutation(seededSource(seed).stream('sentences'), examples.length);
  const chosen: Drawn[] = [];
  for (let place = 0; place < order.length && chosen.length < count; place++) {
    const { text, label = 0 } = examples[order[place] as number] as Example;
    const ids = [...tokenizer.encode(text, cut)];
    if (ids.length >= 2 && hasWords(tokenizer, ids)) chosen.push({ text, ids, label });
  }
  if (chosen.length < count) {
    throw new ArgumentError(
      say`expected ${count} texts with words in them, got ${chosen.length} in the data: lower ${option('count')}, or give more data`,
    );
  }
  return chosen;
}

const hasWords = (tokenizer: Tokenizer, ids: readonly number[]): boolean => /\S/.test(tokenizer.decode(ids));

/** Encodes given texts, each of which must leave something to recover. Labels are 0. */
export function encodeTexts(
  { tokenizer, config }: Pick<AttackedModel, 'tokenizer' | 'config'>,
  texts: readonly string[],
  maxTokens: number,
): LabelledExamples {
  expectTexts({ texts });
  if (texts.length === 0) throw new ArgumentError(say`invalid ${option('texts')}: expected at least one, got none`);
  const inputIds = texts.map((text, index) => {
    if (!/[\p{L}\p{N}]/u.test(text)) {
      throw new ArgumentError(`text ${index + 1}: expected letters or digits to recover, got none`);
    }
    const ids = [...tokenizer.encode(text, { maxTokens: Math.min(maxTokens, config.positions) })];
    const least = Math.max(2, tokenizer.added + 1);
    if (ids.length >= least) return ids;
    throw new ArgumentError(
      `text ${index + 1}: expected at least ${least} tokens, special ones included, got ${ids.length}: leave it out`,
    );
  });
  return { inputIds, labels: inputIds.map(() => 0) };
}

/** Indices of the sentences in each batch. All batches have the same size, so that all are equally hard. */
export function batchesOf(sentences: number, size: number): number[][] {
  if (size > sentences) {
    throw new ArgumentError(
      say`${option('batchSize')} ${size}: expected at most the ${sentences} sentences: give more sentences or a smaller ${option('batchSize')}`,
    );
  }
  if (sentences % size !== 0) {
    const whole = sentences - (sentences % size);
    throw new ArgumentError(
      say`expected whole batches of ${size}, got ${sentences} sentences: give ${whole} or ${whole + size}, or another ${option('batchSize')}`,
    );
  }
  return Array.from({ length: sentences / size }, (_, batch) =>
    Array.from({ length: size }, (_, place) => batch * size + place),
  );
}
