// A real pretrained BERT (all-MiniLM-L6-v2, F16) against transformers in float64; only where ../shared is.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile, constant, input } from '../../src/engine/index.js';
import {
  buildBert,
  findTensor,
  makeLayers,
  openCheckpoint,
  parseBertConfig,
  readStored,
} from '../../src/models/index.js';

const folder = join(import.meta.dirname, '..', '..', '..', 'shared', 'models', 'minilm-l6');

describe.skipIf(!existsSync(folder))('minilm-l6', () => {
  it('gives the hidden states of every layer, pooled vectors and sentence cosines of transformers', async () => {
    const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
    const checkpoint = await openCheckpoint(folder);
    const config = parseBertConfig(checkpoint.config);
    const arrays = new Map<string, Float32Array>();
    for (const [name, tensor] of checkpoint.tensors) {
      if (tensor.dtype === 'F16') arrays.set(name, await readStored(tensor, tensor.shape));
    }
    // There is no classifier in it, and none is asked for.
    const parameter = (name: string, shape: readonly number[]) => {
      const found = findTensor(checkpoint, name, 'bert.');
      return found ? constant(arrays.get(found.name) as Float32Array, shape) : input(name, shape);
    };

    const rows: number[][] = expected.ids;
    const [batch, tokens] = [rows.length, Math.max(...rows.map(({ length }) => length))];
    const padded = rows.flatMap((row) => [...row, ...Array<number>(tokens - row.length).fill(0)]);
    const mask = rows.flatMap((row) => Array.from({ length: tokens }, (_, i) => Number(i < row.length)));
    const model = buildBert(
      config,
      makeLayers(parameter),
      { ids: input('ids', [batch, tokens], 'i64') },
      input('mask', [batch, tokens]),
    );
    const states = Object.fromEntries(model.states.map((state, layer) => [`${layer}`, state]));
    const program = await compile<string>({ ...states, pooled: model.pooled() });
    const result = await program.run({ ids: BigInt64Array.from(padded, BigInt), mask: Float32Array.from(mask) });
    await program.close();

    const { hidden } = config;
    const tokenState = (layer: number, row: number, token: number) => {
      const start = (row * tokens + token) * hidden;
      return Array.from((result[`${layer}`] as Float32Array).subarray(start, start + hidden));
    };
    for (const [layer, sentences] of expected.cls_by_layer.entries()) {
      for (const [row, numbers] of sentences.entries()) expectNear(tokenState(layer, row, 0), numbers);
    }
    for (const [row, numbers] of expected.cls.entries()) expectNear(tokenState(config.layers, row, 0), numbers);
    const pooled = result.pooled as Float32Array;
    for (const [row, numbers] of expected.pooled.entries())
      expectNear([...pooled.subarray(row * hidden, (row + 1) * hidden)], numbers);

    const means = rows.map((ids, row) => {
      const all = ids.map((_, token) => tokenState(config.layers, row, token));
      return Array.from(
        { length: hidden },
        (_, i) => all.reduce((sum, state) => sum + (state[i] as number), 0) / ids.length,
      );
    });
    const dot = (a: number[], b: number[]) => a.reduce((sum, number, i) => sum + number * (b[i] as number), 0);
    const cosine = (a: number[], b: number[]) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
    for (const [i, cosines] of expected.mean_embedding_cosine.entries()) {
      expectNear(
        means.map((mean) => cosine(means[i] as number[], mean)),
        cosines,
      );
    }
  });
});

/** The first numbers of `actual`, as many as are expected. */
function expectNear(actual: readonly number[], expected: readonly number[]) {
  const error = Math.max(...expected.map((number, i) => Math.abs(number - (actual[i] as number))));
  expect(error).toBeLessThan(1e-4);
}
