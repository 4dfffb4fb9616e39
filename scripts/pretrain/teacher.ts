// The teacher of the distillation: all-MiniLM-L6-v2 (Apache-2.0). The mean of its token states, normalised, is the vector of a
// sentence. Vectors are computed once, in chunks that are kept on disk.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTokenizer } from '../../src/data/index.js';
import { compile, constant, div, input, matMul, reduceL2, squeeze, unsqueeze } from '../../src/engine/index.js';
import {
  buildBert,
  findTensor,
  makeLayers,
  openCheckpoint,
  parseBertConfig,
  readStored,
  type StoredTensor,
} from '../../src/models/index.js';
import { bigints } from './windows.js';

export interface Teacher {
  readonly size: number;
  /** [sentences, size]. */
  readonly vectors: (sentences: readonly string[]) => Promise<Float32Array>;
  readonly chunk: (name: string, sentences: readonly string[]) => Promise<Float32Array>;
}

const [batch, tokens] = [64, 32];

export async function openTeacher(folder: string, cache: string): Promise<Teacher> {
  const tokenizer = await openTokenizer(folder);
  const checkpoint = await openCheckpoint(folder);
  const config = parseBertConfig(checkpoint.config);
  const arrays = new Map<string, Float32Array>();
  for (const [name, tensor] of checkpoint.tensors) {
    if (tensor.dtype !== 'I64') arrays.set(name, await readStored(tensor, tensor.shape));
  }
  const layers = makeLayers((name, shape) => {
    const found = findTensor(checkpoint, name, 'bert.') as StoredTensor;
    return constant(arrays.get(found.name) as Float32Array, shape);
  });
  const [ids, mask] = [input('ids', [batch, tokens], 'i64'), input('mask', [batch, tokens])];
  const states = buildBert(config, layers, { ids }, mask).final();
  const sum = squeeze(matMul(unsqueeze(mask, 1), states), 1); // [batch, hidden]
  const program = await compile({ vectors: div(sum, reduceL2(sum, [1], true)) });

  const vectors = async (sentences: readonly string[]): Promise<Float32Array> => {
    const all = new Float32Array(sentences.length * config.hidden);
    for (let start = 0; start < sentences.length; start += batch) {
      const rows = Array.from({ length: batch }, (_, i) =>
        tokenizer.encode(sentences[start + i] ?? '', { maxTokens: tokens }),
      );
      const result = await program.run({
        ids: bigints(rows.flatMap((row) => Array.from({ length: tokens }, (_, i) => row[i] ?? 0))),
        mask: Float32Array.from(
          rows.flatMap((row) => Array.from({ length: tokens }, (_, i) => Number(i < row.length))),
        ),
      });
      const wanted = Math.min(batch, sentences.length - start) * config.hidden;
      all.set((result.vectors as Float32Array).subarray(0, wanted), start * config.hidden);
    }
    return all;
  };
  return {
    size: config.hidden,
    vectors,
    chunk: async (name, sentences) => {
      const path = join(cache, 'teacher', `${name}.f32`);
      if (existsSync(path)) {
        const bytes = readFileSync(path);
        return new Float32Array(
          bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
        );
      }
      const made = await vectors(sentences);
      mkdirSync(join(cache, 'teacher'), { recursive: true });
      writeFileSync(`${path}.tmp`, new Uint8Array(made.buffer));
      renameSync(`${path}.tmp`, path);
      return made;
    },
  };
}
