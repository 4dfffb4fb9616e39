// Start here: what every room does, in the order in which they build on one another. The last test is the front door.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { attacks, findAttack } from '../src/attacks/index.js';
import { readStudy } from '../src/calibration/index.js';
import { ArgumentError, positive, readOptions } from '../src/checks/index.js';
import { loadDataSet, poissonBatch } from '../src/data/index.js';
import { compile, crossEntropy, gradients, input, matMul, mul, reduceSum, type Value } from '../src/engine/index.js';
import { fineTune } from '../src/index.js';
import { bisect, normalCdf } from '../src/math/index.js';
import { gaussianMechanism, mechanisms } from '../src/mechanisms/index.js';
import { areaUnderRoc, rougeL, splitters } from '../src/metrics/index.js';
import { bertBlock, bertBlockLayout, loadModel, makeLayers, selectParameters } from '../src/models/index.js';
import { writeWhole } from '../src/platform/index.js';
import { accountantOf, dpSgd, findNoise } from '../src/privacy/index.js';
import { cryptographicSource, fillNormal, permutation, seededSource } from '../src/random/index.js';
import { renderReport } from '../src/report/index.js';
import { encodeDataSet, makePlan, sgd, trainClassifier } from '../src/training/index.js';
import { makeRoot, writeTiny } from './models/tiny-models.js';
import { makeResults } from './report/fixtures.js';

const root = makeRoot();
const [folder, file] = [join(root, 'model'), join(root, 'reviews.csv')];
beforeAll(async () => {
  await writeTiny(folder, 'bert', { without: /^classifier/ });
  const rows = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 'a a b c,good' : 'b b c a,bad'));
  writeFileSync(file, ['text,label', ...rows].join('\n'));
});

it('checks: a wrong value is one sentence, and options are data', () => {
  expect(() => positive({ clipNorm: -1 })).toThrow(new ArgumentError('invalid clipNorm: expected > 0, got -1'));
  const schema = { count: { type: 'integer', least: 1, default: 10, help: 'how many' } } as const;
  expect(readOptions(schema, {})).toEqual({ count: 10 });
});

it('platform: a file is written whole or not at all', async () => {
  await writeWhole(join(root, 'note.txt'), 'all of it');
  expect(readFileSync(join(root, 'note.txt'), 'utf8')).toBe('all of it');
});

it('math: special functions and roots', () => {
  const median = bisect((x) => normalCdf(x) >= 0.975, 0, 10);
  expect(median).toBeCloseTo(1.959964, 5);
});

it('random: a seed and a name give the same numbers everywhere', () => {
  const run = seededSource(7);
  const [a, b] = [new Float32Array(4), new Float32Array(4)];
  fillNormal(run.stream('noise'), a);
  fillNormal(seededSource(7).stream('noise'), b);
  expect(a).toEqual(b);
  expect([...permutation(run.stream('order'), 5)].sort()).toEqual([0, 1, 2, 3, 4]);
});

it('engine: values make a graph, gradients are more of it, a program runs it', async () => {
  const x = input('x', [3]);
  const cube = mul(mul(x, x), x);
  const [slope] = gradients(cube, [x]) as [Value]; // 3x²
  const [bend] = gradients(slope, [x]) as [Value]; // 6x
  const program = await compile({ slope, bend });
  const result = await program.run({ x: Float32Array.of(1, 2, 3) });
  expect(result).toEqual({ slope: Float32Array.of(3, 12, 27), bend: Float32Array.of(6, 12, 18) });
  await program.close();
});

it('models: a transformer block over the engine, with a loss for each example', async () => {
  const sizes = { hidden: 8, heads: 2, intermediateSize: 16, epsilon: 1e-12 };
  const feeds: Record<string, Float32Array | BigInt64Array> = {};
  const parameter = (name: string, shape: readonly number[]) => {
    const array = new Float32Array(shape.reduce((a, b) => a * b, 1));
    fillNormal(seededSource(1).stream(name), array, { standardDeviation: 0.1 });
    feeds[name] = array;
    return input(name, shape);
  };
  const x = parameter('x', [2, 3, 8]);
  const layers = makeLayers(parameter);
  const states = bertBlock(bertBlockLayout('block'), x, sizes, layers); // [batch, tokens, hidden]
  expect(layers.traces.filter(({ kind }) => kind === 'linear').length).toBe(6); // every layer says what it did
  const logits = matMul(reduceSum(states, [1]), parameter('head', [8, 2]));
  const losses = crossEntropy(logits, input('labels', [2], 'i64'));
  const program = await compile({ losses, slope: gradients(losses, [x])[0] as Value });
  const result = await program.run({ ...feeds, labels: BigInt64Array.of(0n, 1n) });
  expect(result.losses.length).toBe(2);
  expect(result.slope.some((number) => number !== 0)).toBe(true);
  await program.close();
});

it('privacy: what is released is an event, an accountant turns events into epsilon', () => {
  const eventFor = (noiseMultiplier: number) => dpSgd({ sampleRate: 0.01, noiseMultiplier, steps: 1000 });
  const { epsilon, bound, neighbours } = accountantOf('pld').compose(eventFor(1)).epsilon(1e-5);
  expect([bound, neighbours]).toEqual(['upper', 'add-or-remove-one']);
  const noise = findNoise({ accountant: 'pld', eventFor, target: { epsilon, delta: 1e-5 } });
  expect(noise).toBeCloseTo(1, 3);
});

it('mechanisms: noise with its own event and statement; for gradients, a registry', () => {
  const mechanism = gaussianMechanism({ epsilon: 1, delta: 1e-5, sensitivity: 1 });
  expect(mechanism.release(cryptographicSource(), Float64Array.of(0)).length).toBe(1);
  expect(mechanism.statement.status).toBe('proved');
  expect(Object.keys(mechanisms)).toEqual([
    'none',
    'normalised',
    'normalised-layers',
    'gaussian',
    'gaussian-normalised',
    'directional',
  ]);
});

it('data: a file becomes examples by split; batches are sampled', async () => {
  const { splits, classes } = await loadDataSet(file);
  expect([splits.train?.length, classes]).toEqual([40, ['bad', 'good']]);
  const members = poissonBatch(40, 0.25, seededSource(1).stream('batch'));
  expect(members.length).toBeLessThan(40);
});

it('models: a checkpoint, its tokenizer, and sets of parameters', async () => {
  const model = await loadModel(folder, { numLabels: 2 });
  expect(model.tokenizer.decode(model.tokenizer.encode('a b'))).toBe('a b');
  expect(selectParameters(model, 'head')).toEqual(['classifier.weight', 'classifier.bias']);
});

it('training: a plan couples sampler, clipping, noise and accountant; the result states its guarantee', async () => {
  const dataSet = await loadDataSet(file);
  const model = await loadModel(folder, { numLabels: 2 });
  const plan = makePlan({ mechanism: 'gaussian', epsilon: 8, examples: 40, epochs: 1, batchSize: 10 });
  const { privacy, train } = await trainClassifier({
    model,
    trainable: selectParameters(model, 'head'),
    data: encodeDataSet(dataSet, model),
    plan,
    optimizer: sgd({ learningRate: 0.1 }),
    seed: 1,
  });
  expect(privacy.guarantee?.epsilon).toBeLessThanOrEqual(8);
  expect(train.accuracy).toBeGreaterThan(0);
});

it('metrics: recovered text against the truth, members against others', () => {
  const words = splitters.spaces;
  expect(rougeL(words('the cat sat'), words('the dog sat')).lcsRatio).toBeCloseTo(2 / 3, 12);
  expect(areaUnderRoc([3, 2], [1, 0])).toBe(1);
});

it('attacks: descriptors that see a view, never the truth', () => {
  const names = [
    'span',
    'likelihood',
    'dager',
    'tiger',
    'decepticons',
    'membership',
    'mia',
    'mia-r',
    'mia-n',
    'lira',
    'rmia',
    'gradient-norm',
    'updates',
    'white-box',
  ];
  expect(attacks.map(({ name }) => name)).toEqual(names);
  expect(findAttack('span').sees).toBe('gradient');
});

it('calibration: a study is data, from which trials follow', async () => {
  const study = await readStudy('quick');
  expect(Object.keys(study.mechanisms)).toEqual(['gaussian', 'directional']);
});

it('report: results become one page that loads nothing', () => {
  const { html, charts } = renderReport(makeResults());
  expect(html).toContain('<h1>What noise costs, and what it prevents</h1>');
  expect(html).not.toMatch(/<script|src="http/);
  expect(charts.length).toBeGreaterThan(0);
});

it('api: the front door does all of it in one call', async () => {
  const run = await fineTune({ model: folder, data: file, privacy: { epsilon: 8 }, epochs: 1, batchSize: 10 });
  expect(run.privacy.statement[0]).toMatch(/^Epsilon is 8 with delta/);
  const [prediction] = await run.model.classify(['a a b c']);
  expect(['bad', 'good']).toContain(prediction?.label);
});
