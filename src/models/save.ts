// A model as a folder in the Hugging Face layout, which loads here and there.

import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import { writeJson } from '../platform/index.js';
import type { Model } from './model.js';
import { type TensorToWrite, writeSafetensors } from './safetensors-writer.js';

export interface SaveOptions {
  /** Numbers that take the place of the model's own, by parameter name. */
  readonly parameters?: Readonly<Record<string, Float32Array>>;
  /** Names of the classes. */
  readonly classes?: readonly string[];
  /** F32 unless said otherwise. */
  readonly dtype?: 'F32' | 'F16' | 'BF16';
}

export async function saveModel(folder: string, model: Model, options: SaveOptions = {}): Promise<void> {
  const { parameters = {}, classes, dtype = 'F32' } = options;
  const { prefix, unprefixed, className } = model.architecture;
  const stranger = Object.keys(parameters).find((name) => !model.parameters.has(name));
  if (stranger !== undefined) throw new ArgumentError(`unknown parameter ${stranger}: the model has no such tensor`);
  if (classes !== undefined && classes.length !== model.config.numLabels) {
    throw new ArgumentError(`invalid classes: expected ${model.config.numLabels} names, got ${classes.length}`);
  }
  const tensors: Record<string, TensorToWrite> = {};
  for (const [name, { shape, read }] of model.parameters) {
    const data = parameters[name] ?? (await read());
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
    architectures: [className],
    torch_dtype: torchTypes[dtype],
    pad_token_id: special.padding,
    ...(labels ?? (num_labels !== undefined && { num_labels })),
  };
  // Without a class of its own, the tokenizer would be read as the one that models of this kind usually have.
  const ownClass = { tokenizer_class: 'PreTrainedTokenizerFast', pad_token: tokenOf(special.padding) };
  // The weights come first: where they cannot be written, nothing is.
  await writeSafetensors(join(folder, 'model.safetensors'), tensors, { format: 'pt' });
  await writeJson(join(folder, 'tokenizer.json'), description.tokenizer);
  await writeJson(join(folder, 'tokenizer_config.json'), { ...ownClass, ...description.config });
  await writeJson(join(folder, 'config.json'), config);
}

const torchTypes = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' } as const;
