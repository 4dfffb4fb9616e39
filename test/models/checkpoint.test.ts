// Checkpoint folders: one file, several files, invalid ones.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { findTensor, openCheckpoint, readStored, type StoredTensor, writeSafetensors } from '../../src/models/index.js';

const root = mkdtempSync(join(tmpdir(), 'epsilens-test-'));
afterAll(() => rmSync(root, { recursive: true }));

/** A folder with the given text files. */
function folder(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(root, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}
const tensor = (...numbers: number[]) => ({ shape: [numbers.length], data: Float32Array.from(numbers) });
const indexFile = 'model.safetensors.index.json';

describe('a checkpoint', () => {
  it("in one file is read with and without the model's prefix", async () => {
    const path = folder('single', { 'config.json': '{"hidden_size": 2}' });
    await writeSafetensors(join(path, 'model.safetensors'), { 'bert.a': tensor(1, 2), b: tensor(3) });
    const checkpoint = await openCheckpoint(path);
    expect(checkpoint.config).toEqual({ hidden_size: 2 });
    expect(await readStored(findTensor(checkpoint, 'a', 'bert.') as StoredTensor, [2])).toEqual(Float32Array.of(1, 2));
    expect(await readStored(findTensor(checkpoint, 'b', 'bert.') as StoredTensor, [1])).toEqual(Float32Array.of(3));
    expect(findTensor(checkpoint, 'c', 'bert.')).toBeUndefined();
    await expect(readStored(findTensor(checkpoint, 'a', 'bert.') as StoredTensor, [1, 2])).rejects.toThrow(
      'tensor bert.a: expected shape [1,2], got [2]',
    );
  });

  it('in several files is read through its index', async () => {
    const map = { a: 'one.safetensors', b: 'two.safetensors', c: 'one.safetensors' };
    const path = folder('sharded', { 'config.json': '{}', [indexFile]: JSON.stringify({ weight_map: map }) });
    await writeSafetensors(join(path, 'one.safetensors'), { a: tensor(1), c: tensor(5, 6) });
    await writeSafetensors(join(path, 'two.safetensors'), { b: tensor(2) });
    const checkpoint = await openCheckpoint(path);
    expect([...checkpoint.tensors.keys()]).toEqual(['a', 'b', 'c']);
    expect(await readStored(checkpoint.tensors.get('c') as StoredTensor, [2])).toEqual(Float32Array.of(5, 6));
  });

  it.each([
    ['absent', () => join(root, 'absent'), 'no such folder'],
    ['bare', () => folder('bare', {}), 'config.json: no such file'],
    ['broken', () => folder('broken', { 'config.json': '{' }), 'config.json: not JSON'],
    ['list', () => folder('list', { 'config.json': '[]' }), 'config.json: expected a JSON object'],
    ['weightless', () => folder('weightless', { 'config.json': '{}' }), 'expected model.safetensors or'],
    [
      'pickled',
      () => folder('pickled', { 'config.json': '{}', 'pytorch_model.bin': '' }),
      'pytorch_model.bin is a pickle file, which can run code',
    ],
    [
      'mapless',
      () => folder('mapless', { 'config.json': '{}', [indexFile]: '{}' }),
      'expected an object weight_map, got undefined',
    ],
    [
      'outside',
      () => folder('outside', { 'config.json': '{}', [indexFile]: '{"weight_map": {"a": "../x.safetensors"}}' }),
      'tensor a: expected a safetensors file in this folder',
    ],
    [
      'shardless',
      () => folder('shardless', { 'config.json': '{}', [indexFile]: '{"weight_map": {"a": "x.safetensors"}}' }),
      'x.safetensors: no such file',
    ],
  ] as const)('that is invalid is refused: %s', async (_, make, message) => {
    const opened = openCheckpoint(make());
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.toBeInstanceOf(FileError);
  });

  it('whose index names a missing tensor is refused', async () => {
    const path = folder('wrong', { 'config.json': '{}', [indexFile]: '{"weight_map": {"b": "one.safetensors"}}' });
    await writeSafetensors(join(path, 'one.safetensors'), { a: tensor(1) });
    await expect(openCheckpoint(path)).rejects.toThrow('tensor b is not in one.safetensors');
  });
});

const minilm = join(import.meta.dirname, '..', '..', '..', 'shared', 'models', 'minilm-l6');
describe.skipIf(!existsSync(minilm))('a real checkpoint (only where ../shared is)', () => {
  it('is found without the prefix', async () => {
    const checkpoint = await openCheckpoint(minilm);
    expect(checkpoint.config.hidden_size).toBe(384);
    expect(findTensor(checkpoint, 'embeddings.LayerNorm.weight', 'bert.')?.shape).toEqual([384]);
  });
});
