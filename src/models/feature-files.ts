// Features on disk: a safetensors file whose metadata holds a key, for what they were computed from, and a digest of the
// numbers.

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { FileError } from '../checks/index.js';
import type { Shape } from '../engine/index.js';
import { openSafetensors, readTensor } from './safetensors.js';
import { writeSafetensors } from './safetensors-writer.js';

interface FeatureArray {
  readonly shape: Shape;
  readonly data: Float32Array;
}

function digestOf(values: readonly FeatureArray[]): string {
  const hash = createHash('sha256');
  for (const { data } of values) hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return hash.digest('hex');
}

/** Writes arrays, unless some numbers are not finite: safetensors files hold finite numbers only, and training skips such examples. */
export async function writeNumbers(path: string, key: string, values: readonly FeatureArray[]): Promise<void> {
  if (values.some(({ data }) => !data.every(Number.isFinite))) return;
  const tensors = Object.fromEntries(values.map(({ data }, index) => [`${index}`, { shape: [data.length], data }]));
  await writeSafetensors(path, tensors, { key, digest: digestOf(values) }, { ownerOnly: true });
}

/** Reads into `values`; false if there is no file or it is damaged, so that the caller writes it again. */
export async function readNumbers(path: string, key: string, values: readonly FeatureArray[]): Promise<boolean> {
  if ((await stat(path).catch(() => undefined)) === undefined) return false;
  try {
    const file = await openSafetensors(path);
    if (file.metadata.key !== key || file.tensors.size !== values.length) return false;
    for (const [index, { data }] of values.entries()) {
      const numbers = await readTensor(file, `${index}`);
      if (numbers.length !== data.length) return false;
      data.set(numbers);
    }
    return file.metadata.digest === digestOf(values);
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}
