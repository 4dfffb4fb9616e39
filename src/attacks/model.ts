// The model under attack: from a checkpoint, or the small ReLU transformer of Fowl et al. (2023), randomly initialised.

import { ArgumentError } from '../checks/index.js';
import type { Tokenizer } from '../data/index.js';
import { initializeReluTransformer, loadModel, type Model, type ModelCore } from '../models/index.js';
import { seededSource } from '../random/index.js';

/** What attacks need to know about a model. Attacks that need a whole one call `wholeModel`. */
export interface AttackedModel extends ModelCore {
  readonly name: string;
  readonly tokenizer: Tokenizer;
}

/** How a model is opened for an attack. */
export interface AttackedModelOptions {
  /** Number of classes of a new classifier. Default: that of the checkpoint. */
  readonly numLabels?: number;
  /** Seeds the ReLU transformer, and a new classifier where the checkpoint has none. */
  readonly seed: number;
  /** The least number of positions of the ReLU transformer. Default: 32. Models from checkpoints have their own. */
  readonly maxTokens?: number;
}

/** Opens a model for an attack. `source` is as for `loadModel`, or `relu` for the ReLU transformer. */
export async function openAttackedModel(
  source: string,
  { numLabels, seed, maxTokens = 32 }: AttackedModelOptions,
): Promise<AttackedModel> {
  if (source !== 'relu') return loadModel(source, { seed, ...(numLabels !== undefined && { numLabels }) });
  // The ReLU transformer has no vocabulary of its own.
  const { tokenizer } = await loadModel('bundled:bert-mini');
  const sizes = { vocabulary: tokenizer.size, positions: Math.max(32, maxTokens) };
  return { ...initializeReluTransformer(seededSource(seed).stream('model'), sizes), name: source, tokenizer };
}

export const isWholeModel = (model: AttackedModel): model is Model => 'architecture' in model;

export function wholeModel(model: AttackedModel): Model {
  if (isWholeModel(model)) return model;
  throw new ArgumentError(`${model.name} has no classifier: expected a model from a checkpoint`);
}

/** The name of a parameter in checkpoints, with the architecture's prefix. */
export function storedName(model: AttackedModel, name: string): string {
  if (!isWholeModel(model)) return name;
  const { prefix, unprefixed } = model.architecture;
  return unprefixed.test(name) ? name : `${prefix}${name}`;
}

/** Special tokens that a tokenizer puts before and after every text. Everybody knows them. */
export interface TokensAround {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

export function tokensAround(tokenizer: Tokenizer): TokensAround {
  const [body] = tokenizer.encode('a', { special: false });
  const all = tokenizer.encode('a');
  const place = all.indexOf(body as number);
  return { before: all.slice(0, place), after: all.slice(place + all.length - tokenizer.added) };
}

/** The special tokens of a text of this length, by position; none if there is no room for them. */
export function tokensAroundText(tokenizer: Tokenizer, length: number): Map<number, number> {
  const { before, after } = tokensAround(tokenizer);
  if (before.length + after.length > length) return new Map();
  return new Map([
    ...before.map((token, place) => [place, token] as const),
    ...after.map((token, place) => [length - after.length + place, token] as const),
  ]);
}
