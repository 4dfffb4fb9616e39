// Saves a model as a folder in the Hugging Face layout, which loads here and in Python.

import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import { writeJson } from '../platform/index.js';
import { adapterConfigFile, adapterWeightsFile } from './lora/files.js';
import { mergeAdapter } from './lora/merge.js';
import { describeAdapter } from './lora/save.js';
import type { Model } from './model.js';
import { replaceParameters } from './replace-parameters.js';
import { type TensorToWrite, writeSafetensors } from './safetensors-writer.js';

/** Trained numbers, class names and type of a saved model. */
export interface SaveOptions {
  /** Trained numbers by parameter name; the other parameters are saved as the model has them. Default: none. */
  readonly parameters?: Readonly<Record<string, Float32Array>>;
  /** Class names in the order of their labels. Default: those of config.json. */
  readonly classes?: readonly string[];
  /** Stored type. Default: F32. */
  readonly dtype?: 'F32' | 'F16' | 'BF16';
  /** Saves a model with a LoRA adapter as one plain model. Default: false, PEFT's layout, which names the base model. */
  readonly merge?: boolean;
}

/**
 * Saves a model with its classifier and tokenizer in the Hugging Face layout: model.safetensors, config.json, tokenizer.json
 * and tokenizer_config.json. A model with an adapter is saved in PEFT's layout, with adapter_model.safetensors and adapter_config.json
 * in place of model.safetensors. Pass the `parameters` of a training result, or the model is saved untrained.
 */
export async function saveModel(folder: string, given: Model, options: SaveOptions = {}): Promise<void> {
  const { parameters = {}, classes, dtype = 'F32', merge = false } = options;
  const trained = given.adapter === undefined ? given : replaceParameters(given, parameters);
  const model = merge && trained.adapter !== undefined ? await mergeAdapter(trained) : trained;
  const { classNames } = model.architecture;
  const unknown = Object.keys(parameters).find((name) => !model.parameters.has(name));
  if (unknown !== undefined) throw new ArgumentError(`unknown parameter ${unknown}: the model has no such tensor`);
  if (classes !== undefined && classes.length !== model.config.numLabels) {
    throw new ArgumentError(`invalid classes: expected ${model.config.numLabels} names, got ${classes.length}`);
  }
  await expectOneKind(folder, model);
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
  // Weights come first: if they cannot be written, nothing is.
  if (model.adapter !== undefined) {
    const described = await describeAdapter(model, model.adapter, dtype);
    await removeStatement(folder);
    await writeSafetensors(join(folder, adapterWeightsFile), described.tensors, { format: 'pt' });
    await writeJson(join(folder, adapterConfigFile), described.config);
  } else {
    const tensors = wholeTensors(model, parameters, dtype);
    await removeStatement(folder);
    await writeSafetensors(join(folder, 'model.safetensors'), tensors, { format: 'pt' });
  }
  await writeJson(join(folder, 'tokenizer.json'), description.tokenizer);
  await writeJson(join(folder, 'tokenizer_config.json'), { ...ownClass, ...description.config });
  await writeJson(join(folder, 'config.json'), config);
}

/** Numbers that did not change are read when it is their turn. */
function wholeTensors(
  { parameters, architecture: { prefix, unprefixed } }: Model,
  changed: NonNullable<SaveOptions['parameters']>,
  dtype: NonNullable<SaveOptions['dtype']>,
): Record<string, TensorToWrite> {
  const tensors: Record<string, TensorToWrite> = {};
  for (const [name, { shape, read }] of parameters) {
    const data = changed[name] ?? read;
    tensors[unprefixed.test(name) ? name : `${prefix}${name}`] = { shape, data, dtype };
  }
  return tensors;
}

/** A folder holds a whole model or an adapter: with both, nobody could say which is meant. */
async function expectOneKind(folder: string, { adapter }: Model): Promise<void> {
  const other = adapter === undefined ? adapterConfigFile : 'model.safetensors';
  if (!existsSync(join(folder, other))) return;
  const [kind, found] = adapter === undefined ? ['a whole model', 'an adapter'] : ['an adapter', 'a whole model'];
  throw new ArgumentError(`${folder} holds ${found} (${other}): save ${kind} in another folder`);
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
