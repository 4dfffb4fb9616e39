// Attacks: seconds per sentence or batch, once the model's inputs are prepared.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  decepticonsAttack,
  evaluateMembership,
  findAttack,
  type GradientAttack,
  type InsightNeed,
  maliciousParameters,
  openClient,
  openFirstInputs,
  openWorld,
  sentenceGradients,
  spanAttack,
  spanParameters,
  tokensAround,
  type WorldAttack,
} from '../src/attacks/index.js';
import { readOptions } from '../src/checks/index.js';
import { protect } from '../src/mechanisms/index.js';
import { loadModel, selectParameters } from '../src/models/index.js';
import { fillNormal, seededSource } from '../src/random/index.js';
import { makePlan } from '../src/training/index.js';
import { type Case, median } from './case.js';
import { shapes, writeRandomBert } from './models.js';

/** Sentences of 24 tokens, with and without noise. */
async function span(what: string, source: string, reach: string) {
  const model = await loadModel(source, { numLabels: 2 });
  const { size } = model.tokenizer;
  const rows = Array.from({ length: 6 }, (_, row) =>
    Array.from({ length: 24 }, (_, i) => (row * 131 + i * 7919) % size),
  );
  const client = await openClient({
    model,
    data: { inputIds: rows, labels: rows.map((_, i) => i % 2) },
    shared: spanParameters({ model }),
  });
  const begin = performance.now();
  const inputs = await openFirstInputs({ model, parameters: {} }, 24);
  const prepared = performance.now() - begin;
  const times: number[] = [];
  for (const cosine of [1, 0.5]) {
    for (const index of rows.keys()) {
      const { view } = await client.share([index], { mechanism: 'cosine', cosine }, seededSource(index));
      const start = performance.now();
      await spanAttack(view, { inputs });
      if (index > 0) times.push((performance.now() - start) / 1000);
    }
  }
  await inputs.close();
  await client.close();
  return [
    { what: `${what}, span attack, a sentence of 24 tokens`, value: median(times), unit: 's', reach },
    { what: `${what}, preparing the inputs once`, value: prepared / 1000, unit: 's' },
  ];
}

const mini: Case = () => span('bert-mini', 'bundled:bert-mini', '<= 0.1');

/** The sizes of minilm-l6 with random weights and its vocabulary. */
const minilm: Case = () => withMinilm((folder) => span('minilm-l6', folder, '<= 0.5'));

async function withMinilm<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'epsilens-bench-'));
  try {
    const { vocabulary } = shapes['minilm-l6'];
    const pieces = Array.from({ length: vocabulary - 6 }, (_, i) => `w${i}`);
    await writeRandomBert(folder, shapes['minilm-l6'], pieces);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** 8 sentences of 32 tokens, all gradients shared: clipped as one vector, with and without noise. */
const decepticons: Case = async () => {
  const model = await loadModel('bundled:bert-mini', { numLabels: 2 });
  const { size } = model.tokenizer;
  const lengths = Array<number>(8).fill(32);
  const rows = lengths.map((length, row) => Array.from({ length }, (_, i) => (row * 131 + i * 7919 + 40) % size));
  const shared = model.parametersOf('lm');
  const times = { setting: [] as number[], sharing: [] as number[], attack: [] as number[], all: [] as number[] };
  for (const [round, noiseMultiplier] of [0, 0, 1e-4, 1e-4].entries()) {
    const start = performance.now();
    const malicious = await maliciousParameters(model, { random: seededSource(round) });
    const set = performance.now();
    const examples = await sentenceGradients(model, malicious.parameters, { inputIds: rows, shared, loss: 'all' });
    const protection = {
      mechanism: 'gaussian',
      scope: 'joint',
      clipping: 'clip',
      clipNorm: 1,
      noiseMultiplier,
    } as const;
    const { gradients, noise } = protect(examples, protection, seededSource(round));
    const sent = performance.now();
    decepticonsAttack({ model, gradients, noise, batchSize: rows.length, lengths }, malicious);
    const end = performance.now();
    if (round === 0) continue;
    times.setting.push((set - start) / 1000);
    times.sharing.push((sent - set) / 1000);
    times.attack.push((end - sent) / 1000);
    times.all.push((end - start) / 1000);
  }
  const what = 'bert-mini, Decepticons, a batch of 8 × 32 tokens';
  return [
    { what: `${what}: recovery`, value: median(times.attack), unit: 's' },
    { what: `${what}: the server's parameters`, value: median(times.setting), unit: 's' },
    { what: `${what}: the client's gradients and noise`, value: median(times.sharing), unit: 's' },
    { what: `${what}: everything`, value: median(times.all), unit: 's' },
  ];
};

/** One measured setting of the likelihood attack: its effort, the noise and the aim. */
type LikelihoodLevel = readonly [refinement: string, noiseMultiplier: number, reach?: string];

/** Sentences of 24 tokens. At σ = 0.001 the tables suffice; 0.01 leaves doubt, so that a refinement spends its budget. */
async function likelihood(what: string, source: string, levels: readonly LikelihoodLevel[]) {
  const model = await loadModel(source, { numLabels: 2 });
  const { size } = model.tokenizer;
  const { before, after } = tokensAround(model.tokenizer);
  const rows = Array.from({ length: 4 }, (_, row) => [
    ...before,
    ...Array.from({ length: 22 }, (_, i) => (row * 131 + i * 7919 + 200) % size),
    ...after,
  ]);
  const shared = model.parametersOf('classification');
  const client = await openClient({ model, data: { inputIds: rows, labels: rows.map((_, i) => i % 2) }, shared });
  const attack = findAttack('likelihood') as GradientAttack;
  const figures = [];
  for (const [refinement, noiseMultiplier, reach] of levels) {
    const options = readOptions(attack.options, { refinement });
    const setting = { model, options, batchSize: 1, longest: 24, loss: 'class' as const, shared };
    const open = await attack.open({ ...setting, random: seededSource(1) });
    const protection = {
      mechanism: 'gaussian',
      scope: 'joint',
      clipping: 'clip',
      clipNorm: 1,
      noiseMultiplier,
    } as const;
    const times: number[] = [];
    for (const index of rows.keys()) {
      const { view } = await client.share([index], protection, seededSource(index));
      const start = performance.now();
      await open.run(view);
      if (index > 0) times.push((performance.now() - start) / 1000);
    }
    await open.close();
    const name = `${what}, likelihood attack, 24 tokens, σ = ${noiseMultiplier}, refinement ${refinement}`;
    figures.push({ what: name, value: median(times), unit: 's', ...(reach && { reach }) });
  }
  await client.close();
  return figures;
}

const likelihoodMini: Case = () =>
  likelihood('bert-mini', 'bundled:bert-mini', [
    ['none', 0.001, '<= 0.2'],
    ['none', 0.01],
    ['quick', 0.01, '<= 3'],
    ['full', 0.01],
  ]);

const likelihoodMinilm: Case = () =>
  withMinilm((folder) =>
    likelihood('minilm-l6', folder, [
      ['none', 0.001],
      ['none', 0.01],
      ['quick', 0.01, '<= 10'],
    ]),
  );

/** Texts of 12 words: their neighbours by a masked language model, from text to token ids. */
const neighbours: Case = async () => {
  const { tokenizer } = await loadModel('bundled:bert-mini', { numLabels: 2 });
  const attack = findAttack('mia-n') as WorldAttack;
  const inputIds = Array.from({ length: 48 }, (_, row) =>
    tokenizer.encode(Array.from({ length: 12 }, (_, i) => tokenizer.tokenOf(1000 + row * 12 + i) ?? 'a').join(' ')),
  );
  const setting = { tokenizer, maxTokens: 40, options: readOptions(attack.options, {}), random: seededSource(1) };
  await attack.queries?.({ ...setting, inputIds: inputIds.slice(0, 4) });
  const start = performance.now();
  await attack.queries?.({ ...setting, inputIds });
  const seconds = (performance.now() - start) / 1000;
  return [{ what: 'bert-mini, MIA-N: texts with their 50 neighbours', value: inputIds.length / seconds, unit: '/s' }];
};

/** Models of a world on cached features, and LiRA on what 64 of them would say of 2,000 examples. */
const membership: Case = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'epsilens-bench-'));
  try {
    const modelFor = (seed: number) => loadModel('bundled:bert-mini', { numLabels: 2, newHead: true, seed });
    const model = await modelFor(1);
    const rows = Array.from({ length: 440 }, (_, row) =>
      Array.from({ length: 24 }, (_, i) => (row * 131 + i * 7919 + 200) % model.tokenizer.size),
    );
    const world = openWorld({
      modelFor,
      trainable: selectParameters(model, 'pooler+classifier'),
      data: { inputIds: rows, labels: rows.map((_, i) => i % 2) },
      training: { learningRate: 1e-3, schedule: 'linear', warmup: 0.05 },
      folder,
    });
    const [members, others] = [0, 1].map((side) => [...rows.keys()].filter((row) => row % 2 === side)) as [
      number[],
      number[],
    ];
    const plan = makePlan({ mechanism: 'none', examples: members.length, epochs: 60, batchSize: 8 });
    const seconds = async (seeds: readonly number[], need?: InsightNeed): Promise<number> => {
      const start = performance.now();
      await world.ask(
        seeds.map((seed) => ({ members, others, plan, seed })),
        need,
      );
      return (performance.now() - start) / 1000 / seeds.length;
    };
    await seconds([1]);
    const perModel = await seconds([3, 4, 5, 6, 7, 8]);
    await seconds([9], { steps: 2 });
    const [one, watched] = [await seconds([10]), await seconds([11], { steps: 50 })];
    await world.close();
    return [
      { what: 'bert-mini, a model of a world, 220 examples, 60 epochs in batches of 8', value: perModel, unit: 's' },
      { what: 'its steps', value: plan.steps / perModel, unit: '/s' },
      { what: 'reading the release of a step, 440 candidates', value: (watched - one) / 50, unit: 's' },
      { what: 'LiRA, 64 models, 2,000 examples, with 400 resamples', value: liraSeconds(64, 2000), unit: 's' },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

function liraSeconds(models: number, examples: number): number {
  const random = seededSource('lira');
  const numbers = () => fillNormal(random, new Float64Array(examples / 2));
  const sides = (of: () => Float64Array) => ({ members: of(), others: of() });
  const half = () => Float64Array.from({ length: examples / 2 }, (_, k) => Number(k % 2 === 0));
  const references = Array.from({ length: models }, (_, m) => ({
    margins: sides(numbers),
    inside: sides(() => half().map((one) => (m % 2 === 0 ? one : 1 - one))),
    own: { members: numbers(), others: numbers() },
  }));
  const attack = findAttack('lira') as WorldAttack;
  const losses = sides(() => numbers().map(Math.abs));
  const start = performance.now();
  evaluateMembership({
    attack,
    options: readOptions(attack.options, {}),
    truth: { ...losses, margins: sides(numbers), references },
    random,
  });
  return (performance.now() - start) / 1000;
}

export const attacks: Readonly<Record<string, Case>> = {
  membership,
  neighbours,
  mini,
  minilm,
  decepticons,
  'likelihood-mini': likelihoodMini,
  'likelihood-minilm': likelihoodMinilm,
};
