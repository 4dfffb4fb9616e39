// The model that is attacked: one from a checkpoint, or the small ReLU transformer of Fowl et al. (2023), drawn at random.

import { ArgumentError } from '../checks/index.js';
import type { Tokenizer } from '../data/index.js';
import { initializeReluTransformer, loadModel, type Model, type ModelCore } from '../models/index.js';
import { seededSource } from '../random/index.js';

/** What attacks need of a model. Those that need all of it ask `wholeModel`. */
export interface AttackedModel extends ModelCore {
  readonly name: string;
  readonly tokenizer: Tokenizer;
}

export interface AttackedModelOptions {
  /** Number of classes, where the data has some. */
  readonly numLabels?: number;
  /** For a classifier that is drawn because the checkpoint has none, and for the ReLU transformer. */
  readonly seed: number;
  /** Positions that the ReLU transformer has at least. */
  readonly maxTokens?: number;
}

/** `source` as for `loadModel`, or `relu`. */
export async function openAttackedModel(
  source: string,
  { numLabels, seed, maxTokens = 32 }: AttackedModelOptions,
): Promise<AttackedModel> {
  if (source !== 'relu') return loadModel(source, { seed, ...(numLabels !== undefined && { numLabels }) });
  // It has no vocabulary of its own.
  const { tokenizer } = await loadModel('bundled:bert-mini');
  const sizes = { vocabulary: tokenizer.size, positions: Math.max(32, maxTokens) };
  return { ...initializeReluTransformer(seededSource(seed).stream('model'), sizes), name: source, tokenizer };
}

export const isWholeModel = (model: AttackedModel): model is Model => 'architecture' in model;

export function wholeModel(model: AttackedModel): Model {
  if (isWholeModel(model)) return model;
  throw new ArgumentError(`${model.name} has no classifier: expected a model from a checkpoint`);
}

/** The parameter's name in checkpoints. */
export function storedName(model: AttackedModel, name: string): string {
  if (!isWholeModel(model)) return name;
  const { prefix, unprefixed } = model.architecture;
  return unprefixed.test(name) ? name : `${prefix}${name}`;
}

/** What a tokenizer puts before and after every text: everybody knows these tokens. */
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
