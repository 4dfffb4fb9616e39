// What a client shares in a reconstruction: which gradients, of which loss, with which noise. An attack that only records what it sees
// replaces a real one.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hideTokens } from '../../src/attacks/client-loss.js';
import {
  type ClientLoss,
  type ClientLossName,
  findAttack,
  type GradientAttack,
  type GradientView,
  openReconstruction,
  type ReconstructionOptions,
  sentenceGradients,
} from '../../src/attacks/index.js';
import { readOptions } from '../../src/checks/index.js';
import { loadModel, type Model, selectParameters } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import type { Arrays } from '../../src/training/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const span = findAttack('span') as GradientAttack;
const texts = ['a b c', 'd e f g', 'h i', 'j ☃ k l m n o p q r s t u'];
let [bert, masked]: [Model, Model] = [undefined as never, undefined as never];
const rows = () => texts.map((text) => bert.tokenizer.encode(text));
beforeAll(async () => {
  bert = await loadModel(await writeTiny(join(root, 'bert'), 'bert'), { numLabels: 2, newHead: true });
  const folder = await writeTiny(join(root, 'masked'), 'bert', { golden: 'tiny-bert-mlm' });
  masked = await loadModel(folder, { numLabels: 2, newHead: true });
});

const reads = ['encoder.layer.1.output.dense.bias', 'encoder.layer.0.attention.self.value.weight'];
/** Writes down every view and finds nothing. */
function watching(views: GradientView[], losses: readonly ClientLossName[], changes: Partial<GradientAttack> = {}) {
  const attack: GradientAttack = {
    ...span,
    losses: () => losses,
    check: () => {},
    open: async () => ({
      reads,
      run: async (view) => {
        views.push(view);
        return { sentences: [], confidence: [] };
      },
      close: async () => {},
    }),
    ...changes,
  };
  return attack;
}
/** What the attack saw of the batches. */
async function look(given: Partial<ReconstructionOptions> & { readonly losses?: readonly ClientLossName[] }) {
  const views: GradientView[] = [];
  const { losses = ['class'], ...options } = given;
  const open = await openReconstruction({
    attack: watching(views, losses),
    options: {},
    model: bert,
    examples: { inputIds: rows(), labels: [0, 1, 1, 0] },
    batchSize: 2,
    protection: { mechanism: 'none' },
    seed: 6,
    noise: (batch) => seededSource(`noise ${batch}`),
    ...options,
  });
  for (const batch of open.batches.keys()) await open.attackBatch(batch);
  await open.close();
  return { views, shared: open.shared, loss: open.loss };
}
const sumOf = (examples: readonly Arrays[], name: string) =>
  examples.map((one) => one[name] as Float32Array).reduce((sum, part) => sum.map((x, i) => x + (part[i] as number)));

describe('shared gradients', () => {
  it('are those that the attack reads, all, or a selection', async () => {
    const shared = async (selection?: string) => {
      const seen = await look(selection === undefined ? {} : { shared: selection });
      return { names: Object.keys(seen.views[0]?.gradients ?? {}), ...seen.shared };
    };
    expect(await shared()).toEqual({ names: reads, tensors: 2, numbers: 32 + 32 * 32, read: reads });
    expect(await shared('read')).toMatchObject({ names: reads });
    const all = await shared('all');
    expect(all.names).toEqual([...bert.parametersOf('classification')]);
    const sizes = all.names.map((name) => (bert.parameters.get(name)?.shape ?? []).reduce((a, b) => a * b, 1));
    expect([all.tensors, all.numbers]).toEqual([sizes.length, sizes.reduce((a, b) => a + b, 0)]);
    expect((await shared('head')).names).toEqual(['classifier.weight', 'classifier.bias']);
    await expect(shared('magic')).rejects.toThrow('no parameter is called "magic"');
  });

  it('carry the noise of their batch and its size', async () => {
    const noisy = { protection: { mechanism: 'cosine', cosine: 0.3 } } as const;
    const asked: number[] = [];
    const noise = (batch: number) => {
      asked.push(batch);
      return seededSource('the same');
    };
    const [{ views: clean }, { views }] = [await look({}), await look({ ...noisy, noise })];
    expect(asked).toEqual([0, 1]);
    const [name = ''] = reads;
    expect(views[0]?.noise[name]).toBeGreaterThan(0);
    expect(clean[0]?.noise[name]).toBe(0);
    const again = (await look({ ...noisy, noise: () => seededSource('the same') })).views;
    expect(again[1]?.gradients).toEqual(views[1]?.gradients);
    const others = (await look({ ...noisy, noise: () => seededSource('another') })).views;
    expect(others[1]?.gradients[name]).not.toEqual(views[1]?.gradients[name]);
  });

  it('come with lengths unless the attack must find them', async () => {
    const lengths = rows().map(({ length }) => length);
    expect((await look({})).views.map((view) => view.lengths)).toEqual([lengths.slice(0, 2), lengths.slice(2)]);
    const views: GradientView[] = [];
    await look({ attack: watching(views, ['class'], { hidesLengths: () => true }) });
    for (const view of views) expect(view).not.toHaveProperty('lengths');
  });
});

describe('the loss', () => {
  const expectGradients = async (model: Model, seen: GradientView | undefined, loss: ClientLoss, batch = [0, 1]) => {
    const inputIds = batch.map((index) => rows()[index] as number[]);
    const examples = await sentenceGradients(model, {}, { inputIds, shared: reads, ...loss });
    for (const name of reads) {
      const [truth, found] = [sumOf(examples, name), seen?.gradients[name] as Float32Array];
      const scale = Math.hypot(...truth);
      expect(scale).toBeGreaterThan(0);
      expect(Math.hypot(...truth.map((x, i) => x - (found[i] as number))) / scale, name).toBeLessThan(1e-5);
    }
  };

  it('is that of the class, with each sentence’s own label', async () => {
    const { views, loss } = await look({ losses: ['class', 'all'] });
    expect(loss).toBe('class');
    await expectGradients(bert, views[0], { loss: 'class', labels: [0, 1] });
  });

  it('is that of every token if chosen, and refused if the attack cannot read it', async () => {
    const { views, loss } = await look({ model: masked, losses: ['class', 'all'], loss: 'all' });
    expect(loss).toBe('all');
    await expectGradients(masked, views[0], { loss: 'all' });
    await expect(look({ losses: ['class', 'all'], loss: 'next' })).rejects.toThrow(
      'loss next: expected class or all for span on',
    );
  });

  it('is that of hidden tokens, the same for the same seed whatever the noise', async () => {
    const { views } = await look({ model: masked, losses: ['masked'] });
    const { places, maskToken } = hideTokens(masked.tokenizer, rows().slice(0, 2), seededSource(6).stream('hidden 0'));
    await expectGradients(masked, views[0], { loss: 'masked', places, maskToken });
    const next = hideTokens(masked.tokenizer, rows().slice(2), seededSource(6).stream('hidden 1'));
    await expectGradients(masked, views[1], { loss: 'masked', ...next }, [2, 3]);
    const other = await look({ model: masked, losses: ['masked'], seed: 7 });
    expect(other.views[1]?.gradients).not.toEqual(views[1]?.gradients);
  });

  it('decides which parameters there are to share', async () => {
    const all = async (loss: ClientLossName) =>
      Object.keys((await look({ model: masked, losses: [loss], shared: 'all' })).views[0]?.gradients ?? {});
    expect(await all('all')).toEqual(selectParameters(masked, 'all', 'lm'));
    expect(await all('class')).toEqual(selectParameters(masked, 'all', 'classification'));
    expect(await all('all')).not.toContain('classifier.weight');
  });
});

describe('random words', () => {
  it('keep special tokens and lengths, are never special themselves, and are the same again', async () => {
    const open = await openReconstruction({
      attack: span,
      options: readOptions(span.options, {}),
      model: bert,
      examples: { inputIds: rows(), labels: [0, 1, 1, 0] },
      protection: { mechanism: 'none' },
      seed: 6,
      noise: () => seededSource(1),
    });
    // Without noise the span attack finds every word, so its guess is the text that the other client had.
    const guess = async (batch: number) => (await open.attackRandomWords(batch)).guesses[0] as number[];
    const { special, size } = bert.tokenizer;
    const fixed = new Set<number>(Object.values(special));
    for (const [batch, truth] of rows().entries()) {
      const words = await guess(batch);
      expect(words.map((id) => (fixed.has(id) ? id : -1))).toEqual(truth.map((id) => (fixed.has(id) ? id : -1)));
      expect(words).not.toEqual(truth);
      expect(Math.max(...words)).toBeLessThan(size);
      expect(await guess(batch)).toEqual(words);
    }
    await open.close();
  });
});
