// Where dropout acts, against Hugging Face's models with the same masks (test/golden/dropout.json, origin inside), and its gradient.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  compile,
  crossEntropy,
  gradients,
  input,
  matMul,
  mul,
  reduceL2,
  reduceMean,
  reduceSum,
  sizeOf,
  softmax,
  type Value,
} from '../../src/engine/index.js';
import { dropoutRates, loadModel, maskInput } from '../../src/models/index.js';
import { expectNear, ids, readGolden, readWeights, runWith } from './describe-golden.js';
import { numbersFor } from './random-models.js';
import { makeRoot, type TinyName, writeTiny } from './tiny-models.js';

const golden = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'dropout.json'), 'utf8'));
const root = makeRoot();
const prefixes = { bert: 'bert.', gpt2: 'transformer.' } as const;
const everywhere = ['embeddings', 'attention', 'hidden', 'summary', 'classifier'] as const;

const open = async (name: TinyName, config?: Record<string, unknown>) =>
  loadModel(
    await writeTiny(join(root, `${name} ${JSON.stringify(config ?? '')}`), name, { ...(config && { config }) }),
  );

describe.each(['bert', 'gpt2'] as const)('dropout in tiny %s', (name) => {
  const expected = readGolden(`tiny-${name}`, 'expected.json');
  const wanted = golden[`tiny-${name}`];

  it('stands where Hugging Face has it, with its scale: the same masks give the same logits and gradients', async () => {
    const model = await open(name);
    const trainable = model.parametersOf('classification');
    const dropout = { roles: everywhere, frozen: false };
    const built = model.build({ batch: 3, tokens: 12, trainable, dropout });
    const logits = built.classify();
    const places = built.dropoutPlaces.filter(({ role }) => role !== 'classifier' || name === 'bert');
    expect(places.map(({ mask }) => mask.shape)).toEqual(wanted.masks.map(({ shape }: { shape: number[] }) => shape));
    const losses = crossEntropy(logits, input('labels', [3], 'i64'));
    const names = Object.keys(built.trainable);
    const slopes = gradients(reduceMean(losses), Object.values(built.trainable));
    const whole = `${Object.keys(wanted.gradient)[0]}`;
    const outputs = {
      logits,
      losses,
      slope: slopes[names.indexOf(whole.replace(prefixes[name], ''))] as Value,
      ...Object.fromEntries(names.map((one, i) => [`norm ${one}`, reduceL2(slopes[i] as Value)])),
    };
    const masks = places.map(({ mask: { source } }, i) => [
      source?.kind === 'input' ? source.name : '',
      Float32Array.from(wanted.masks[i].bits, (bit) => Number(bit) / (1 - wanted.rate)),
    ]);
    const result = await runWith(outputs, {
      ...(await readWeights(`tiny-${name}`, prefixes[name])),
      ids: ids(expected.input_ids),
      mask: Float32Array.from(expected.attention_mask.flat()),
      labels: ids([expected.labels]),
      ...Object.fromEntries(masks),
    });
    expectNear(result.logits, wanted.logits, 1e-5);
    expectNear(result.losses, wanted.losses, 1e-5);
    expectNear(result.slope?.slice(0, 256), wanted.gradient[whole], 1e-4);
    const largest = Math.max(...(Object.values(wanted.gradientNorms) as number[]));
    for (const [full, norm] of Object.entries(wanted.gradientNorms as Record<string, number>)) {
      const found = Number(result[`norm ${full.replace(prefixes[name], '')}`]?.[0]);
      expect(Math.abs(found - norm), full).toBeLessThan(1e-5 * largest + 1e-4 * norm);
    }
  });

  it('acts on what depends on trainable parameters, and everywhere only if asked for', async () => {
    const model = await open(name);
    const placesOf = (trainable: string[], frozen: boolean) => {
      const built = model.build({ batch: 1, tokens: 4, trainable, dropout: { roles: everywhere, frozen } });
      built.classify();
      return built.dropoutPlaces.map(({ name: place }) => place);
    };
    const all = placesOf(model.parametersOf('classification'), false);
    const top = model.parametersOf('classification').filter((one) => /(layer|^h)\.1\./.test(one));
    const none = name === 'bert' ? ['classifier'] : [];
    expect(placesOf(top, false)).toEqual(all.filter((place) => /\.1\./.test(place) || none.includes(place)));
    expect(placesOf([name === 'bert' ? 'classifier.weight' : 'score.weight'], false)).toEqual(none);
    expect(placesOf([], true)).toEqual(all);
  });

  it('has no masks in evaluation mode, and the graph is the one it was', async () => {
    const model = await open(name);
    const built = model.build({ batch: 1, tokens: 4 });
    const program = await compile({ logits: built.classify() });
    expect(Object.keys(program.inputs).sort()).toEqual(['ids', 'mask']);
    expect(built.dropoutPlaces).toEqual([]);
    await program.close();
  });
});

describe('rates', () => {
  it('are one number, or those of config.json', async () => {
    const rates = { embeddings: 0.2, attention: 0.3, hidden: 0.2, summary: 0.2, classifier: 0.2 };
    const own = { hidden_dropout_prob: 0.2, attention_probs_dropout_prob: 0.3 };
    expect(dropoutRates(await open('bert', own), 'config')).toEqual(rates);
    const classifier = await open('bert', { ...own, classifier_dropout: 0.5 });
    expect(dropoutRates(classifier, 'config')).toEqual({ ...rates, summary: 0.5, classifier: 0.5 });
    const gpt2 = await open('gpt2', { embd_pdrop: 0.1, attn_pdrop: 0, resid_pdrop: 0.4 });
    expect(dropoutRates(gpt2, 'config')).toEqual({
      embeddings: 0.1,
      attention: 0,
      hidden: 0.4,
      summary: 0,
      classifier: 0,
    });
    expect(dropoutRates(gpt2, 0.3)).toEqual({
      embeddings: 0.3,
      attention: 0.3,
      hidden: 0.3,
      summary: 0.3,
      classifier: 0.3,
    });
  });

  it('of 0 are no dropout', async () => {
    expect(dropoutRates(await open('bert'), 0)).toBeUndefined();
    expect(dropoutRates(await open('bert'), undefined)).toBeUndefined();
  });

  it('outside [0, 1) are refused', async () => {
    const model = await open('bert');
    for (const rate of [1, -0.1, Number.NaN]) expect(() => dropoutRates(model, rate)).toThrow('invalid dropout');
    const broken = await open('bert', { hidden_dropout_prob: 1 });
    expect(() => dropoutRates(broken, 'config')).toThrow('config.json: hidden_dropout_prob: expected');
  });
});

it('has the gradient of the numerical derivative behind a softmax, where the rule uses the forward product', async () => {
  const [batch, tokens, size] = [2, 5, 3];
  const shapes = { scores: [batch, tokens, tokens], values: [batch, tokens, size], mask: [batch, tokens, tokens] };
  const given = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, input(name, shape, 'f64')]));
  const { scores, values, mask } = given as Record<'scores' | 'values' | 'mask', Value>;
  const weights = mul(softmax(scores), mask);
  const product = matMul(weights, values);
  const loss = reduceSum(mul(product, mul(product, product)));
  const [slope] = gradients(loss, [scores]) as [Value];
  const feeds = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      Float64Array.from(numbersFor(name, 4, sizeOf(shape)), (x) =>
        name === 'mask' ? Number(x > 0.3) / 0.7 : 2 * x - 1,
      ),
    ]),
  ) as Record<'scores' | 'values' | 'mask', Float64Array>;
  const program = await compile({ loss, slope });
  const { slope: found } = (await program.run(feeds)) as unknown as { slope: Float64Array };
  const step = 1e-5;
  for (const [i, one] of found.entries()) {
    const at = async (shift: number) => {
      const moved = feeds.scores.with(i, (feeds.scores[i] as number) + shift);
      return Number((await program.run({ ...feeds, scores: moved })).loss[0]);
    };
    expect(Math.abs(((await at(step)) - (await at(-step))) / (2 * step) - one)).toBeLessThan(1e-7);
  }
  await program.close();
  expect(maskInput('x')).toBe('dropout x');
});

describe('dropout in encoders like BERT', () => {
  const block = ['attention', 'hidden', 'hidden'];
  // The calls of torch.nn.functional.dropout in transformers 5.23, in order.
  it.each([
    ['roberta', ['embeddings', ...block, ...block, 'summary', 'classifier'], 0.1],
    ['distilbert', ['embeddings', 'attention', 'hidden', 'attention', 'hidden', 'classifier'], 0.2],
  ] as const)('%s stands where Hugging Face has it, with its rates', async (name, roles, classifier) => {
    const model = await open(name);
    const trainable = model.parametersOf('classification');
    const built = model.build({ batch: 3, tokens: 12, trainable, dropout: { roles: everywhere, frozen: false } });
    built.classify();
    expect(built.dropoutPlaces.map(({ role }) => role)).toEqual(roles);
    expect(new Set(built.dropoutPlaces.map((place) => place.name)).size).toBe(roles.length);
    const none = {
      hidden_dropout_prob: 0.1,
      attention_probs_dropout_prob: 0.1,
      classifier_dropout: null,
      dropout: 0.1,
    };
    const usual = { ...none, attention_dropout: 0.1, seq_classif_dropout: 0.2 };
    const rates = dropoutRates(await open(name, usual), 'config');
    expect(rates).toMatchObject({ embeddings: 0.1, attention: 0.1, hidden: 0.1, classifier });
  });

  it('drops nothing below a head that is trained alone, but before it', async () => {
    const model = await open('roberta');
    const trainable = ['classifier.out_proj.weight'];
    const built = model.build({ batch: 3, tokens: 12, trainable, dropout: { roles: everywhere, frozen: false } });
    built.classify();
    expect(built.dropoutPlaces.map(({ role }) => role)).toEqual(['classifier']);
  });
});
