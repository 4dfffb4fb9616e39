// The finished model in the Hugging Face layout, as F16.

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
  const path = join(folder, 'config.json');
  writeFileSync(`${path}.tmp`, `${JSON.stringify(config, null, 2)}\n`);
  renameSync(`${path}.tmp`, path);
}
