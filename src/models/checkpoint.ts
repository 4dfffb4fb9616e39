// A checkpoint folder in the Hugging Face layout: config.json and weights in one safetensors file, or in several with an
// index.

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FileError } from '../checks/index.js';
import { readJsonObject } from '../platform/index.js';
import { openSafetensors, readTensor, type SafetensorsFile, type TensorEntry } from './safetensors.js';

export interface Checkpoint {
  readonly folder: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Every tensor with the file it lies in, under the name it has there. */
  readonly tensors: ReadonlyMap<string, StoredTensor>;
}

export interface StoredTensor extends TensorEntry {
  readonly name: string;
  readonly file: SafetensorsFile;
}

const single = 'model.safetensors';
const index = 'model.safetensors.index.json';

export async function openCheckpoint(folder: string): Promise<Checkpoint> {
  const names = await readdir(folder).catch(() => {
    throw new FileError(`${folder}: no such folder`);
  });
  const config = await readJsonObject(join(folder, 'config.json'));
  if (names.includes(single)) {
    const file = await openSafetensors(join(folder, single));
    return { folder, config, tensors: new Map([...file.tensors.keys()].map((name) => [name, stored(file, name)])) };
  }
  if (names.includes(index)) return { folder, config, tensors: await openShards(folder) };
  const pickle = names.find((name) => /\.(bin|pt|pth|ckpt|pkl)$/.test(name));
  const advice =
    pickle === undefined
      ? ''
      : `; ${pickle} is a pickle file, which can run code when it is loaded: load it in PyTorch and save it again with safetensors.torch.save_file`;
  throw new FileError(`${folder}: expected ${single} or ${index}, found neither${advice}`);
}

/** The index says which file holds which tensor. */
async function openShards(folder: string): Promise<Map<string, StoredTensor>> {
  const path = join(folder, index);
  const { weight_map: map } = await readJsonObject(path);
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw new FileError(`${path}: expected a weight_map`);
  const files = new Map<string, SafetensorsFile>();
  const tensors = new Map<string, StoredTensor>();
  for (const [name, shard] of Object.entries(map)) {
    if (typeof shard !== 'string' || shard !== basename(shard) || !shard.endsWith('.safetensors')) {
      throw new FileError(
        `${path}: tensor ${name}: expected a safetensors file in this folder, got ${JSON.stringify(shard)}`,
      );
    }
    const file = files.get(shard) ?? (await openSafetensors(join(folder, shard)));
    files.set(shard, file);
    if (!file.tensors.has(name)) throw new FileError(`${path}: tensor ${name} is not in ${shard}`);
    tensors.set(name, stored(file, name));
  }
  return tensors;
}

const stored = (file: SafetensorsFile, name: string): StoredTensor => ({
  ...(file.tensors.get(name) as TensorEntry),
  name,
  file,
});

/**
 * A tensor by its name without prefix: checkpoints of a bare model leave out the `bert.` or `transformer.` that those with
 * a head have. The first BERTs, bert-base-uncased among them, call the gain and shift of their norms gamma and beta.
 */
export function findTensor({ tensors }: Checkpoint, name: string, prefix: string): StoredTensor | undefined {
  const older = name.replace(/(?<=LayerNorm\.)weight$/, 'gamma').replace(/(?<=LayerNorm\.)bias$/, 'beta');
  const known = [name, `${prefix}${name}`, older, `${prefix}${older}`].find((one) => tensors.has(one));
  return known === undefined ? undefined : tensors.get(known);
}

export function expectShape({ file, name, shape }: StoredTensor, wanted: readonly number[]): void {
  if (shape.length !== wanted.length || shape.some((size, axis) => size !== wanted[axis])) {
    throw new FileError(`${file.path}: tensor ${name}: expected shape [${wanted}], got [${shape}]`);
  }
}

/** The numbers of a tensor, after checking its shape. */
export async function readStored(tensor: StoredTensor, shape: readonly number[]): Promise<Float32Array> {
  expectShape(tensor, shape);
  return readTensor(tensor.file, tensor.name);
}
