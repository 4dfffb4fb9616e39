// Private training against plain training of the same model.

import {
  compile,
  crossEntropy,
  gradients,
  input,
  type Program,
  reduceSum,
  sizeOf,
  type TypedArray,
  type Value,
} from '../src/engine/index.js';
import { buildBert, makeLayers, parseBertConfig } from '../src/models/index.js';
import { boundedSum, formsOf } from '../src/training/index.js';
import { randomArray } from './bert.js';
import { type Case, median, peakMegabytes } from './case.js';
import { configOf, type ModelSizes, shapes } from './models.js';

/** A BERT classifier with random weights, every parameter trained (word embeddings only where asked). */
function buildStep(
  sizes: ModelSizes,
  { batch, tokens, words = true }: { batch: number; tokens: number; words?: boolean },
) {
  const config = parseBertConfig(configOf(sizes));
  const trained: Record<string, Value> = {};
  const feeds: Record<string, TypedArray> = {};
  const layers = makeLayers((name, shape) => {
    feeds[name] = /norm\.weight$/i.test(name)
      ? new Float32Array(sizeOf(shape)).fill(1)
      : randomArray(name, shape, 0.02);
    trained[name] = input(name, shape);
    return trained[name];
  });
  feeds.mask = new Float32Array(batch * tokens).fill(1);
  feeds.targets = BigInt64Array.from({ length: batch }, (_, i) => BigInt(i % 2));
  if (words) {
    feeds.ids = BigInt64Array.from({ length: batch * tokens }, (_, i) => BigInt((i * 7919) % config.vocabulary));
  } else feeds.words = randomArray('words', [batch, tokens, config.hidden], 0.02);
  const source = words
    ? { ids: input('ids', [batch, tokens], 'i64') }
    : { words: input('words', [batch, tokens, config.hidden]) };
  const logits = buildBert(config, layers, source, input('mask', [batch, tokens])).classify();
  const losses = crossEntropy(logits, input('targets', [batch], 'i64'));
  return { losses, sites: layers.sites, trained, feeds };
}

type Step = ReturnType<typeof buildStep>;

function compilePlain({ losses, trained }: Step): Promise<Program> {
  const names = Object.keys(trained);
  const slopes = gradients(reduceSum(losses), Object.values(trained));
  return compile<string>({ losses, ...Object.fromEntries(names.map((name, i) => [name, slopes[i] as Value])) });
}

function compilePrivate({ losses, sites, trained }: Step): Promise<Program> {
  const weights = input('weights', losses.shape);
  const { norms, sums } = boundedSum(formsOf(losses, sites, trained), weights, { kind: 'clip', norm: 1 });
  return compile<string>({ losses, norms, ...sums });
}

const buffersFor = ({ trained }: Step) =>
  Object.fromEntries(Object.entries(trained).map(([name, { shape }]) => [name, new Float32Array(sizeOf(shape))]));

/** Milliseconds of the two steps, run in turn. */
const compare =
  (what: string, sizes: ModelSizes, batch: number, tokens: number, reach: string, words = true): Case =>
  async () => {
    const step = buildStep(sizes, { batch, tokens, words });
    const into = buffersFor(step);
    const plain = await compilePlain(step);
    const guarded = await compilePrivate(step);
    const weights = new Float32Array(batch).fill(1);
    const times: [number[], number[]] = [[], []];
    for (let repeat = 0; repeat < 14; repeat++) {
      const first = performance.now();
      await plain.run(step.feeds, into);
      const second = performance.now();
      await guarded.run({ ...step.feeds, weights }, into);
      const third = performance.now();
      if (repeat < 2) continue;
      times[0].push(second - first);
      times[1].push(third - second);
    }
    await plain.close();
    await guarded.close();
    const ratios = times[1].map((time, i) => time / (times[0][i] as number));
    return [
      { what: `${what}, ${batch} × ${tokens}, plain step`, value: median(times[0]), unit: 'ms' },
      { what: `${what}, ${batch} × ${tokens}, DP-SGD step / plain step`, value: median(ratios), unit: '', reach },
    ];
  };

/** Peak memory of one kind of step, in a process of its own. */
const memory =
  (what: string, make: (step: Step) => Promise<Program>): Case =>
  async () => {
    const step = buildStep({ ...shapes['BERT-base'], layers: 4 }, { batch: 16, tokens: 64, words: false });
    const program = await make(step);
    const extra = 'weights' in program.inputs ? { weights: new Float32Array(16).fill(1) } : {};
    for (let repeat = 0; repeat < 3; repeat++) await program.run({ ...step.feeds, ...extra }, buffersFor(step));
    await program.close();
    return [{ what, value: peakMegabytes(), unit: 'MB' }];
  };

const layers4 = { ...shapes['BERT-base'], layers: 4 };
export const training: Readonly<Record<string, Case>> = {
  mini64: compare('bert-mini', shapes['bert-mini'], 16, 64, '<= 1.10'),
  mini128: compare('bert-mini', shapes['bert-mini'], 8, 128, '<= 1.15'),
  minilm64: compare('minilm-l6', shapes['minilm-l6'], 16, 64, '<= 1.10'),
  minilm128: compare('minilm-l6', shapes['minilm-l6'], 8, 128, '<= 1.15'),
  base64: compare('4 BERT-base layers', layers4, 16, 64, '<= 1.10', false),
  base128: compare('4 BERT-base layers', layers4, 8, 128, '<= 1.15', false),
  plainMemory: memory('4 BERT-base layers, plain step, peak memory', compilePlain),
  privateMemory: memory('4 BERT-base layers, DP-SGD step, peak memory', compilePrivate),
};
