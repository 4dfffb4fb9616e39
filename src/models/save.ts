// Saves a model as a folder in the Hugging Face layout, which loads here and in Python.

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import { writeJson } from '../platform/index.js';
import type { Model } from './model.js';
import { type TensorToWrite, writeSafetensors } from './safetensors-writer.js';

/** Trained numbers, class names and type of a saved model. */
export interface SaveOptions {
  /** Trained numbers by parameter name; the other parameters are saved as the model has them. Default: none. */
  readonly parameters?: Readonly<Record<string, Float32Array>>;
  /** Class names in the order of their labels. Default: those of config.json. */
  readonly classes?: readonly string[];
  /** Stored type. Default: F32. */
  readonly dtype?: 'F32' | 'F16' | 'BF16';
}

/**
 * Saves a model with its classifier and tokenizer in the Hugging Face layout: model.safetensors, config.json, tokenizer.json
 * and tokenizer_config.json. Pass the `parameters` of a training result, or the model is saved untrained.
 */
export async function saveModel(folder: string, model: Model, options: SaveOptions = {}): Promise<void> {
  const { parameters = {}, classes, dtype = 'F32' } = options;
  const { prefix, unprefixed, classNames } = model.architecture;
  const unknown = Object.keys(parameters).find((name) => !model.parameters.has(name));
  if (unknown !== undefined) throw new ArgumentError(`unknown parameter ${unknown}: the model has no such tensor`);
  if (classes !== undefined && classes.length !== model.config.numLabels) {
    throw new ArgumentError(`invalid classes: expected ${model.config.numLabels} names, got ${classes.length}`);
  }
  const tensors: Record<string, TensorToWrite> = {};
  for (const [name, { shape, read }] of model.parameters) {
    const data = parameters[name] ?? read;
    tensors[unprefixed.test(name) ? name : `${prefix}${name}`] = { shape, data, dtype };
  }
  const labels = classes && {
    id2label: Object.fromEntries(classes.map((name, label) => [label, name])),
    label2id: Object.fromEntries(classes.map((name, label) => [name, label])),
  };
  const { num_labels, dtype: _, ...rest } = model.rawConfig;
  const { special, tokenOf, description } = model.tokenizer;
  const config = {
    ...rest,
    architectures: [classNames[model.head]],
    torch_dtype: torchTypes[dtype],
    pad_token_id: special.padding,
    ...(labels ?? (num_labels !== undefined && { num_labels })),
  };
  // Without a class, Transformers would load the tokenizer that this architecture usually has.
  const ownClass = { tokenizer_class: 'PreTrainedTokenizerFast', pad_token: tokenOf(special.padding) };
  await removeStatement(folder);
  // Weights come first: if they cannot be written, nothing is.
  await writeSafetensors(join(folder, 'model.safetensors'), tensors, { format: 'pt' });
  await writeJson(join(folder, 'tokenizer.json'), description.tokenizer);
  await writeJson(join(folder, 'tokenizer_config.json'), { ...ownClass, ...description.config });
  await writeJson(join(folder, 'config.json'), config);
}

/** The beginning of a README.md that was not written by hand. */
export const cardMarker = '<!-- Written by Epsilens when the model was saved. -->';

/** What was stated about the weights that were here before must not stand beside others. */
async function removeStatement(folder: string): Promise<void> {
  await rm(join(folder, 'privacy.json'), { force: true });
  const card = join(folder, 'README.md');
  const text = await readFile(card, 'utf8').catch(() => '');
  if (text.startsWith(cardMarker)) await rm(card);
}

const torchTypes = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' } as const;
