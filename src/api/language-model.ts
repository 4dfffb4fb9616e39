// A model with methods: it classifies texts and saves itself.

import { stat } from 'node:fs/promises';
import { ArgumentError, FileError } from '../checks/index.js';
import {
  type ClassifyOptions,
  classNames,
  digestOfFiles,
  type LoadOptions,
  loadModel as loadPlainModel,
  type Model,
  openTextClassifier,
  openTokenClassifier,
  type Prediction,
  placeModel,
  type SaveOptions,
  saveModel,
  type TextClassifier,
  type TextLabels,
  type TokenClassifier,
} from '../models/index.js';
import { expectKind, expectOptions } from './known-options.js';
import { writeModelCard } from './model-card.js';
import { remember } from './origin.js';
import { type PrivacyRecord, readRecord, writeRecord } from './privacy-record.js';

/** A model that classifies texts and saves itself. It is also a `Model`, so functions of `epsilens/models` and `epsilens/training` take it. */
export interface LanguageModel extends Model {
  /** Names of the classes, in the order of their labels. */
  readonly classes: readonly string[];
  /**
   * The label and the probability of every class, per text. Texts are cut to as many tokens as in fine-tuning, 128 for a
   * model from a folder. A model whose classifier has not been trained is refused.
   */
  readonly classify: (texts: readonly string[], options?: ClassifyOptions) => Promise<Prediction[]>;
  /**
   * The label and the probability of every class, for each word of each text: for models with a token classifier, such as those
   * that find names. Texts are split at white space; a word has the label of its first token.
   */
  readonly classifyTokens: (texts: readonly string[], options?: ClassifyOptions) => Promise<TextLabels[]>;
  /** What the model promises about its training data; undefined if it was not trained by Epsilens. */
  readonly privacy?: PrivacyRecord;
  /**
   * Writes the model in the Hugging Face layout: config.json, model.safetensors, tokenizer.json; with privacy.json and README.md. A
   * model with a LoRA adapter is written in PEFT's layout, which names its base model; with `merge: true`, as one plain model.
   */
  readonly save: (folder: string, options?: Pick<SaveOptions, 'dtype' | 'merge'>) => Promise<void>;
  /** Frees the programs that `classify` and `classifyTokens` compiled. Optional: they end with the process. */
  readonly close: () => Promise<void>;
}

/**
 * Loads a model: a folder in the Hugging Face layout, `bundled:bert-mini` or `bundled:gpt2-mini`, or a model of the Hugging Face Hub
 * (`hf:owner/name`, `hf:owner/name@revision`), which is downloaded once. A classifier that the checkpoint
 * lacks is initialized at random; fine-tune it before you classify.
 */
export async function loadModel(source: string, options: LoadOptions = {}): Promise<LanguageModel> {
  expectKind('model', source);
  expectOptions(options, ['numLabels', 'newHead', 'seed', 'base', 'onProgress'], 'loadModel');
  const model = await loadPlainModel(source, options);
  const privacy = await recordFor(model.name, model);
  // A name of the Hub with its commit, so that other processes and later runs load the same weights.
  const { onProgress: _, ...deciding } = options;
  return remember(languageModel(model, privacy && { privacy }), model.name, deciding);
}

/** The privacy record of a model from a folder or the Hub; undefined if it has none, or one that belongs to other weights. */
export async function recordFor(source: string, { digest, adapter }: Model): Promise<PrivacyRecord | undefined> {
  if (source.startsWith('bundled:')) return undefined;
  const record = await readRecord((await placeModel(source)).folder);
  // A new classifier is part of the digest, but changes nothing about the weights that were trained.
  if (record === undefined || !digest.startsWith(record.weights)) return undefined;
  if (record.base !== undefined && (!adapter || record.base !== digestOfFiles(adapter.base))) return undefined;
  const { privacyRecord: _, weights: __, base: ___, ...privacy } = record;
  return privacy;
}

/** What is known about a model beyond its weights. */
interface Facts {
  readonly classes?: readonly string[];
  /** Tokens to which texts were cut in training. */
  readonly maxTokens?: number;
  readonly privacy?: PrivacyRecord;
}

/** Gives a model its methods. */
export function languageModel(model: Model, facts: Facts = {}): LanguageModel {
  const { classes = classNames(model), maxTokens, privacy } = facts;
  let classifier: TextClassifier | undefined;
  let tokenClassifier: TokenClassifier | undefined;
  const usual = maxTokens === undefined ? {} : { maxTokens };
  return {
    ...model,
    classes,
    ...(privacy && { privacy }),
    classify: async (texts, options = {}) => {
      expectOptions(options, ['maxTokens', 'onProgress', 'signal'], 'classify');
      if (model.head === 'tokens')
        throw new ArgumentError(`${model.name}: expected a classifier of texts, got one of tokens: use classifyTokens`);
      classifier ??= openTextClassifier(model, classes);
      return classifier.classify(texts, { ...usual, ...options });
    },
    classifyTokens: async (texts, options = {}) => {
      expectOptions(options, ['maxTokens', 'onProgress', 'signal'], 'classifyTokens');
      if (model.head !== 'tokens')
        throw new ArgumentError(`${model.name}: expected a classifier of tokens, got one of texts: use classify`);
      tokenClassifier ??= openTokenClassifier(model, classes);
      return tokenClassifier.classify(texts, { ...usual, ...options });
    },
    save: async (folder, options = {}) => {
      expectKind('folder', folder);
      expectOptions(options, ['dtype', 'merge'], 'save');
      await expectFolder(folder);
      await saveModel(folder, model, { ...options, classes });
      const base = options.merge ? undefined : model.adapter?.base;
      await writeRecord(folder, privacy, base && digestOfFiles(base));
      await writeModelCard(folder, model, classes, privacy);
    },
    close: async () => {
      await classifier?.close();
      await tokenClassifier?.close();
    },
  };
}

/** A folder, or a place for one. */
async function expectFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) throw new FileError(`${path}: expected a folder, got a file`);
}
