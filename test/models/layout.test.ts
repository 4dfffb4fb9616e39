// Layouts against the built models: names, shapes, order, and which tokens attend to which.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type BlockLayout,
  initializeReluTransformer,
  type LayerTrace,
  type LinearLayout,
  loadModel,
  type ModelCore,
} from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { ids, runWith } from './describe-golden.js';
import { makeRoot, writeTiny } from './tiny-models.js';

const root = makeRoot();
const forTokens = (name: string) => ({ architectures: [`${name}ForTokenClassification`] });
const open: Readonly<Record<string, () => Promise<ModelCore>>> = {
  BERT: async () => loadModel(await writeTiny(join(root, 'bert'), 'bert', { golden: 'tiny-bert-mlm' })),
  RoBERTa: async () => loadModel(await writeTiny(join(root, 'roberta'), 'roberta')),
  'RoBERTa for tokens': async () =>
    loadModel(await writeTiny(join(root, 'roberta tokens'), 'roberta', { config: forTokens('Roberta') })),
  DistilBERT: async () => loadModel(await writeTiny(join(root, 'distilbert'), 'distilbert')),
  'DistilBERT for tokens': async () =>
    loadModel(await writeTiny(join(root, 'distilbert tokens'), 'distilbert', { config: forTokens('DistilBert') })),
  'GPT-2 for tokens': async () =>
    loadModel(await writeTiny(join(root, 'gpt2 tokens'), 'gpt2', { config: forTokens('GPT2') })),
  'GPT-2': async () => loadModel(await writeTiny(join(root, 'gpt2'), 'gpt2')),
  'the ReLU transformer': async () =>
    initializeReluTransformer(seededSource('layout'), { vocabulary: 60, hidden: 24, heads: 4, intermediateSize: 40 }),
};

/** Each linear map with the numbers of its inputs and outputs, those of a fused matrix together. */
function mapsOf(
  block: BlockLayout,
  { hidden, intermediateSize }: ModelCore['config'],
): [LinearLayout, number, number][] {
  const { query, key, value, attentionOutput, intermediate, feedForwardOutput } = block;
  const projections = [query, key, value].map((map): [LinearLayout, number, number] => {
    return [map, hidden, map.third === undefined ? hidden : 3 * hidden];
  });
  return [
    ...projections,
    [attentionOutput, hidden, hidden],
    [intermediate, hidden, intermediateSize],
    [feedForwardOutput, intermediateSize, hidden],
  ];
}

const normsOf = ({ norms }: BlockLayout) =>
  [norms.beforeAttention, norms.beforeFeedForward, norms.afterFeedForward].filter((norm) => norm !== undefined);

describe.each(Object.keys(open))('the layout of %s', (name) => {
  let model: ModelCore = undefined as never;
  beforeAll(async () => {
    model = (await open[name]?.()) as ModelCore;
  });
  const shapeOf = (parameter: string) => model.parameters.get(parameter)?.shape;

  it('names the embeddings, with the right shapes', () => {
    const { vocabulary, positions, hidden } = model.config;
    const { embeddings, decoderBias, classifierBias } = model.layout;
    expect(shapeOf(embeddings.words.weight)).toEqual([vocabulary, hidden]);
    expect(shapeOf(embeddings.positions.weight)).toEqual([embeddings.positions.first + positions, hidden]);
    if (embeddings.tokenTypes)
      expect(shapeOf(embeddings.tokenTypes.weight)).toEqual([name.startsWith('RoBERTa') ? 1 : 2, hidden]);
    for (const part of embeddings.norm ? [embeddings.norm.weight, embeddings.norm.bias] : [])
      expect(shapeOf(part)).toEqual([hidden]);
    if (decoderBias !== undefined) expect(shapeOf(decoderBias)).toEqual([vocabulary]);
    if (classifierBias !== undefined) expect(shapeOf(classifierBias)).toEqual([model.config.numLabels]);
    const biases = [...model.parameters].filter(([, { shape }]) => shape.join() === `${vocabulary}`);
    expect(biases.map(([key]) => key)).toEqual(decoderBias === undefined ? [] : [decoderBias]);
  });

  it('names the maps and norms of every block, with the right shapes', () => {
    const { config, layout } = model;
    expect(layout.blocks.length).toBe(config.layers);
    for (const block of layout.blocks) {
      for (const [{ weight, bias, transposed }, inputs, outputs] of mapsOf(block, config)) {
        expect(shapeOf(weight), weight).toEqual(transposed ? [outputs, inputs] : [inputs, outputs]);
        expect(shapeOf(bias), bias).toEqual([outputs]);
      }
      for (const norm of normsOf(block))
        for (const part of [norm.weight, norm.bias]) expect(shapeOf(part), part).toEqual([config.hidden]);
    }
  });

  it('names every parameter of a block exactly once, a fused one by its thirds', () => {
    for (const [layer, block] of model.layout.blocks.entries()) {
      const own = [...model.parameters.keys()].filter((key) => key.split('.').includes(`${layer}`));
      const thirds = mapsOf(block, model.config).flatMap(([{ weight, third }]) =>
        third === undefined ? [] : [`${weight} ${third}`],
      );
      const fused = [...new Set(thirds.map((one) => one.split(' ')[0] as string))];
      expect(thirds).toEqual(fused.flatMap((weight) => [0, 1, 2].map((third) => `${weight} ${third}`)));
      const named = [...mapsOf(block, model.config).map(([map]) => map), ...normsOf(block)].flatMap((part) =>
        'third' in part && part.third !== 0 ? [] : [part.weight, part.bias],
      );
      expect(named.toSorted()).toEqual(own.toSorted());
    }
  });

  it('has every parameter in one group, a block in one of its own', () => {
    const { parameterGroups } = model.layout;
    expect(parameterGroups.flat().toSorted()).toEqual([...model.parameters.keys()].toSorted());
    const layersOf = (group: readonly string[]) =>
      new Set(group.map((key) => key.split('.').find((part) => /^\d+$/.test(part))));
    const layers = parameterGroups.map(layersOf);
    expect(layers.every(({ size }) => size === 1)).toBe(true);
    const numbered = layers.flatMap((layer) => [...layer]).filter((layer) => layer !== undefined);
    expect(numbered).toEqual(Array.from({ length: model.config.layers }, (_, layer) => `${layer}`));
  });

  it('knows whether tokens attend to later ones', async () => {
    const { vocabulary } = model.config;
    const logits = model.build({ batch: 1, tokens: 4 }).lmLogits();
    const firstOf = async (last: number) => {
      const feeds = { ids: ids([[5, 6, 7, last]]), mask: new Float32Array(4).fill(1) };
      return [...((await runWith({ logits }, feeds)).logits as Float32Array).subarray(0, vocabulary)];
    };
    const same = JSON.stringify(await firstOf(8)) === JSON.stringify(await firstOf(9));
    expect(same).toBe(model.layout.attention === 'causal');
  });

  it('lists the losses that its heads can compute', () => {
    const { losses } = model.layout;
    const built = model.build({ batch: 1, tokens: 2 });
    expect(losses.length).toBeGreaterThan(0);
    expect(built.lmLogits().shape).toEqual([1, 2, model.config.vocabulary]);
    expect(losses.includes('next')).toBe(model.layout.attention === 'causal');
    expect(losses.includes('masked')).toBe(model.layout.attention === 'bidirectional');
    if (losses.includes('class')) expect(built.classify().shape).toEqual([1, model.config.numLabels]);
    else expect(() => built.classify()).toThrow(/has no classifier|expected a classifier of texts/);
  });
});

describe.each(['bert', 'gpt2', 'roberta', 'distilbert'] as const)('the graph of tiny %s', (name) => {
  it('reads and writes as its layout says', async () => {
    const model = await loadModel(await writeTiny(join(root, `${name} graph`), name));
    const built = model.build({ batch: 1, tokens: 2 });
    built.classify();
    const traceOf = (weight: string) => built.traces.find((trace) => trace.weight.name === weight) as LayerTrace;
    const inputOf = (weight: string) => {
      const trace = traceOf(weight);
      return 'input' in trace ? trace.input : undefined;
    };
    const { embeddings, blocks, normPlacement } = model.layout;
    for (const [layer, block] of blocks.entries()) {
      const before = layer === 0 ? embeddings.norm : blocks[layer - 1]?.norms.afterFeedForward;
      const norm = normPlacement === 'pre' ? block.norms.beforeAttention : before;
      for (const [map] of mapsOf(block, model.config))
        expect(traceOf(map.weight)).toMatchObject({ kind: 'linear', transposed: map.transposed });
      for (const { weight } of [block.query, block.key, block.value])
        expect(inputOf(weight)).toBe(traceOf(norm?.weight as string).output);
      expect(inputOf(block.intermediate.weight)).toBe(traceOf(block.norms.beforeFeedForward.weight).output);
    }
  });
});
