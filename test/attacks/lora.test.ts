// What shared gradients of LoRA adapters show. The first maps (A) of the first block span the inputs of a text with no more tokens than
// their ranks together, once the second maps (B) are not zero any more.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { spanAttack, spanParameters } from '../../src/attacks/index.js';
import { evidenceIn } from '../../src/attacks/likelihood/evidence.js';
import { span } from '../../src/attacks/span/attack.js';
import { sizeOf } from '../../src/engine/index.js';
import { loadModel, type Model, replaceParameters, selectParameters, withAdapter } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { openClassifier, readParameters } from '../../src/training/index.js';
import { makeRoot, type TinyName, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();

describe.each(['bert', 'gpt2'] as const)('adapters of tiny %s', (name: TinyName) => {
  let plain: Model;
  beforeAll(async () => {
    plain = await loadModel(await writeTiny(join(root, name), name), { numLabels: 2, newHead: true });
  });
  const rows = (model: Model) =>
    ['a b c', 'hello', 'z y x w v u t s r q p o n m'].map((text) => [
      ...model.tokenizer.encode(text, { maxTokens: 12 }),
    ]);

  /** An adapter whose second maps are as training might have left them. */
  const trained = (rank: number): Model => {
    const model = withAdapter(plain, { rank, seed: 5 });
    const second = selectParameters(model, 'lora-only').filter((one) => one.includes('lora_B'));
    return replaceParameters(
      model,
      Object.fromEntries(
        second.map((one) => {
          const numbers = new Float32Array(sizeOf(model.parameters.get(one)?.shape ?? []));
          return [one, fillNormal(seededSource(one), numbers, { standardDeviation: 0.02 })];
        }),
      ),
    );
  };

  const viewOf = async (model: Model, index: number) => {
    const inputIds = rows(model);
    const names = selectParameters(model, 'lora');
    const classifier = await openClassifier({ model, trainable: names, data: { inputIds, labels: [1, 0, 1] } });
    try {
      const { gradients } = await classifier.sums(await readParameters(model, names), [index]);
      const copies = Object.fromEntries(Object.entries(gradients).map(([key, array]) => [key, array.slice()]));
      const lengths = [(inputIds[index] as number[]).length];
      return { model, parameters: {}, gradients: copies, noise: {}, batchSize: 1, lengths };
    } finally {
      await classifier.close();
    }
  };

  it('give texts away that have fewer tokens than rank', async () => {
    const model = trained(8);
    const short = rows(model).slice(0, 2);
    for (const [index, truth] of short.entries())
      expect((await spanAttack(await viewOf(model, index))).sentences).toEqual([truth]);
  });

  it('show nothing to span while their second maps are zero, and a part of longer texts', async () => {
    await expect(viewOf(withAdapter(plain), 0).then((view) => spanAttack(view))).rejects.toThrow(
      'as they are until the second maps were trained',
    );
    const model = trained(2);
    const shared = selectParameters(model, 'lora');
    const setting = { model, options: { unknownLengths: false }, batchSize: 1, longest: 12 };
    const open = await span.open({ ...setting, shared, loss: 'class', random: seededSource(1) });
    try {
      const { notes } = await open.run(await viewOf(model, 2));
      expect(notes?.[0]).toMatch(/^The adapters of the first block show \d of the 12 dimensions/);
    } finally {
      await open.close();
    }
  });

  it('are read where they are shared and the maps themselves are not', () => {
    const model = trained(4);
    const lora = selectParameters(model, 'lora');
    const read = spanParameters({ model, shared: lora });
    expect(read.every((one) => one.endsWith('.lora_A.weight'))).toBe(true);
    expect(read).toHaveLength(name === 'bert' ? 2 : 1);
    expect(spanParameters({ model, shared: [...model.parameters.keys()] })).toEqual(spanParameters({ model }));
    expect(evidenceIn(model, lora)).toMatchObject({ tables: false, span: true });
    const setting = { model, options: { unknownLengths: false }, batchSize: 1 };
    expect(() => span.check(setting, lora)).not.toThrow();
    expect(() => span.check({ ...setting, model: withAdapter(plain) }, lora)).toThrow('attack a trained adapter');
    expect(() => span.check(setting, ['classifier.weight'])).toThrow('the span attack reads');
  });
});
