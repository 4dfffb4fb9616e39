// Private training against plain training of the same model.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { addGradientNoise } from '../src/mechanisms/index.js';
import {
  buildBert,
  loadModel,
  makeLayers,
  parseBertConfig,
  selectParameters,
  withAdapter,
} from '../src/models/index.js';
import { cryptographicSource } from '../src/random/index.js';
import { adamW, clippedSum, gradientTerms, makePlan, openClassifier } from '../src/training/index.js';
import { makePrivateGradient } from '../src/training/release.js';
import { randomArray } from './bert.js';
import { type Case, median, peakMegabytes, type Row } from './case.js';
import { configOf, type ModelSizes, shapes, writeRandomBert } from './models.js';

/** A BERT classifier with random weights, every parameter trainable (word embeddings only if asked for). */
interface StepOptions {
  readonly batch: number;
  readonly tokens: number;
  readonly words?: boolean;
  /** Which parameters are trainable. */
  readonly chosen?: RegExp;
}

function buildStep(sizes: ModelSizes, { batch, tokens, words = true, chosen = /./ }: StepOptions) {
  const config = parseBertConfig(configOf(sizes));
  const trained: Record<string, Value> = {};
  const feeds: Record<string, TypedArray> = {};
  const layers = makeLayers((name, shape) => {
    feeds[name] = /norm\.weight$/i.test(name)
      ? new Float32Array(sizeOf(shape)).fill(1)
      : randomArray(name, shape, 0.02);
    const value = input(name, shape);
    if (chosen.test(name)) trained[name] = value;
    return value;
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
  return { losses, traces: layers.traces, trained, feeds };
}

type Step = ReturnType<typeof buildStep>;

function compilePlain({ losses, trained }: Step): Promise<Program> {
  const names = Object.keys(trained);
  const slopes = gradients(reduceSum(losses), Object.values(trained));
  return compile<string>({ losses, ...Object.fromEntries(names.map((name, i) => [name, slopes[i] as Value])) });
}

function compilePrivate({ losses, traces, trained }: Step): Promise<Program> {
  const weights = input('weights', losses.shape);
  const { norms, sums } = clippedSum(gradientTerms(losses, traces, trained), weights, { kind: 'clip', norm: 1 });
  return compile<string>({ losses, norms, ...sums });
}

const buffersFor = ({ trained }: Step) =>
  Object.fromEntries(Object.entries(trained).map(([name, { shape }]) => [name, new Float32Array(sizeOf(shape))]));

/** Milliseconds of the two steps, run in turn. */
const compare =
  (
    what: string,
    sizes: ModelSizes,
    batch: number,
    tokens: number,
    reach: string,
    words = true,
    repeats = 12,
    chosen = /./,
  ): Case =>
  () =>
    compareSteps(what, buildStep(sizes, { batch, tokens, words, chosen }), { batch, tokens, reach, repeats });

async function compareSteps(
  what: string,
  step: Step,
  {
    batch,
    tokens,
    reach,
    repeats,
  }: { readonly batch: number; readonly tokens: number; readonly reach: string; readonly repeats: number },
): Promise<Row[]> {
  const into = buffersFor(step);
  const plain = await compilePlain(step);
  const guarded = await compilePrivate(step);
  const weights = new Float32Array(batch).fill(1);
  const times: [number[], number[]] = [[], []];
  for (let repeat = 0; repeat < repeats + 2; repeat++) {
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
}

/** The two steps of LoRA training, with frozen weights as constants: rank 8 on query and value, and the classifier. */
const compareLora =
  (what: keyof typeof shapes, batch: number, tokens: number, reach: string, repeats = 12): Case =>
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'epsilens-bench-'));
    try {
      await writeRandomBert(folder, shapes[what]);
      const model = withAdapter(await loadModel(folder, { numLabels: 2 }), { rank: 8 });
      const names = selectParameters(model, 'lora');
      const built = model.build({ batch, tokens, trainable: names });
      const losses = crossEntropy(built.classify(), input('targets', [batch], 'i64'));
      const feeds: Record<string, TypedArray> = {
        ids: BigInt64Array.from({ length: batch * tokens }, (_, i) => BigInt((i * 7919) % model.config.vocabulary)),
        mask: new Float32Array(batch * tokens).fill(1),
        targets: BigInt64Array.from({ length: batch }, (_, i) => BigInt(i % 2)),
        ...Object.fromEntries(names.map((name) => [name, randomArray(name, built.trainable[name]?.shape ?? [], 0.02)])),
      };
      return await compareSteps(
        `${what}, LoRA`,
        { losses, traces: built.traces, trained: built.trainable, feeds },
        { batch, tokens, reach, repeats },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
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

/** A head of 592,130 parameters on cached features, batches of 128: releases of both mechanisms, and their parts. */
const head: Case = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'epsilens-bench-'));
  try {
    await writeRandomBert(folder, { ...shapes['BERT-base'], layers: 1, vocabulary: 6 });
    const model = await loadModel(folder, { numLabels: 2 });
    const trained = selectParameters(model, 'pooler+classifier');
    const examples = 1024;
    const rows = Array.from({ length: examples }, (_, row) =>
      Array.from({ length: 8 }, (_, place) => (row >> place) % 6),
    );
    const data = { inputIds: rows, labels: rows.map((_, row) => row % 2) };
    const classifier = await openClassifier({ model, trainable: trained, data, features: { folder: false } });
    const parameters: Record<string, Float32Array> = {};
    for (const name of trained) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
    const sizes = { examples, epochs: 1, batchSize: 128 };
    const options = { classifier, orderSeed: 1 };
    const releases = {
      plain: makePrivateGradient({ ...options, plan: makePlan({ mechanism: 'none', ...sizes }) }),
      // Shuffled batches for all, so that each release is over 128 examples.
      gaussian: makePrivateGradient({
        ...options,
        plan: makePlan({ mechanism: 'gaussian', ...sizes, noiseMultiplier: 1, sampler: 'shuffled' }),
      }),
      directional: makePrivateGradient({
        ...options,
        plan: makePlan({ mechanism: 'directional', ...sizes, concentration: 1e5 }),
      }),
    };
    const times = {
      plain: [] as number[],
      gaussian: [] as number[],
      directional: [] as number[],
      noise: [] as number[],
    };
    const noiseOnly = Object.fromEntries(
      trained.map((name) => [name, new Float32Array(parameters[name]?.length ?? 0)]),
    );
    const random = cryptographicSource();
    // Some steps of each kind at a time, as in a run: threads of another kind would still be awake.
    for (let round = 0; round < 12; round++) {
      for (const name of ['plain', 'gaussian', 'directional'] as const) {
        for (let step = 0; step < 8; step++) {
          const start = performance.now();
          await releases[name](step, parameters);
          if (round > 1 && step > 2) times[name].push(performance.now() - start);
        }
      }
      const start = performance.now();
      addGradientNoise(random, { gradients: noiseOnly }, { deviation: 1 });
      if (round > 1) times.noise.push(performance.now() - start);
    }
    await classifier.close();
    const count = Object.values(noiseOnly).reduce((sum, { length }) => sum + length, 0);
    const ratios = times.directional.map((time, i) => time / (times.gaussian[i] as number));
    return [
      {
        what: `head of ${count.toLocaleString('en')}, batch of 128, plain step`,
        value: median(times.plain),
        unit: 'ms',
      },
      { what: 'the same, DP-SGD step with noise', value: median(times.gaussian), unit: 'ms' },
      { what: 'the same, DirDP-SGD step', value: median(times.directional), unit: 'ms' },
      { what: 'DirDP-SGD step / DP-SGD step', value: median(ratios), unit: '', reach: '<= 1.3' },
      { what: 'noise, per coordinate', value: (1e6 * median(times.noise)) / count, unit: 'ns', reach: '<= 20' },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** A whole batch of 128 with everything: micro-batches, noise, AdamW; every parameter of bert-mini, 64 tokens. */
const batch: Case = async () => {
  const model = await loadModel('bundled:bert-mini', { numLabels: 2 });
  const trained = selectParameters(model, 'all');
  const examples = 256;
  const rows = Array.from({ length: examples }, (_, row) =>
    Array.from({ length: 64 }, (_, place) => 5 + ((row * 131 + place * 7919) % 7995)),
  );
  const data = { inputIds: rows, labels: rows.map((_, row) => row % 2) };
  const classifier = await openClassifier({ model, trainable: trained, data });
  const parameters: Record<string, Float32Array> = {};
  for (const name of trained) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
  const sizes = { examples, epochs: 1, batchSize: 128 };
  const options = { classifier, orderSeed: 1 };
  const plain = makePrivateGradient({ ...options, plan: makePlan({ mechanism: 'none', ...sizes }) });
  const guarded = makePrivateGradient({
    ...options,
    plan: makePlan({ mechanism: 'gaussian', ...sizes, noiseMultiplier: 1, sampler: 'shuffled' }),
  });
  const optimizer = adamW({ learningRate: 1e-5 });
  const state = optimizer.init(parameters);
  const times: [number[], number[]] = [[], []];
  for (let repeat = 0; repeat < 5; repeat++) {
    for (const [place, release] of [plain, guarded].entries()) {
      const start = performance.now();
      const { gradients } = await release(repeat % 2, parameters);
      optimizer.update(parameters, gradients, state);
      if (repeat > 0) times[place as 0 | 1].push(performance.now() - start);
    }
  }
  await classifier.close();
  return [
    { what: 'bert-mini, all parameters, batch of 128 × 64 tokens, plain', value: median(times[0]), unit: 'ms' },
    { what: 'the same with DP-SGD, noise and optimizer', value: median(times[1]), unit: 'ms' },
    {
      what: 'whole batch with privacy / without',
      value: median(times[1].map((time, i) => time / (times[0][i] as number))),
      unit: '',
    },
  ];
};

/** Dropout of .1 everywhere against none, in turn: plain steps and private ones, all parameters, 16 × 256 tokens. */
const dropout =
  (name: keyof typeof shapes): Case =>
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'epsilens-bench-'));
    try {
      await writeRandomBert(folder, shapes[name]);
      const model = await loadModel(folder, { numLabels: 2 });
      const trained = selectParameters(model, 'all');
      const [examples, tokens] = [16, 256];
      const inputIds = Array.from({ length: examples }, (_, row) =>
        Array.from({ length: tokens }, (_, place) => 5 + ((row * 131 + place * 7919) % 7000)),
      );
      const data = { inputIds, labels: inputIds.map((_, row) => row % 2) };
      const classifier = await openClassifier({ model, trainable: trained, data, batchSize: examples });
      const parameters: Record<string, Float32Array> = {};
      for (const one of trained) parameters[one] = (await model.parameters.get(one)?.read()) as Float32Array;
      const sizes = { examples, epochs: 1, batchSize: examples };
      const plans = {
        plain: makePlan({ mechanism: 'none', ...sizes }),
        'DP-SGD': makePlan({ mechanism: 'gaussian', ...sizes, noiseMultiplier: 1, sampler: 'shuffled' }),
      };
      const rates = { summary: 0, embeddings: 0.1, attention: 0.1, hidden: 0.1, classifier: 0.1 };
      const rows: Row[] = [];
      for (const [kind, plan] of Object.entries(plans)) {
        const options = { classifier, orderSeed: 1, plan };
        const [without, dropping] = [
          makePrivateGradient(options),
          makePrivateGradient({ ...options, dropout: { rates } }),
        ];
        const times: [number[], number[]] = [[], []];
        for (let step = 0; step < 9; step++) {
          const start = performance.now();
          await without(0, parameters);
          const middle = performance.now();
          // One batch is an epoch, so every step has masks of its own.
          await dropping(step, parameters);
          const end = performance.now();
          if (step < 2) continue;
          times[0].push(middle - start);
          times[1].push(end - middle);
        }
        const ratios = times[1].map((time, i) => time / (times[0][i] as number));
        rows.push(
          { what: `${name}, 16 × 256, ${kind} step`, value: median(times[0]), unit: 'ms' },
          { what: `the same with dropout / without`, value: median(ratios), unit: '', reach: '<= 1.05' },
        );
      }
      await classifier.close();
      return rows;
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

/** How the step's cost grows with the batch and with the length. */
const growth: Case = async () => {
  const rows: Row[] = [];
  for (const [batch, tokens] of [
    [4, 64],
    [16, 64],
    [64, 64],
    [16, 16],
    [16, 128],
    [16, 256],
  ] as const) {
    rows.push(...(await compare('bert-mini', shapes['bert-mini'], batch, tokens, '', true, 5)()));
  }
  return rows;
};

const layers4 = { ...shapes['BERT-base'], layers: 4 };
export const training: Readonly<Record<string, Case>> = {
  mini64: compare('bert-mini', shapes['bert-mini'], 16, 64, '<= 1.10'),
  mini128: compare('bert-mini', shapes['bert-mini'], 8, 128, '<= 1.15'),
  minilm64: compare('minilm-l6', shapes['minilm-l6'], 16, 64, '<= 1.10'),
  miniLora: compareLora('bert-mini', 16, 64, '<= 1.10'),
  minilmLora: compareLora('minilm-l6', 16, 64, '<= 1.10'),
  minilm128: compare('minilm-l6', shapes['minilm-l6'], 8, 128, '<= 1.15'),
  base64: compare('4 BERT-base layers', layers4, 16, 64, '<= 1.10', false),
  base128: compare('4 BERT-base layers', layers4, 8, 128, '<= 1.15', false),
  base12: compare('BERT-base, every parameter', shapes['BERT-base'], 16, 64, '<= 1.10', true, 3),
  last3: compare(
    'BERT-base, last three layers',
    shapes['BERT-base'],
    16,
    64,
    '<= 1.10',
    true,
    3,
    /layer\.(9|10|11)\.|pooler|classifier/,
  ),
  plainMemory: memory('4 BERT-base layers, plain step, peak memory', compilePlain),
  privateMemory: memory('4 BERT-base layers, DP-SGD step, peak memory (<= 1.2 of plain)', compilePrivate),
  head,
  batch,
  dropoutMini: dropout('bert-mini'),
  dropoutMinilm: dropout('minilm-l6'),
  growth,
};
