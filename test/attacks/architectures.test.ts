// Every attack on gradients, on the architectures that the contract does not run on: they read rows and names from the layout.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AttackedModel,
  attacks,
  evaluateReconstruction,
  type GradientAttack,
  openAttackedModel,
} from '../../src/attacks/index.js';
import { readOptions } from '../../src/checks/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const texts = ['a b c d', 'the cat sat', 'z y x w v', 'hello you'];
/** The least work that an attack can do. */
const quick: Readonly<Record<string, Record<string, unknown>>> = { likelihood: { refinement: 'none' } };

describe.each(['roberta', 'distilbert'] as const)('on tiny %s', (name) => {
  let [path, model] = ['', undefined as unknown as AttackedModel];
  beforeAll(async () => {
    path = await writeTiny(join(root, name), name);
    model = await openAttackedModel(path, { numLabels: 3, seed: 1 });
  });
  const gradientAttacks = attacks.filter((one): one is GradientAttack => one.sees === 'gradient');
  const evaluate = (attack: GradientAttack) => {
    const inputIds = texts.map((text) => model.tokenizer.encode(text, { maxTokens: 10 }));
    const job = {
      attack: attack.name,
      options: readOptions(attack.options, quick[attack.name] ?? {}) as Record<string, unknown>,
      model: path,
      numLabels: 3,
      examples: { inputIds, labels: [0, 2, 1, 0] },
      batchSize: 1,
      protection: { mechanism: 'none' as const },
      seed: 1,
    };
    return evaluateReconstruction(job, { model, withoutSimilarity: true });
  };

  it.each(gradientAttacks.map((one) => one.name))('%s recovers the text without noise', async (wanted) => {
    const attack = gradientAttacks.find((one) => one.name === wanted) as GradientAttack;
    const { summary, floor, batches } = await evaluate(attack);
    const mean = summary[attack.measure.key as 'lcsRatio']?.mean as number;
    // Decepticons loses tokens that fall into one of the few intervals of so small a model.
    expect(mean).toBeGreaterThan(attack.server === 'malicious' ? 0.5 : 0.7);
    expect(floor?.mean).toBeLessThan(mean - 0.3);
    for (const { cosine } of batches) expect(cosine.all).toBeCloseTo(1, 5);
  });
});
