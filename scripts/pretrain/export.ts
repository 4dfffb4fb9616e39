// Saves the finished model in the Hugging Face layout, as F16.

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeSafetensors } from '../../src/models/index.js';
import type { Task } from './task.js';

export async function exportModel(folder: string, { parameters, shapes, config, scaffolding }: Task): Promise<void> {
  const kept = Object.entries(parameters).filter(([name]) => !scaffolding.includes(name));
  const tensors = Object.fromEntries(
    kept.map(([name, data]) => [name, { shape: shapes[name] as readonly number[], data, dtype: 'F16' as const }]),
  );
  await writeSafetensors(join(folder, 'model.safetensors'), tensors, { format: 'pt' });
  writeJson(join(folder, 'config.json'), { ...config, torch_dtype: 'float16' });
  // Without this class, transformers would take the tokenizer for GPT-2's own.
  writeJson(join(folder, 'tokenizer_config.json'), {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    mask_token: '[MASK]',
    model_max_length: 256,
  });
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(`${path}.tmp`, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(`${path}.tmp`, path);
}
