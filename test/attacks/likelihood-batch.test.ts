// The likelihood attack on sums of gradients: sentences take turns, each attacked as if it were alone.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AttackedModel,
  type Client,
  type GradientView,
  openAttackedModel,
  openClient,
} from '../../src/attacks/index.js';
import { likelihood } from '../../src/attacks/likelihood/attack.js';
import { tableNames } from '../../src/attacks/likelihood/table-products.js';
import { readOptions } from '../../src/checks/index.js';
import type { Protection } from '../../src/mechanisms/index.js';
import { selectParameters } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const texts = ['a b c d', 'the cat', 'z y x w v', 'q q q'];
const joint = { scope: 'joint', clipping: 'clip', clipNorm: 1 } as const;

describe.each(['bert', 'gpt2'] as const)('a batch on tiny %s', (name) => {
  let [model, rows, shared, client] = [] as unknown as [AttackedModel, number[][], string[], Client];
  beforeAll(async () => {
    model = await openAttackedModel(await writeTiny(join(root, name), name), { numLabels: 2, seed: 1 });
    rows = texts.map((text) => model.tokenizer.encode(text, { maxTokens: 10 }));
    shared = selectParameters(model as never, 'all', 'classification');
    client = await openClient({ model, data: { inputIds: rows, labels: rows.map((_, i) => i % 2) }, shared });
    return () => client.close();
  });
  const open = (batchSize: number, names: readonly string[] = shared) => {
    const options = readOptions(likelihood.options, { refinement: 'quick' });
    return likelihood.open({
      model,
      options,
      batchSize,
      longest: 10,
      loss: 'class',
      shared: names,
      random: seededSource(1),
    });
  };
  const only = (view: GradientView, names: readonly string[]): GradientView => ({
    ...view,
    gradients: Object.fromEntries(Object.entries(view.gradients).filter(([own]) => names.includes(own))),
  });
  const sorted = (sentences: readonly (readonly number[])[]) => sentences.map((tokens) => tokens.join(' ')).sort();

  it.each<[string, number[], Protection]>([
    ['three sentences without noise', [0, 1, 2], { mechanism: 'none' }],
    ['two, clipped and noised', [0, 1], { mechanism: 'gaussian', ...joint, noiseMultiplier: 1e-5 }],
    ['two, each with a random direction', [1, 2], { mechanism: 'directional', scope: 'joint', concentration: 1e12 }],
  ])('comes back: %s', async (what, indices, protection) => {
    const attack = await open(indices.length);
    const { view } = await client.share(indices, protection, seededSource(what));
    const { sentences, confidence, figures } = await attack.run(view);
    expect(sorted(sentences)).toEqual(sorted(indices.map((index) => rows[index] as number[])));
    expect(sentences.map(({ length }) => length)).toEqual(view.lengths);
    for (const [k, sure] of confidence.entries()) {
      expect(sure).toHaveLength(sentences[k]?.length ?? 0);
      for (const one of sure) expect(one).toBeGreaterThan(0.9);
    }
    expect(Object.keys(figures ?? {})).toEqual(['rounds', 'tries', 'misfit']);
    // Once the others are subtracted, what is left is explained.
    expect(Math.abs(figures?.misfit as number)).toBeLessThan(5);
    await attack.close();
  });

  it('needs no span, and says what it cannot do without', async () => {
    const names = shared.filter((one) => tableNames(model).includes(one) || /classifier|score|pooler/.test(one));
    const attack = await open(2, names);
    const { view } = await client.share([1, 2], { mechanism: 'none' }, seededSource('tables'));
    const laws = view.laws?.filter((law) => law.names.every((one) => names.includes(one))) ?? [];
    const { sentences } = await attack.run({ ...only(view, names), laws });
    expect(sentences.map(({ length }) => length)).toEqual(view.lengths);
    const { lengths: __, ...hidden } = view;
    await expect(attack.run(only(hidden, names))).rejects.toThrow(
      'needs the lengths of all 2 sentences of a batch, got none',
    );
    await expect(attack.run(only({ ...view, lengths: [4] }, names))).rejects.toThrow('got 1');
    const { laws: _, ...unsaid } = view;
    await expect(attack.run(only(unsaid, names))).rejects.toThrow(
      'needs to know how gradients were bounded and noised',
    );
    await attack.close();
  });
});
