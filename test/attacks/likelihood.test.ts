// The likelihood attack on tiny models: all of the text without noise and far into noise that hides the span; which evidence it uses.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AttackedModel,
  type Client,
  type ClientLossName,
  type GradientView,
  openAttackedModel,
  openClient,
  spanAttack,
} from '../../src/attacks/index.js';
import { likelihood } from '../../src/attacks/likelihood/attack.js';
import { tableNames, tableProducts } from '../../src/attacks/likelihood/table-products.js';
import type { Recovery } from '../../src/attacks/view.js';
import { readOptions } from '../../src/checks/index.js';
import { selectParameters } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { product } from './planted-tables.js';

const root = makeRoot();
const defaults = readOptions(likelihood.options, {});
/** What the attack says of every answer. */
const figureNames = ['tableNats', 'blockNats', 'headNats', 'wholeNats', 'priorNats', 'lead', 'misfit', 'tries'];
const texts = ['a b c d', 'the cat', 'z y x w v', 'hello', 'q q q q', 'i'];

describe.each(['bert', 'gpt2'] as const)('the likelihood attack on tiny %s', (name) => {
  let [model, rows, shared, client] = [] as unknown as [AttackedModel, number[][], string[], Client];
  beforeAll(async () => {
    model = await openAttackedModel(await writeTiny(join(root, name), name), { numLabels: 2, seed: 1 });
    rows = texts.map((text) => model.tokenizer.encode(text, { maxTokens: 10 }));
    shared = selectParameters(model as never, 'all', 'classification');
    client = await openClient({ model, data: { inputIds: rows, labels: rows.map((_, i) => i % 2) }, shared });
    return () => client.close();
  });
  const viewOf = async (index: number, noiseMultiplier: number): Promise<GradientView> => {
    const protection =
      noiseMultiplier === 0
        ? ({ mechanism: 'none' } as const)
        : ({ mechanism: 'gaussian', scope: 'joint', clipping: 'clip', clipNorm: 1, noiseMultiplier } as const);
    return (await client.share([index], protection, seededSource(`noise ${index}`))).view;
  };
  const open = (names: readonly string[] | undefined, changes = {}, loss: ClientLossName = 'class') =>
    likelihood.open({
      model,
      options: { ...defaults, ...changes },
      batchSize: 1,
      longest: 10,
      loss,
      ...(names && { shared: names }),
      random: seededSource(1),
    });
  const only = (view: GradientView, names: readonly string[]): GradientView => ({
    ...view,
    gradients: Object.fromEntries(names.map((one) => [one, view.gradients[one] as Float32Array])),
  });
  /** The share of tokens in place, without those around every text. */
  const share = (guess: readonly number[] = [], truth: readonly number[] = []) =>
    truth.filter((token, k) => k > 0 && k < truth.length - 1 && token === guess[k]).length / (truth.length - 2);

  it('recovers every token without noise, and is sure of it', async () => {
    const attack = await open(shared);
    for (const [index, truth] of rows.entries()) {
      const { sentences, confidence, figures } = await attack.run(await viewOf(index, 0));
      expect(sentences).toEqual([truth]);
      for (const sure of confidence[0] as readonly number[]) expect(sure).toBeGreaterThan(0.9);
      expect(Object.keys(figures ?? {})).toEqual(figureNames);
      const { tableNats, blockNats, headNats, wholeNats } = figures as Record<string, number>;
      const sum = (tableNats as number) + (blockNats as number) + (headNats as number);
      expect(Math.abs(sum / (wholeNats as number) - 1)).toBeLessThan(1e-6);
    }
    await attack.close();
  });

  it('recovers under noise that hides the span from the span attack', async () => {
    const attack = await open(shared);
    let [own, spans] = [0, 0];
    for (const [index, truth] of rows.entries()) {
      const view = await viewOf(index, noisy[name]);
      const { sentences, confidence } = await attack.run(view);
      own += share(sentences[0], truth) / rows.length;
      spans += share((await spanAttack(view)).sentences[0], truth) / rows.length;
      for (const sure of confidence[0] as readonly number[]) expect(sure > 0 && sure <= 1).toBe(true);
    }
    await attack.close();
    expect(own).toBeGreaterThan(0.85);
    expect(spans).toBeLessThan(0.5);
  });

  it('finds the length if it must', async () => {
    const attack = await open(shared, { unknownLengths: true });
    const blocks = shared.filter((one) => !tableNames(model).includes(one));
    const withoutTables = await open(blocks, { unknownLengths: true });
    for (const index of [1, 4, 5]) {
      const { lengths: _, ...view } = await viewOf(index, 0);
      const truth = rows[index] as number[];
      expect((await attack.run(view)).sentences).toEqual([truth]);
      expect((await withoutTables.run(only(view, blocks))).sentences).toEqual([truth]);
    }
    await attack.close();
    await withoutTables.close();
  });

  it('uses the evidence that is shared, and says which', async () => {
    const view = await viewOf(0, 0);
    const tables = tableNames(model);
    const { tokenTypes } = model.layout.embeddings;
    const blocks = shared.filter((one) => !tables.includes(one) && one !== tokenTypes?.weight);
    for (const [names, data, silent] of [
      [blocks, { tables: false, span: true }, ['tableNats']],
      [tables, { tables: true, span: false }, ['blockNats', 'headNats']],
    ] as const) {
      const attack = await open(names);
      expect(attack.about?.data).toMatchObject({ ...data, tensors: names.length, languageModel: false });
      const said = attack.about?.lines.join(' ') ?? '';
      expect(said.includes('do not name tokens: they are not both shared')).toBe(!data.tables);
      expect(said).toContain(`all ${names.length} shared tensors`);
      expect(attack.reads).toEqual(names);
      const found = await attack.run(only(view, names));
      expect(found.sentences).toEqual([rows[0]]);
      expect(Object.keys(found.figures ?? {})).toEqual(figureNames);
      for (const part of ['tableNats', 'blockNats', 'headNats'] as const)
        expect(found.figures?.[part] === 0, part).toBe(silent.includes(part as never));
      await attack.close();
    }
    const reading = await open(undefined);
    expect(new Set(reading.reads).size).toBe(tables.length + (name === 'bert' ? 3 : 1));
    await reading.close();
  });

  it('refuses what it cannot attack in one sentence', async () => {
    const check = (batchSize: number, names?: readonly string[]) => () =>
      likelihood.check({ model, options: defaults, batchSize }, names);
    expect(check(1, shared)).not.toThrow();
    expect(check(1)).not.toThrow();
    expect(check(2)).not.toThrow();
    expect(() =>
      likelihood.check({ model, options: { ...defaults, unknownLengths: true }, batchSize: 2 }, shared),
    ).toThrow('needs the lengths of the sentences in a batch of 2');
    const without = (options: typeof defaults) => () =>
      likelihood.check({ model, options, batchSize: 1 }, tableNames(model).slice(1));
    expect(without(defaults)).not.toThrow();
    expect(without({ ...defaults, refinement: 'none' })).toThrow(
      'without refinement needs gradients that are not shared: add',
    );
    expect(without({ ...defaults, unknownLengths: true })).toThrow('finding the length of a sentence needs gradients');
    const view = await viewOf(0, 0);
    const attack = await open(shared);
    await expect(attack.run({ ...view, batchSize: 2 })).rejects.toThrow('got a batch of 2');
    const [words] = tableNames(model) as [string];
    const change = (numbers: Float32Array) =>
      attack.run({ ...view, gradients: { ...view.gradients, [words]: numbers } });
    const own = view.gradients[words] as Float32Array;
    await expect(change(own.slice(1))).rejects.toThrow(`gradient of ${words}: expected ${own.length} numbers`);
    await expect(change(own.map((x, i) => (i === 3 ? Number.NaN : x)))).rejects.toThrow('got NaN at 3');
    await expect(change(own.map(() => 0))).rejects.toThrow('there is nothing to attack');
    await attack.close();
  });

  it('reads the products of both tables as they are', async () => {
    const view = await viewOf(1, 0.01);
    const { crossed, squares, gram, deviations } = await tableProducts(view, 3);
    const { hidden } = model.config;
    const [words, places] = tableNames(model).map((one) => view.gradients[one] as Float32Array) as [
      Float32Array,
      Float32Array,
    ];
    const row = (table: Float32Array, k: number) => table.subarray(k * hidden, (k + 1) * hidden);
    expect(squares).toHaveLength(model.tokenizer.size);
    for (let p = 0; p < 3; p++) {
      for (const token of [0, 7, 40])
        expect(crossed[p]?.[token]).toBeCloseTo(product(row(places, p), row(words, token)), 12);
      for (let q = 0; q < 3; q++) expect(gram[p * 3 + q]).toBeCloseTo(product(row(places, p), row(places, q)), 12);
    }
    expect(squares[7]).toBeCloseTo(product(row(words, 7), row(words, 7)), 12);
    expect(deviations.words).toBeCloseTo(0.01, 6);
    const exact = await tableProducts({ ...view, noise: {} }, 3);
    expect(exact.deviations.places).toBeCloseTo(
      1e-7 * Math.sqrt([0, 4, 8].reduce((s, k) => s + (gram[k] as number), 0)),
      12,
    );
  });

  it('ends at no less likely a sentence for more refinement, and at a likelier one for some texts', async () => {
    const [none, quick, full] = await Promise.all(
      (['none', 'quick', 'full'] as const).map((refinement) => open(shared, { refinement })),
    );
    const height = ({ figures = {} }: Recovery) => (figures.wholeNats as number) + (figures.priorNats as number);
    let raised = 0;
    for (const index of [0, 4]) {
      const view = await viewOf(index, 8 * noisy[name]);
      const [plain, some, more] = await Promise.all([none, quick, full].map((attack) => attack?.run(view)));
      expect(some?.figures?.tries).toBeLessThanOrEqual(256);
      expect(more?.figures?.tries).toBeLessThanOrEqual(1024);
      for (const refined of [some, more] as Recovery[]) {
        expect(height(refined)).toBeGreaterThanOrEqual(height(plain as Recovery));
        if (height(refined) > height(plain as Recovery)) raised++;
      }
    }
    expect(raised).toBeGreaterThan(0);
    for (const attack of [none, quick, full]) await attack?.close();
  });
});

/** Noise at which the span attack finds less than half of the tokens. */
const noisy = { bert: 0.003, gpt2: 0.013 };

describe.each([
  ['gpt2', 'next'],
  ['bert', 'all'],
] as const)('a language-model loss of tiny %s, %s', (name, loss) => {
  it('fills every row of the word table, so that the tables say nothing and the span decides', async () => {
    const golden = name === 'bert' ? 'tiny-bert-mlm' : 'tiny-gpt2';
    const model = await openAttackedModel(await writeTiny(join(root, loss), name, { golden }), { seed: 1 });
    expect(likelihood.losses({ model, options: defaults })).toEqual(['class', loss]);
    const shared = selectParameters(model as never, 'all', 'lm');
    const inputIds = [model.tokenizer.encode('the cat')];
    const client = await openClient({ model, data: { inputIds, labels: [0] }, shared, loss: { loss } });
    const { view } = await client.share([0], { mechanism: 'none' }, seededSource(1));
    const setting = { model, options: defaults, batchSize: 1, longest: 10, loss, random: seededSource(1) } as const;
    const attack = await likelihood.open({ ...setting, shared });
    expect(attack.about?.data).toMatchObject({ tables: false, span: true });
    expect(attack.about?.lines.join(' ')).toContain('do not name tokens: a language-model loss fills every row');
    expect((await attack.run(view)).sentences).toEqual(inputIds);
    // Under noise, undecided sentences are their own targets.
    const noise = {
      mechanism: 'gaussian',
      scope: 'joint',
      clipping: 'clip',
      clipNorm: 1,
      noiseMultiplier: 0.02,
    } as const;
    const { sentences, figures } = await attack.run((await client.share([0], noise, seededSource(2))).view);
    expect(sentences[0]).toHaveLength(inputIds[0]?.length as number);
    expect(figures?.tries).toBeGreaterThan(1);
    await attack.close();
    await client.close();
  });
});
