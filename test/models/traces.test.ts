// Traces: the gradients of every example follow from what each layer recorded, and nothing else.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  crossEntropy,
  div,
  gradients,
  input,
  mul,
  reduceSum,
  sliceAxis,
  type TypedArray,
  type Value,
} from '../../src/engine/index.js';
import {
  type BertConfig,
  buildGpt2,
  type ModelConfig,
  makeLayers,
  parseBertConfig,
  parseGpt2Config,
} from '../../src/models/index.js';
import { evaluate } from '../engine/naive/evaluate.js';
import { ids, readGolden, readWeights, runWith } from './describe-golden.js';
import { anySizes, builds, drawFeeds, openRandom, rowsOfExample } from './random-models.js';
import { gradientsFromSites, siteValues } from './trace-gradients.js';

describe.each(Object.entries(builds))('the traces of a random %s', (_, buildWith) => {
  it.each(['classification', 'tokens', 'lm'] as const)('give the gradients of batches of one, %s', (use) => {
    fc.assert(
      fc.property(anySizes, (sizes) => {
        const { config, lengths, tokens } = sizes;
        const batch = lengths.length;
        const whole = openRandom(buildWith(config), use, { batch, tokens });
        expect(new Set(whole.traces.flatMap(parameterNames))).toEqual(new Set(Object.keys(whole.parameters)));
        const { weights, rows } = drawFeeds(sizes, use, whole.parameters);
        const recorded = siteValues(whole.traces, reduceSum(whole.loss));
        const names = Object.keys(recorded);
        const found = evaluate(Object.values(recorded), { ...weights, ...rows });
        const numbers = Object.fromEntries(found.map(({ data }, i) => [names[i], data]));

        const one = openRandom(buildWith(config), use, { batch: 1, tokens });
        const slopes = gradients(one.loss, Object.values(one.parameters));
        for (let example = 0; example < batch; example++) {
          const truth = evaluate(slopes, { ...weights, ...rowsOfExample(rows, batch, example) });
          const guess = gradientsFromSites(whole.traces, numbers, { batch, example });
          for (const [i, name] of Object.keys(one.parameters).entries()) {
            const wrong = (truth[i]?.data ?? []).map((x, at) => Math.abs(x - (guess.get(name)?.[at] ?? Number.NaN)));
            expect(Math.max(...wrong), name).toBeLessThan(1e-10);
          }
        }
      }),
      { numRuns: 12, seed: 5 },
    );
  });
});

const parameterNames = (trace: { readonly weight: { name: string }; readonly bias?: { name: string } }) =>
  [trace.weight, trace.bias].flatMap((one) => (one ? [one.name] : []));

describe.each([
  { name: 'tiny-bert', prefix: 'bert.', build: builds.BERT, parse: parseBertConfig },
  {
    name: 'tiny-gpt2',
    prefix: 'transformer.',
    build: builds['GPT-2'],
    parse: (raw: Record<string, unknown>): BertConfig => ({ ...(parseGpt2Config(raw) as ModelConfig), types: 1 }),
  },
])('the traces of $name, run by the engine', ({ name, prefix, build, parse }) => {
  const expected = readGolden(name, 'expected.json');
  const config = parse(readGolden(name, 'config.json'));
  const [batch, tokens] = [3, 12];
  const feeds = {
    ids: ids(expected.input_ids),
    mask: Float32Array.from(expected.attention_mask.flat()),
    targets: ids([expected.labels]),
  };

  it('give the gradient norms of the reference and the gradients of batches of one', async () => {
    const weights = await readWeights(name, prefix);
    const { traces, loss } = openRandom(build(config), 'classification', { batch, tokens });
    const numbers = await runWith(siteValues(traces, reduceSum(loss)), { ...weights, ...feeds });
    const one = openRandom(build(config), 'classification', { batch: 1, tokens });
    const slopes = gradients(one.loss, Object.values(one.parameters));
    const named = Object.fromEntries(Object.keys(one.parameters).map((key, i) => [key, slopes[i] as Value]));
    for (const [example, wanted] of expected.gradient_norm_per_example_per_parameter.entries()) {
      const guess = gradientsFromSites(traces, numbers, { batch, example });
      const total = expected.gradient_norm_per_example[example] as number;
      expect(new Set(guess.keys())).toEqual(new Set(Object.keys(wanted).map((key) => key.replace(prefix, ''))));
      const truth = await runWith(named, {
        ...weights,
        ids: ids([expected.input_ids[example]]),
        mask: Float32Array.from(expected.attention_mask[example]),
        targets: ids([[expected.labels[example]]]),
      });
      for (const [full, norm] of Object.entries(wanted as Record<string, number>)) {
        const key = full.replace(prefix, '');
        const own = guess.get(key) as Float64Array;
        // The gradients of key biases are zero up to rounding.
        expect(Math.abs(Math.hypot(...own) - norm) / (norm + 1e-3 * total), full).toBeLessThan(1e-4);
        const wrong = Math.max(...own.map((x, at) => Math.abs(x - Number((truth[key] as TypedArray)[at]))));
        expect(wrong / total, full).toBeLessThan(1e-5);
      }
      expect(Math.hypot(...[...guess.values()].map((own) => Math.hypot(...own))) / total).toBeCloseTo(1, 5);
    }
  });
});

describe('the traces of tiny-gpt2 as a language model', () => {
  it('give the norms of the reference, with both uses of the tied weight', async () => {
    const expected = readGolden('tiny-gpt2', 'expected.json');
    const config = parseGpt2Config(readGolden('tiny-gpt2', 'config.json'));
    const [batch, tokens] = [3, 12];
    const layers = makeLayers((key, shape) => input(key, shape));
    const [tokenIds, mask] = [input('ids', [batch, tokens], 'i64'), input('mask', [batch, tokens])];
    const logits = buildGpt2(config, layers, { ids: tokenIds }, mask).lmLogits();
    const losses = crossEntropy(sliceAxis(logits, 1, 0, tokens - 1), sliceAxis(tokenIds, 1, 1, tokens));
    const counted = sliceAxis(mask, 1, 1, tokens);
    const means = div(reduceSum(mul(losses, counted), [1]), reduceSum(counted, [1]));
    const numbers = await runWith(siteValues(layers.traces, reduceSum(means)), {
      ...(await readWeights('tiny-gpt2', 'transformer.')),
      ids: ids(expected.input_ids),
      mask: Float32Array.from(expected.attention_mask.flat()),
    });
    const tied = layers.traces.filter(({ weight }) => weight.name === 'wte.weight').map(({ kind }) => kind);
    expect(tied).toEqual(['embedding', 'linear']);
    for (let example = 0; example < batch; example++) {
      const guess = gradientsFromSites(layers.traces, numbers, { batch, example });
      const norm = (array: Float64Array | undefined) => Math.hypot(...(array ?? [Number.NaN]));
      expect(norm(guess.get('wte.weight')) / expected.lm_gradient_norm_wte[example]).toBeCloseTo(1, 5);
      const whole = Math.hypot(...[...guess.values()].map(norm));
      expect(whole / expected.lm_gradient_norm_per_example[example]).toBeCloseTo(1, 5);
    }
  });
});

describe('layers', () => {
  it('refuse a parameter of another shape, and more tokens than there are positions', () => {
    const layers = makeLayers((name) => input(name, [2, 3]));
    const x = input('x', [1, 4, 2]);
    expect(() => layers.linear('a', x, { outputs: 5, bias: false })).toThrow(
      'parameter a.weight: expected shape [2,5], got [2,3]',
    );
    expect(() => layers.linear('b', x, { outputs: 2, transposed: true })).toThrow('b.weight: expected shape [2,2]');
    const three = makeLayers((name, shape) => input(name, shape));
    expect(() => three.addPositions('wpe', x, [3, 2])).toThrow("expected at most the model's 3 positions, got 4");
    // A tied weight must have one shape.
    three.embedding('table', input('ids', [1, 4], 'i64'), [9, 2]);
    expect(() => three.linear('head', x, { outputs: 8, weight: 'table.weight', transposed: true })).toThrow(
      'parameter table.weight: expected shape [8,2], got [9,2]',
    );
    expect(three.traces.map(({ kind }) => kind)).toEqual(['embedding']);
  });
});
