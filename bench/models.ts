// Models: tokens per second, what the feature cache saves, and what loading costs.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, crossEntropy, gradients, input, reduceSum, sizeOf, type Value } from '../src/engine/index.js';
import {
  buildBert,
  loadModel,
  makeLayers,
  parseBertConfig,
  selectParameters,
  writeSafetensors,
} from '../src/models/index.js';
import { openClassifier } from '../src/training/index.js';
import { randomArray } from './bert.js';
import { type Case, median, peakMegabytes, timings } from './case.js';

export interface ModelSizes {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly intermediateSize: number;
  readonly vocabulary: number;
}

export const shapes = {
  'bert-mini': { layers: 4, hidden: 256, heads: 4, intermediateSize: 1024, vocabulary: 8000 },
  'minilm-l6': { layers: 6, hidden: 384, heads: 12, intermediateSize: 1536, vocabulary: 30_522 },
  'BERT-base': { layers: 12, hidden: 768, heads: 12, intermediateSize: 3072, vocabulary: 30_522 },
} as const satisfies Record<string, ModelSizes>;

export const configOf = ({ layers, hidden, heads, intermediateSize, vocabulary }: ModelSizes) => ({
  model_type: 'bert',
  vocab_size: vocabulary,
  hidden_size: hidden,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  intermediate_size: intermediateSize,
  max_position_embeddings: 512,
});

const start = (name: string, shape: readonly number[]): Float32Array =>
  /norm\.weight$/i.test(name) ? new Float32Array(sizeOf(shape)).fill(1) : randomArray(name, shape, 0.02);

/** Forward with frozen weights, and forward + backward with all parameters trainable, over 16 × 64 tokens. */
const speed =
  (name: keyof typeof shapes): Case =>
  async () => {
    const config = parseBertConfig(configOf(shapes[name]));
    const [batch, tokens] = [16, 64];
    const arrays: Record<string, Float32Array> = {};
    const values: Record<string, Value> = {};
    const layers = makeLayers((parameter, shape) => {
      arrays[parameter] = start(parameter, shape);
      values[parameter] = input(parameter, shape);
      return values[parameter];
    });
    const [ids, mask] = [input('ids', [batch, tokens], 'i64'), input('mask', [batch, tokens])];
    const logits = buildBert(config, layers, { ids }, mask).classify();
    const loss = reduceSum(crossEntropy(logits, input('labels', [batch], 'i64')));
    const feeds = {
      ...arrays,
      ids: BigInt64Array.from({ length: batch * tokens }, (_, i) => BigInt((i * 7919) % config.vocabulary)),
      mask: new Float32Array(batch * tokens).fill(1),
    };
    const forward = await compile({ logits });
    const forwardTime = median(await timings(() => forward.run(feeds), 9));
    await forward.close();
    const slopes = gradients(loss, Object.values(values));
    const names = Object.keys(values);
    const outputs = Object.fromEntries(slopes.map((slope, index) => [names[index] as string, slope]));
    const buffers = Object.fromEntries(
      Object.entries(arrays).map(([key, { length }]) => [key, new Float32Array(length)]),
    );
    const step = await compile<string>({ loss, ...outputs });
    const labels = new BigInt64Array(batch);
    const stepTime = median(await timings(() => step.run({ ...feeds, labels }, buffers), 9));
    await step.close();
    const perSecond = (milliseconds: number) => (1000 * batch * tokens) / milliseconds;
    return [
      { what: `${name}, forward`, value: perSecond(forwardTime), unit: 'tokens/s' },
      { what: `${name}, forward + backward`, value: perSecond(stepTime), unit: 'tokens/s' },
      { what: `${name}, peak memory`, value: peakMegabytes(), unit: 'MB' },
    ];
  };

/** One epoch of training pooler and classifier in batches of 32: on cached features, and with the frozen part recomputed. */
const features: Case = async () => {
  const cache = mkdtempSync(join(tmpdir(), 'epsilens-bench-'));
  try {
    const model = await loadModel('bundled:bert-mini', { numLabels: 2 });
    const trained = selectParameters(model, 'pooler+classifier');
    const examples = 1024;
    const rows = Array.from({ length: examples }, (_, row) =>
      Array.from({ length: 32 + (row % 64) }, (_, place) => 5 + ((row * 131 + place * 7919) % 7995)),
    );
    const data = { inputIds: rows, labels: rows.map((_, row) => row % 2) };
    const parameters: Record<string, Float32Array> = {};
    for (const name of trained) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
    const batches = Array.from({ length: examples / 32 }, (_, batch) =>
      Array.from({ length: 32 }, (_, i) => 32 * batch + i),
    );
    const options = { model, trainable: trained, data, microBatchSize: 32 };
    const kept = await openClassifier({ ...options, features: { folder: join(cache, 'features') } });
    const epoch = async () => {
      for (const batch of batches) await kept.sums(parameters, batch);
    };
    const keptTime = median(await timings(epoch, 5));
    await kept.close();
    const again = performance.now();
    const recomputed = await openClassifier({ ...options, features: { folder: false } });
    for (const batch of batches) await recomputed.sums(parameters, batch);
    const recomputeTime = performance.now() - again;
    await recomputed.close();
    return [
      { what: 'bert-mini head, epoch of 1,024 on cached features', value: keptTime, unit: 'ms' },
      { what: 'bert-mini head, epoch of 1,024 recomputing', value: recomputeTime, unit: 'ms' },
      { what: 'recomputing / cached features', value: recomputeTime / keptTime, unit: '', reach: '>= 50' },
    ];
  } finally {
    rmSync(cache, { recursive: true });
  }
};

/** A checkpoint of BERT-base's size, from opening the folder to the first logits. */
const loading: Case = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'epsilens-bench-'));
  try {
    await writeRandomBert(folder, shapes['BERT-base']);
    const begin = performance.now();
    const model = await loadModel(folder);
    const loadTime = performance.now() - begin;
    const built = model.build({ batch: 1, tokens: 16 });
    const program = await compile({ logits: built.classify() }, { weights: 'shared' });
    await program.run({ ids: new BigInt64Array(16), mask: new Float32Array(16).fill(1) });
    const firstTime = performance.now() - begin;
    await program.close();
    return [
      { what: 'BERT-base checkpoint (438 MB), load and check', value: loadTime, unit: 'ms' },
      { what: 'BERT-base checkpoint, first logits', value: firstTime, unit: 'ms' },
      { what: 'BERT-base checkpoint, peak memory, weights mapped', value: peakMegabytes(), unit: 'MB' },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** A folder with a BERT of these sizes and random weights; its vocabulary has six pieces and these words. */
export async function writeRandomBert(folder: string, sizes: ModelSizes, words: readonly string[] = []): Promise<void> {
  const raw = configOf(sizes);
  const tensors: Record<string, { shape: readonly number[]; data: Float32Array }> = {};
  // Tensors of one shape share their numbers, so that writing them does not determine the peak memory.
  const numbers = new Map<string, Float32Array>();
  const layers = makeLayers((name, shape) => {
    const data = numbers.get(shape.join()) ?? start(name, shape);
    numbers.set(shape.join(), data);
    tensors[name] = { shape, data };
    return input(name, shape);
  });
  buildBert(parseBertConfig(raw), layers, { ids: input('ids', [1, 1], 'i64') }, input('mask', [1, 1])).classify();
  await writeSafetensors(join(folder, 'model.safetensors'), tensors);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(raw));
  const pieces = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'a', ...words];
  writeFileSync(join(folder, 'vocab.txt'), `${pieces.join('\n')}\n`);
}

export const models: Readonly<Record<string, Case>> = {
  mini: speed('bert-mini'),
  minilm: speed('minilm-l6'),
  base: speed('BERT-base'),
  features,
  loading,
};
