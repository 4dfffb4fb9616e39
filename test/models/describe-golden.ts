// Checks a model against its float64 reference in test/golden (origin inside): values, gradients, gradient
// matching.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import {
  add,
  compile,
  crossEntropy,
  div,
  gradients,
  input,
  mul,
  reduceL2,
  reduceMean,
  reduceSum,
  square,
  sub,
  type TypedArray,
  type Value,
} from '../../src/engine/index.js';
import { findTensor, openCheckpoint, type ParameterOf, readStored, type StoredTensor } from '../../src/models/index.js';

export interface GoldenModel {
  /** Folder in test/golden. */
  readonly name: string;
  readonly prefix: string;
  readonly hidden: number;
  readonly build: (
    parameter: ParameterOf,
    source: { readonly ids: Value } | { readonly words: Value },
    mask: Value,
  ) => { readonly words: Value; readonly states: Value; readonly logits: Value; readonly pooled?: Value };
}

const goldenFolder = (name: string) => join(import.meta.dirname, '..', 'golden', name);
export const readGolden = (name: string, file: string) =>
  JSON.parse(readFileSync(join(goldenFolder(name), file), 'utf8'));

export async function readWeights(name: string, prefix: string): Promise<Record<string, Float32Array>> {
  const weights: Record<string, Float32Array> = {};
  const checkpoint = await openCheckpoint(goldenFolder(name));
  for (const [full, { shape }] of checkpoint.tensors) {
    const bare = full.startsWith(prefix) ? full.slice(prefix.length) : full;
    weights[bare] = await readStored(findTensor(checkpoint, bare, prefix) as StoredTensor, shape);
  }
  return weights;
}

export const ids = (rows: number[][]) => BigInt64Array.from(rows.flat(), BigInt);

export async function runWith(outputs: Record<string, Value>, feeds: Record<string, TypedArray>) {
  const program = await compile(outputs);
  try {
    const wanted = Object.keys(program.inputs).map((name) => [name, feeds[name] as TypedArray]);
    return await program.run(Object.fromEntries(wanted));
  } finally {
    await program.close();
  }
}

/** Largest difference, over the largest number expected. */
export function expectNear(actual: TypedArray | undefined, numbers: readonly number[], tolerance: number) {
  expect(actual?.length).toBe(numbers.length);
  const scale = Math.max(...numbers.map(Math.abs));
  const error = Math.max(...numbers.map((number, i) => Math.abs(number - Number(actual?.[i]))));
  expect(error / scale).toBeLessThan(tolerance);
}

export function describeGoldenModel({ name: model, prefix, hidden, build: buildModel }: GoldenModel) {
  const expected = readGolden(model, 'expected.json');
  let weights: Record<string, Float32Array> = {};
  beforeAll(async () => {
    weights = await readWeights(model, prefix);
  });
  const run = (outputs: Record<string, Value>, feeds: Record<string, TypedArray>) =>
    runWith(outputs, { ...weights, ...feeds });

  /** The model over its parameters as inputs. */
  function build(batch: number, tokens: number, from: 'ids' | 'words' = 'ids') {
    const parameters: Record<string, Value> = {};
    const parameter = (name: string, shape: readonly number[]) => {
      parameters[name] ??= input(name, shape);
      return parameters[name];
    };
    const source =
      from === 'ids'
        ? { ids: input('ids', [batch, tokens], 'i64') }
        : { words: input('words', [batch, tokens, hidden]) };
    const built = buildModel(parameter, source, input('mask', [batch, tokens]));
    const losses = crossEntropy(built.logits, input('labels', [batch], 'i64'));
    return { ...built, losses, parameters };
  }

  const whole = {
    ids: ids(expected.input_ids),
    mask: Float32Array.from(expected.attention_mask.flat()),
    labels: ids([expected.labels]),
  };

  it('gives the hidden states, pooled vectors, logits and losses of the reference', async () => {
    const { states, pooled, logits, losses } = build(3, 12);
    const result = await run({ states, logits, losses, ...(pooled && { pooled }) }, whole);
    const second = (result.states as Float32Array).subarray(12 * hidden, (12 + 7) * hidden);
    expectNear(second, expected.last_hidden_state_example1_real_tokens, 1e-5);
    if (pooled) expectNear(result.pooled, expected.pooled, 1e-5);
    expectNear(result.logits, expected.logits, 1e-5);
    expectNear(result.losses, expected.loss_per_example, 1e-5);
  });

  it('gives the mean gradients of the reference', async () => {
    const { losses, parameters } = build(3, 12);
    const names = Object.keys(expected.mean_loss_gradient);
    const values = names.map((name) => parameters[name.replace(prefix, '')] as Value);
    const slopes = gradients(reduceMean(losses), values);
    const result = await run(Object.fromEntries(slopes.map((slope, i) => [names[i], slope])), whole);
    for (const name of names) expectNear(result[name], expected.mean_loss_gradient[name], 1e-5);
  });

  it('gives the gradient norm of every example and parameter, by batches of one', async () => {
    const { losses, parameters } = build(1, 12);
    const names = Object.keys(parameters);
    const slopes = gradients(losses, Object.values(parameters));
    const norms = Object.fromEntries(slopes.map((slope, i) => [names[i], reduceL2(slope)]));
    for (const [example, wanted] of expected.gradient_norm_per_example_per_parameter.entries()) {
      const result = await run(norms, {
        ids: ids([expected.input_ids[example]]),
        mask: Float32Array.from(expected.attention_mask[example]),
        labels: ids([[expected.labels[example]]]),
      });
      const total = expected.gradient_norm_per_example[example] as number;
      for (const [name, norm] of Object.entries(wanted as Record<string, number>)) {
        // The gradients of key biases are zero up to rounding.
        expect(
          Math.abs(Number(result[name.replace(prefix, '')]?.[0]) - norm) / (norm + 1e-3 * total),
          name,
        ).toBeLessThan(1e-4);
      }
    }
  });

  it('gives the losses of gradient matching and their gradients', async () => {
    const { example, candidate_embeddings: candidate, ...matching } = expected.gradient_matching;
    const real = expected.attention_mask[example].reduce((sum: number, bit: number) => sum + bit, 0);
    const feeds = { mask: new Float32Array(real).fill(1), labels: ids([[expected.labels[example]]]) };
    const truth = build(1, real);
    const targetOf = (name: string) => truth.parameters[name.replace(prefix, '')] as Value;
    const names: string[] = matching.parameters;
    const trueSlopes = gradients(truth.losses, names.map(targetOf));
    const targets = await run(Object.fromEntries(trueSlopes.map((slope, i) => [`target ${names[i]}`, slope])), {
      ...feeds,
      ids: ids([expected.input_ids[example].slice(0, real)]),
    });

    const guess = build(1, real, 'words');
    const slopes = gradients(
      guess.losses,
      names.map((name) => guess.parameters[name.replace(prefix, '')] as Value),
    );
    const pairs = names.map((name, i) => {
      const slope = slopes[i] as Value;
      return { name, slope, target: input(`target ${name}`, slope.shape) };
    });
    const cosines = pairs
      .filter(({ name }) => matching.parameters_in_cosine.includes(name))
      .map(({ slope, target }) => sub(1, div(reduceSum(mul(slope, target)), mul(reduceL2(slope), reduceL2(target)))));
    const cosineLoss = mul(
      cosines.reduce((a, b) => add(a, b)),
      1 / cosines.length,
    );
    const squaredLoss = pairs
      .map(({ slope, target }) => reduceSum(square(sub(slope, target))))
      .reduce((a, b) => add(a, b));
    const words = guess.words;
    const result = await run(
      {
        cosineLoss,
        squaredLoss,
        cosineSlope: gradients(cosineLoss, [words])[0] as Value,
        squaredSlope: gradients(squaredLoss, [words])[0] as Value,
      },
      { ...feeds, ...targets, words: Float32Array.from(candidate) },
    );
    expectNear(result.cosineLoss, [matching.cosine_loss], 1e-4);
    expectNear(result.squaredLoss, [matching.squared_loss], 1e-4);
    expectNear(result.cosineSlope, matching.cosine_loss_gradient, 1e-4);
    expectNear(result.squaredSlope, matching.squared_loss_gradient, 1e-4);
  });
}
