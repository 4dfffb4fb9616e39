// Decepticons at the published sizes: 8 texts of 32 tokens from the bundled mail, under the loss of the next token (GPT-2 and the ReLU
// transformer) or of every token (BERT), without noise and with.

import { beforeAll, describe, expect, it } from 'vitest';
import { type Malicious, maliciousParameters } from '../../src/attacks/index.js';
import { loadMail } from '../../src/data/index.js';
import type { Scope } from '../../src/mechanisms/index.js';
import { initializeReluTransformer, loadModel, type ModelCore } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { scoreBatch, shareBatch, viewOf } from './decepticons-batch.js';

const [sentences, tokens] = [8, 32];
let [batch, outside]: [number[][], number[][]] = [[], []];

beforeAll(async () => {
  const { tokenizer } = await loadModel('bundled:gpt2-mini');
  const { splits: parts } = await loadMail();
  const windows = (part: 'train' | 'test', count: number) => {
    const text = (parts[part] ?? []).slice(0, 300).flatMap((one) => tokenizer.encode(one.text, { special: false }));
    return Array.from({ length: count }, (_, i) => text.slice(i * tokens, (i + 1) * tokens));
  };
  batch = windows('test', sentences);
  outside = windows('train', 64);
});

const open: Readonly<Record<string, () => Promise<ModelCore>>> = {
  'ReLU transformer': async () => initializeReluTransformer(seededSource('model')),
  'gpt2-mini': () => loadModel('bundled:gpt2-mini'),
  'bert-mini': () => loadModel('bundled:bert-mini', { numLabels: 2, newHead: true }),
};

describe.each(Object.keys(open))('decepticons on %s', (name) => {
  it.each(['published', 'noise-aware'] as const)('as %s', async (attacker) => {
    const model = (await open[name]?.()) as ModelCore;
    const malicious = await maliciousParameters(model, { attacker, text: outside, random: seededSource('server') });
    const loss = { loss: name === 'bert-mini' ? 'all' : 'next' } as const;
    const { view, examples } = await shareBatch(model, malicious, batch, loss);
    const score = (scope: Scope, noiseMultiplier: number) => {
      const protection = { mechanism: 'gaussian', scope, clipping: 'clip', clipNorm: 1, noiseMultiplier } as const;
      return scoreBatch(viewOf(model, batch, examples, protection), malicious, batch);
    };
    expect(scoreBatch(view, malicious, batch)).toBeGreaterThan(0.8);
    for (const scope of ['joint', 'tensor'] as const) {
      if (attacker === 'published') expect(score(scope, 1e-9), scope).toBeLessThan(0.3);
      else expect(score(scope, 1e-5), scope).toBeGreaterThan(0.75);
      expect(score(scope, 0.1), scope).toBeLessThan(0.3);
    }
  });
});

describe('decepticons on bert-mini with few losses', () => {
  let [model, malicious]: [ModelCore, Malicious] = [undefined as never, undefined as never];
  beforeAll(async () => {
    model = (await open['bert-mini']?.()) as ModelCore;
    malicious = await maliciousParameters(model, { equalise: true, text: outside, random: seededSource('server') });
  });

  it('reads all tokens from the loss of the class', async () => {
    const { view } = await shareBatch(model, malicious, batch, { loss: 'class', labels: batch.map((_, i) => i % 2) });
    expect(scoreBatch(view, malicious, batch)).toBeGreaterThan(0.8);
  });

  it('reads all tokens that are not hidden from the loss of hidden tokens', async () => {
    const { tokenizer } = await loadModel('bundled:bert-mini');
    const maskToken = tokenizer.special.mask as number;
    const places = batch.map((_, i) => [3 + i, 17, 25]);
    const { view } = await shareBatch(model, malicious, batch, { loss: 'masked', places, maskToken });
    const visible = batch.map((row, i) => row.map((id, place) => (places[i]?.includes(place) ? maskToken : id)));
    expect(scoreBatch(view, malicious, visible)).toBeGreaterThan(0.8);
  });
});
