// A model as a folder in the Hugging Face layout, which loads here and there.

import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  await mkdir(folder, { recursive: true });
  const tensors: Record<string, TensorToWrite> = {};
  for (const [name, { shape, read }] of model.parameters) {
    const data = parameters[name] ?? (await read());
    tensors[unprefixed.test(name) ? name : `${prefix}${name}`] = { shape, data, dtype };
  }
  const labels = classes && {
    id2label: Object.fromEntries(classes.map((name, label) => [label, name])),
    label2id: Object.fromEntries(classes.map((name, label) => [name, label])),
  };
  const { num_labels, ...rest } = model.rawConfig;
  const padding = { pad_token_id: model.tokenizer.special.padding };
  const config = {
    ...rest,
    architectures: [className],
    ...padding,
    ...(labels ?? (num_labels !== undefined && { num_labels })),
  };
  const { tokenizer, config: tokenizerConfig } = model.tokenizer.description;
  await writeJson(join(folder, 'tokenizer.json'), tokenizer);
  await writeJson(join(folder, 'tokenizer_config.json'), tokenizerConfig);
  await writeJson(join(folder, 'config.json'), config);
  await writeSafetensors(join(folder, 'model.safetensors'), tensors, { format: 'pt' });
}

async function writeJson(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`);
  await rename(temporary, path);
}
