// A checkpoint folder in the Hugging Face layout: config.json, and weights in one safetensors file or in shards with an index.

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FileError } from '../checks/index.js';
import { hubAdvice, readJsonObject } from '../platform/index.js';
import { bundledModels } from './bundled.js';
import { openSafetensors, readTensor, type SafetensorsFile, type TensorEntry } from './safetensors.js';

/** The configuration and tensors of a checkpoint folder; the tensors' numbers are not read yet. */
export interface Checkpoint {
  readonly folder: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Every tensor with its file, by its name there. */
  readonly tensors: ReadonlyMap<string, StoredTensor>;
}

/** A tensor and the file that holds it. */
export interface StoredTensor extends TensorEntry {
  readonly name: string;
  readonly file: SafetensorsFile;
}

const single = 'model.safetensors';
const index = 'model.safetensors.index.json';

/** Opens a checkpoint folder and checks the headers of its weights files. */
export async function openCheckpoint(folder: string): Promise<Checkpoint> {
  const names = await readdir(folder).catch(() => {
    throw new FileError(
      `${folder}: no such folder: give one in the Hugging Face layout, or a bundled model (${bundledModels().join(', ')})${hubAdvice(folder, 'model')}`,
    );
  });
  if (!names.includes('config.json') && names.includes('model')) {
    throw new FileError(
      `${folder}: expected config.json, got none: the model of a training run is in ${join(folder, 'model')}`,
    );
  }
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
      : `; ${pickle} is a pickle file, which can run code when loaded: load it in PyTorch and save it again with safetensors.torch.save_file`;
  throw new FileError(`${folder}: expected ${single} or ${index}, found neither${advice}`);
}

/** Opens the shards that the index names. */
async function openShards(folder: string): Promise<Map<string, StoredTensor>> {
  const path = join(folder, index);
  const { weight_map: map } = await readJsonObject(path);
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw new FileError(`${path}: expected an object weight_map, got ${JSON.stringify(map)?.slice(0, 40)}`);
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
 * Finds a tensor by its name without prefix: checkpoints with a head add `bert.` or `transformer.`, those of a bare model do
 * not. The first BERTs, bert-base-uncased among them, call the weight and bias of their norms gamma and beta.
 */
export function findTensor({ tensors }: Checkpoint, name: string, prefix: string): StoredTensor | undefined {
  const older = name.replace(/(?<=LayerNorm\.)weight$/, 'gamma').replace(/(?<=LayerNorm\.)bias$/, 'beta');
  const known = [name, `${prefix}${name}`, older, `${prefix}${older}`].find((one) => tensors.has(one));
  return known === undefined ? undefined : tensors.get(known);
}

/** Throws unless the tensor has this shape. */
export function expectShape({ file, name, shape }: StoredTensor, wanted: readonly number[]): void {
  if (shape.length !== wanted.length || shape.some((size, axis) => size !== wanted[axis])) {
    throw new FileError(`${file.path}: tensor ${name}: expected shape [${wanted}], got [${shape}]`);
  }
}

/** Reads the numbers of a tensor after checking its shape. */
export async function readStored(tensor: StoredTensor, shape: readonly number[]): Promise<Float32Array> {
  expectShape(tensor, shape);
  return readTensor(tensor.file, tensor.name);
}
