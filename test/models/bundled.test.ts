// The bundled models: small, complete, with one shared tokenizer, and better than chance at language.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile, crossEntropy, input, type Value } from '../../src/engine/index.js';
import { bundledModel, loadModel, type Model } from '../../src/models/index.js';
import { makeRoot } from './tiny-models.js';

makeRoot();

// The first lines of two novels in the public domain.
const sentences = [
  'It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife.',
  'It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness.',
];

async function losses(model: Model, ids: readonly number[], target: (logits: Value) => Value, count: number) {
  const [tokens, places] = [ids.length, input('places', [count], 'i64')];
  const program = await compile({ loss: target(model.build({ batch: 1, tokens }).lmLogits(places)) });
  return { program, mask: new Float32Array(tokens).fill(1) };
}

describe('bundled models', () => {
  it.each(['bert-mini', 'gpt2-mini'])('%s is at most 12 MB and loads', async (name) => {
    const folder = bundledModel(`bundled:${name}`);
    expect(statSync(join(folder, 'model.safetensors')).size).toBeLessThan(12e6);
    const model = await loadModel(`bundled:${name}`);
    expect(model.config).toMatchObject({ layers: 4, hidden: 256, vocabulary: 8000 });
    expect(model.newlyInitialized.every((parameter) => /^(classifier|score)\./.test(parameter))).toBe(true);
    expect(model.tokenizer.size).toBe(8000);
  });

  it('share one tokenizer', async () => {
    const [bert, gpt2] = await Promise.all(['bert-mini', 'gpt2-mini'].map((name) => loadModel(`bundled:${name}`)));
    expect(bert?.tokenizer.digest).toBe(gpt2?.tokenizer.digest);
  });

  it('gpt2-mini gives sentences a higher probability than the same words in another order', async () => {
    const model = await loadModel('bundled:gpt2-mini');
    for (const sentence of sentences) {
      const ids = model.tokenizer.encode(sentence);
      const middle = ids.slice(1, -1);
      const mixed = [
        ids[0] as number,
        ...middle.filter((_, i) => i % 3 === 1),
        ...middle.filter((_, i) => i % 3 !== 1),
        ids.at(-1) as number,
      ];
      const count = ids.length - 1;
      const targets = input('targets', [count], 'i64');
      const { program, mask } = await losses(model, ids, (logits) => crossEntropy(logits, targets), count);
      const mean = async (row: readonly number[]) => {
        const result = await program.run({
          ids: BigInt64Array.from(row, BigInt),
          places: BigInt64Array.from({ length: count }, (_, i) => BigInt(i)),
          targets: BigInt64Array.from(row.slice(1), BigInt),
          ...('mask' in program.inputs && { mask }),
        });
        return (result.loss as Float32Array).reduce((sum, loss) => sum + loss / count, 0);
      };
      const [right, wrong] = [await mean(ids), await mean(mixed)];
      await program.close();
      expect(right).toBeLessThan(6); // guessing by frequency gives about 6.5
      expect(wrong - right).toBeGreaterThan(0.5);
    }
  });

  it('bert-mini gives masked words a higher probability than chance', async () => {
    const model = await loadModel('bundled:bert-mini');
    let [sum, count] = [0, 0];
    for (const sentence of sentences) {
      const ids = model.tokenizer.encode(sentence);
      const target = input('target', [1], 'i64');
      const { program, mask } = await losses(model, ids, (logits) => crossEntropy(logits, target), 1);
      for (let place = 1; place < ids.length - 1; place++) {
        const hidden = ids.map((id, i) => BigInt(i === place ? (model.tokenizer.special.mask as number) : id));
        const result = await program.run({
          ids: BigInt64Array.from(hidden),
          places: BigInt64Array.of(BigInt(place)),
          target: BigInt64Array.of(BigInt(ids[place] as number)),
          mask,
        });
        sum += Number(result.loss[0]);
        count += 1;
      }
      await program.close();
    }
    expect(sum / count).toBeLessThan(6);
  });
});
