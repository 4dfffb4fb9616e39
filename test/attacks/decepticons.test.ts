// Decepticons on a small ReLU transformer and on tiny BERT and GPT-2: the text without noise, what noise does to either attacker.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type DecepticonsAttacker,
  type DecepticonsView,
  decepticonsAttack,
  decepticonsParameters,
  type Malicious,
  maliciousParameters,
} from '../../src/attacks/index.js';
import { initializeReluTransformer, loadModel } from '../../src/models/index.js';
import { integerBelow, seededSource } from '../../src/random/index.js';
import type { Arrays } from '../../src/training/index.js';
import { makeRoot, type TinyName, writeTiny } from '../models/tiny-models.js';
import { scoreBatch, shareBatch, viewOf } from './decepticons-batch.js';

const random = seededSource('decepticons');
const model = initializeReluTransformer(random.stream('model'), {
  vocabulary: 300,
  hidden: 48,
  heads: 4,
  intermediateSize: 384,
});
const text = random.stream('text');
const rows = Array.from({ length: 4 }, () => Array.from({ length: 12 }, () => integerBelow(text, 300)));
const attackers: DecepticonsAttacker[] = ['published', 'noise-aware'];
const malicious = {} as Record<DecepticonsAttacker, Malicious>;
const examples = {} as Record<DecepticonsAttacker, Arrays[]>;
const views = {} as Record<DecepticonsAttacker, DecepticonsView>;

beforeAll(async () => {
  for (const attacker of attackers) {
    malicious[attacker] = await maliciousParameters(model, { attacker, random: random.stream('server') });
    const shared = await shareBatch(model, malicious[attacker], rows, { loss: 'next' }, [...model.parameters.keys()]);
    examples[attacker] = shared.examples;
    views[attacker] = shared.view;
  }
});

const joint = (noiseMultiplier: number) =>
  ({ mechanism: 'gaussian', scope: 'joint', clipping: 'clip', clipNorm: 1, noiseMultiplier }) as const;
const normOf = (one: Arrays, names: Iterable<string>) =>
  Math.hypot(...[...names].map((name) => Math.sqrt((one[name] as Float32Array).reduce((sum, x) => sum + x * x, 0))));

describe('decepticons on a ReLU transformer', () => {
  it.each(attackers)('as %s gets most of a batch back without noise', (attacker) => {
    // The last token of a sentence has no loss, so no gradient shows where it stands.
    expect(scoreBatch(views[attacker], malicious[attacker], rows)).toBeGreaterThan(0.8);
  });

  it('fails at once under noise as published, and later when it expects noise', () => {
    const score = (attacker: DecepticonsAttacker, noise: number) =>
      scoreBatch(viewOf(model, rows, examples[attacker], joint(noise)), malicious[attacker], rows);
    expect(score('published', 1e-8)).toBeLessThan(0.4);
    expect(score('noise-aware', 1e-6)).toBeGreaterThan(0.75);
    expect(score('noise-aware', 1)).toBeLessThan(0.2);
  });

  it('loses its rows to two causes: their size, and keeping the smallest', () => {
    // Every tensor scaled to one length: size no longer matters, only which rows are kept.
    const protection = { ...joint(1e-5), scope: 'tensor', clipping: 'normalise' } as const;
    const view = viewOf(model, rows, examples.published, protection);
    const keeping = (kept: 'smallest' | 'largest') => {
      const settings = { ...malicious.published.settings, rows: kept };
      return scoreBatch(view, { ...malicious.published, settings }, rows);
    };
    expect(keeping('largest')).toBeGreaterThan(keeping('smallest') + 0.3);
  });

  it('makes the gradients that it reads dominate the clipped norm, as the published one does not', () => {
    const share = (attacker: DecepticonsAttacker) => {
      const [one] = examples[attacker] as [Arrays];
      const read = decepticonsParameters(model, malicious[attacker]).filter((name) => name.includes('intermediate'));
      return normOf(one, read) / normOf(one, Object.keys(one));
    };
    expect(share('published')).toBeLessThan(1e-4);
    expect(share('noise-aware')).toBeGreaterThan(0.99);
  });

  it('gets nothing from gradients of other sentences', async () => {
    const others = rows.map((row) => row.map((token) => (token + 150) % 300));
    const { view } = await shareBatch(model, malicious['noise-aware'], others, { loss: 'next' });
    expect(scoreBatch(view, malicious['noise-aware'], rows)).toBeLessThan(0.2);
  });

  it('lists what it changed, by name and in words, and nothing else', async () => {
    const { parameters, changes } = malicious.published;
    expect(new Set(changes.flatMap(({ names }) => names))).toEqual(new Set(Object.keys(parameters)));
    expect(Object.keys(parameters)).not.toContain('decoder.weight');
    const words = changes.map(({ what }) => what).join('\n');
    expect(words).toContain('all tokens attend to position 0');
    expect(words).toContain('every row holds the same measurement');
    for (const [name, numbers] of Object.entries(parameters)) {
      expect(numbers.length, name).toBe((await model.parameters.get(name)?.read())?.length);
    }
  });

  it('takes sentences of different lengths', async () => {
    const uneven = rows.map((row, i) => row.slice(0, 12 - 3 * i));
    const { view } = await shareBatch(model, malicious['noise-aware'], uneven, { loss: 'next' });
    expect(scoreBatch(view, malicious['noise-aware'], uneven)).toBeGreaterThan(0.7);
  });

  it.each(attackers)('as %s uses public knowledge about the text', (attacker) => {
    const around = { before: [7], after: [8, 9] };
    const { sentences } = decepticonsAttack(views[attacker], malicious[attacker], { around, tokens: 200 });
    for (const sentence of sentences) {
      expect(sentence.length).toBe(12);
      expect([sentence[0], ...sentence.slice(-2)]).toEqual([7, 8, 9]);
      expect(Math.max(...sentence)).toBeLessThan(200);
    }
  });

  it('as noise-aware needs no more of a model than its layout', async () => {
    const strange = { ...model, rawConfig: { model_type: 'rnn' } };
    const sent = await maliciousParameters(strange, { random: random.stream('server') });
    expect(sent.parameters).toEqual(malicious['noise-aware'].parameters);
  });

  it('reports what is wrong in one sentence', async () => {
    const { 'noise-aware': sent } = malicious;
    const view = views['noise-aware'];
    const attack = (change: Partial<DecepticonsView>) => () => decepticonsAttack({ ...view, ...change }, sent);
    const { lengths, ...unknown } = view;
    const [name] = decepticonsParameters(model, sent) as [string];
    const { [name]: gradient, ...others } = view.gradients as Record<string, Float32Array>;
    const broken = (gradient as Float32Array).map((x, i) => (i === 7 ? Number.NaN : x));
    const zero = Object.fromEntries(Object.entries(view.gradients).map(([key, array]) => [key, array.map(() => 0)]));
    expect(() => decepticonsAttack(unknown, sent)).toThrow('needs the lengths of the sentences');
    expect(attack({ lengths: [12] })).toThrow('lengths: expected those of 4 sentences, got 1');
    expect(attack({ lengths: [12, 12, 12, 99] })).toThrow("expected from 1 to the model's 32 positions, got 99");
    expect(attack({ gradients: others })).toThrow(`reads the gradient of ${name}, which was not shared`);
    expect(attack({ gradients: { ...others, [name]: new Float32Array(3) } })).toThrow('expected 18432 numbers, got 3');
    expect(attack({ gradients: { ...others, [name]: broken } })).toThrow('expected finite numbers, got NaN at 7');
    expect(attack({ gradients: zero })).toThrow('there is nothing to attack');
    const strange = { ...model, rawConfig: { model_type: 'rnn' } };
    await expect(maliciousParameters(strange, { attacker: 'published', random })).rejects.toThrow(
      "attacker: 'published': expected a model of type bert, gpt2, relu-transformer, got rnn",
    );
    const send = (options: object) => maliciousParameters(model, { random, ...options });
    const narrow = { ...model, config: { ...model.config, heads: 16 } };
    await expect(maliciousParameters(narrow, { random })).rejects.toThrow('expected at least 4, for two keys, got 3');
    await expect(send({ keyLength: 7 })).rejects.toThrow('invalid keyLength: expected at most half a head, 6, got 7');
    await expect(send({ keyPosition: 32 })).rejects.toThrow("expected one of the model's 32 positions, got 32");
    await expect(send({ keyWidth: 3 })).rejects.toThrow('Decepticons has no setting keyWidth');
    await expect(send({ attacker: 'kind' })).rejects.toThrow('expected published or noise-aware, got kind');
    await expect(send({ text: [[300]] })).rejects.toThrow("expected below the vocabulary's 300, got 300");
    await expect(shareBatch(model, sent, [[1]], { loss: 'next' })).rejects.toThrow('expected at least 2, got 1');
    await expect(shareBatch(model, sent, rows, { loss: 'class', labels: [] })).rejects.toThrow('expected a label');
  });
});

const root = makeRoot();

describe.each(['bert', 'gpt2', 'roberta', 'distilbert'] as const)('decepticons on tiny %s', (name: TinyName) => {
  // Where two tokens fall into one interval, one is lost: 9 % of them over 40 such servers, whichever the model.
  const server = name === 'roberta' ? 'tiny 2' : 'tiny';
  it('recovers a sentence from the loss of its class, spread over all tokens', async () => {
    const tiny = await loadModel(await writeTiny(join(root, name), name), { numLabels: 2, newHead: true });
    const sentence = [[7, 31, 12, 25, 18]];
    const sent = await maliciousParameters(tiny, { equalise: true, random: seededSource(server) });
    const { view } = await shareBatch(tiny, sent, sentence, { loss: 'class', labels: [1] });
    expect(decepticonsAttack(view, sent).sentences).toEqual(sentence);
    const plain = await maliciousParameters(tiny, { equalise: false, random: seededSource(server) });
    const { view: unequal } = await shareBatch(tiny, plain, sentence, { loss: 'class', labels: [1] });
    expect(decepticonsAttack(unequal, plain).sentences).not.toEqual(sentence);
  });
});
