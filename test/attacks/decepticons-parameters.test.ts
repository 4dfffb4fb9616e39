// What a malicious server sends: all changes are listed, and have the expected effect in the model.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawMeasurement, measureRows } from '../../src/attacks/decepticons/measurement.js';
import { type Malicious, maliciousParameters } from '../../src/attacks/index.js';
import { compile } from '../../src/engine/index.js';
import {
  type BlockLayout,
  initializeReluTransformer,
  loadModel,
  type Model,
  type ModelCore,
} from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { feedRows, makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const relu = initializeReluTransformer(seededSource('relu'), {
  vocabulary: 60,
  hidden: 32,
  heads: 4,
  intermediateSize: 40,
});
const models: Record<string, ModelCore> = { relu };
beforeAll(async () => {
  for (const name of ['bert', 'gpt2'] as const)
    models[name] = await loadModel(await writeTiny(join(root, name), name), { numLabels: 2, newHead: true });
});
const blockOf = (model: ModelCore, layer = 0) => model.layout.blocks[layer] as BlockLayout;
const along = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((s, x, i) => s + x * (b[i] as number), 0);

describe.each(['relu', 'bert', 'gpt2'])('malicious parameters for %s', (name) => {
  let [model, sent]: [ModelCore, Malicious] = [undefined as never, undefined as never];
  const random = () => seededSource('server');
  beforeAll(async () => {
    model = models[name] as ModelCore;
    sent = await maliciousParameters(model, { random: random() });
  });

  it('are listed once each, and everything that is listed differs from the model’s own', async () => {
    const listed = sent.changes.flatMap(({ names }) => names);
    expect([...listed].sort()).toEqual(Object.keys(sent.parameters).sort());
    // What the ReLU transformer has from its first day: norms of gain 1 and shift 0, biases of 0.
    const fresh = name === 'relu' ? /LayerNorm|bias$/ : /^$/;
    for (const [key, numbers] of Object.entries(sent.parameters)) {
      const own = (await model.parameters.get(key)?.read()) as Float32Array;
      expect(numbers.length).toBe(own.length);
      if (!fresh.test(key))
        expect(
          numbers.some((x, i) => x !== own[i]),
          key,
        ).toBe(true);
    }
  });

  it('sort by rising thresholds that continue from one feed-forward to the next', () => {
    const { thresholds, settings, parameters } = sent;
    for (const [layer, own] of thresholds.entries()) {
      for (let i = 1; i < own.length; i++) expect(own[i]).toBeGreaterThan(own[i - 1] as number);
      if (layer > 0) expect(own[0]).toBe(thresholds[layer - 1]?.at(-1));
      const bias = parameters[blockOf(model, layer).intermediate.bias] as Float32Array;
      for (const [i, x] of own.entries()) expect(bias[i]).toBe(Math.fround(-settings.scale * x));
    }
  });
});

// The ReLU transformer keeps no traces of its layers.
it.each(['bert', 'gpt2'])(
  'malicious parameters make the first feed-forward of %s measure what the server computed',
  async (name) => {
    const model = models[name] as Model;
    const random = () => seededSource('server');
    const sent = await maliciousParameters(model, { random: random() });
    const rows = [
      [7, 31, 12, 25, 18],
      [9, 9, 40],
    ];
    const { hidden } = model.config;
    const { settings, tables, parameters } = sent;
    const measurement = drawMeasurement(random().stream('measurement'), hidden, settings.keyLength);
    const values = measureRows(model, tables, settings, measurement, rows);
    expect(values).toHaveLength(8);
    const { weight } = blockOf(model).intermediate;
    let place = 0;
    for (const row of rows) {
      const { traces } = model.build({ batch: 1, tokens: row.length, trainable: Object.keys(parameters) });
      const trace = traces.find((one) => one.kind === 'linear' && one.weight.name === weight);
      if (trace?.kind !== 'linear') throw new Error('no such map');
      const program = await compile({ u: trace.input });
      const feeds = Object.entries({ ...parameters, ...feedRows([row], row.length) });
      const { u } = await program.run(Object.fromEntries(feeds.filter(([key]) => key in program.inputs)));
      await program.close();
      for (const token of row.keys()) {
        const input = (u as Float32Array).subarray(token * hidden, (token + 1) * hidden);
        // The layer norm before it multiplies by the gain.
        expect(along(input, measurement) / settings.gain).toBeCloseTo(values[place++] as number, 3);
      }
    }
  },
);
