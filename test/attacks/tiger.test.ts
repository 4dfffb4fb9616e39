// TIGER: its objective at planted sentences, its gradient against numeric differences in float64, coefficients against their
// definition, recovery on the bundled models without noise, and what it refuses.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openClient } from '../../src/attacks/client.js';
import { type AttackedModel, type GradientView, openAttackedModel } from '../../src/attacks/index.js';
import { projectionsOf } from '../../src/attacks/span/first-block.js';
import { findSubspace } from '../../src/attacks/span/subspace.js';
import { tiger } from '../../src/attacks/tiger/attack.js';
import { readableBlocks } from '../../src/attacks/tiger/blocks.js';
import { solveCoefficients } from '../../src/attacks/tiger/coefficients.js';
import { openWordTable } from '../../src/attacks/tiger/nearest.js';
import {
  blockNames,
  buildObjective,
  compileObjective,
  type ObjectiveProgram,
} from '../../src/attacks/tiger/objective.js';
import { readOptions } from '../../src/checks/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { evaluate } from '../engine/naive/evaluate.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const options = (given: Record<string, unknown> = {}) => readOptions(tiger.options, given);

describe.each(['bert-mini', 'gpt2-mini'])('TIGER on %s', (name) => {
  let model: AttackedModel;
  beforeAll(async () => {
    model = await openAttackedModel(`bundled:${name}`, { numLabels: 2, seed: 1 });
  });
  const shareAll = async (text: string): Promise<{ ids: readonly number[]; view: GradientView }> => {
    const ids = model.tokenizer.encode(text);
    const shared = [0, 1, 2].flatMap((block) => projectionsOf(model, block));
    const client = await openClient({ model, data: { inputIds: [ids], labels: [1] }, shared });
    try {
      const { view } = await client.share([0], { mechanism: 'none' }, seededSource(1));
      return { ids, view };
    } finally {
      await client.close();
    }
  };
  const open = (longest: number, given: Record<string, unknown> = {}) =>
    tiger.open({
      model,
      options: options(given),
      batchSize: 1,
      longest,
      loss: 'class',
      random: seededSource('server'),
    });

  it('recovers a sentence without noise', async () => {
    const attack = await open(12);
    expect(attack.reads).toEqual([0, 1, 2].flatMap((block) => projectionsOf(model, block)));
    expect(attack.about?.lines).toEqual(['It fits the inputs of the first 3 blocks.']);
    const { ids, view } = await shareAll('The letter was lost.');
    const { sentences, confidence } = await attack.run(view);
    const same = ids.filter((token, place) => token === sentences[0]?.[place]).length;
    expect(same / ids.length).toBeGreaterThan(0.7);
    expect(confidence[0]).toHaveLength(ids.length);
    await attack.close();
  });

  it('has the least objective at the true sentence', async () => {
    const { ids, view } = await shareAll('The letter was lost.');
    const tokens = ids.length + 2; // two are padding
    const program = await compileObjective(model, { restarts: 2, tokens, blocks: [0, 1, 2] });
    const { words, close } = await openWordTable(model);
    const { hidden } = model.config;
    const given = await feedsFor(view, ids.length, tokens, program);
    const other = ids.with(2, 700);
    for (const [restart, sentence] of [ids, other].entries())
      for (const [place, token] of sentence.entries())
        given.words?.set(words.subarray(token * hidden, (token + 1) * hidden), (restart * tokens + place) * hidden);
    const { objective } = await runTwice(program, given, tokens);
    const [right, wrong] = objective as unknown as [number, number];
    // The ridge of the coefficients keeps it from being zero.
    expect(right / (3 * ids.length)).toBeLessThan(0.1);
    expect(wrong).toBeGreaterThan(right + 0.3);
    await program.close();
    await close();
  });

  it('refuses in one sentence what it cannot attack', async () => {
    const first = projectionsOf(model, 0)[0] as string;
    const checked =
      (shared: readonly string[] | undefined, batchSize = 1) =>
      () =>
        tiger.check({ model, options: options(), batchSize }, shared);
    expect(checked(undefined)).not.toThrow();
    expect(checked(projectionsOf(model, 0))).not.toThrow();
    expect(checked([])).toThrow(`TIGER reads ${first}, which is not among the shared parameters`);
    expect(checked(undefined, 2)).toThrow('one sentence at a time, got a batch of 2');
    const { view } = await shareAll('Go home now.');
    const attack = await open(4);
    await expect(attack.run(view)).rejects.toThrow('expected a whole number from 1 to 4, got 6');
    const { lengths, ...unknown } = view;
    await expect(attack.run(unknown)).rejects.toThrow('needs the length of the sentence, got none');
    await attack.close();
  });

  it('reads the blocks whose gradients are shared, without the last', () => {
    expect(readableBlocks(model, undefined)).toEqual([0, 1, 2]);
    expect(
      readableBlocks(
        model,
        [0, 2, 3].flatMap((block) => projectionsOf(model, block)),
      ),
    ).toEqual([0, 2]);
    const single = { layout: { ...model.layout, blocks: model.layout.blocks.slice(0, 1) } };
    expect(readableBlocks(single, undefined)).toEqual([0]);
  });

  it('takes each word of the table for its own nearest token, but no special token', async () => {
    const { words, nearest, close } = await openWordTable(model);
    const { hidden } = model.config;
    const row = (token: number) => words.subarray(token * hidden, (token + 1) * hidden);
    const tokens = Array.from({ length: 40 }, (_, i) => 100 + 150 * i);
    expect(await nearest(tokens.map(row))).toEqual(tokens);
    const { start } = model.tokenizer.special;
    expect(await nearest([row(start as number)])).not.toContain(start);
    await close();
  });
});

describe.each(['bert', 'gpt2'] as const)('the objective on tiny %s', (name) => {
  it('has a gradient that agrees with differences in float64', async () => {
    const tiny = await loadModel(await writeTiny(join(root, name), name), { numLabels: 2, newHead: true });
    // The float64 evaluator cannot read files, so that all parameters are inputs here.
    const names = [...tiny.parameters.keys()];
    const model: AttackedModel = {
      ...tiny,
      build: (sizes: Parameters<Model['build']>[0]) => tiny.build({ ...sizes, trainable: names }),
    } as Model;
    const [restarts, tokens, blocks] = [2, 4, [0, 1]];
    const { hidden } = tiny.config;
    const given: Record<string, Float32Array> = {};
    for (const one of names) given[one] = (await tiny.parameters.get(one)?.read()) as Float32Array;
    const draw = (key: string, length: number) =>
      Float32Array.from(fillNormal(seededSource(key), new Float64Array(length)), (x) => 0.3 * x);
    for (const block of blocks) {
      const { basis, coefficients } = blockNames(block);
      given[basis] = draw(basis, tokens * hidden);
      given[coefficients] = draw(coefficients, restarts * tokens * tokens);
    }
    given.mask = Float32Array.from([1, 1, 1, 0, 1, 1, 1, 0]);
    const words = Float64Array.from(draw('words', restarts * tokens * hidden));
    const direction = fillNormal(seededSource('direction'), new Float64Array(words.length));
    const { objective, slopes } = buildObjective(model, { restarts, tokens, blocks });
    const along = (step: number) => Array.from(words, (x, i) => x + step * (direction[i] as number));
    const value = (step: number) => sum(evaluate([objective], { ...given, words: along(step) })[0]?.data ?? []);
    const found = evaluate([slopes], { ...given, words: along(0) })[0]?.data as Float64Array;
    const slope = sum(direction.map((x, i) => x * (found[i] as number)));
    const size = 1e-3;
    const numeric = (value(-2 * size) - 8 * value(-size) + 8 * value(size) - value(2 * size)) / (12 * size);
    expect(slope / numeric).toBeCloseTo(1, 7);
    // Padding has none.
    expect(found.subarray(3 * hidden, 4 * hidden).every((x) => x === 0)).toBe(true);
    const program = await compileObjective(model, { restarts, tokens, blocks });
    const run = await program.run(used(program, { ...given, words: Float32Array.from(words) }));
    const largest = found.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    for (const [i, x] of (run.slopes as Float32Array).entries())
      expect(Math.abs(x - (found[i] as number))).toBeLessThan(1e-4 * largest);
    await program.close();
  });
});

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);

/** Inputs of the objective for one gradient, with words and coefficients of zero. */
async function feedsFor(view: GradientView, length: number, tokens: number, program: ObjectiveProgram) {
  const zeros = Object.entries(program.inputs).map(([name, { shape }]) => [
    name,
    new Float32Array(shape.reduce((size, side) => size * side, 1)),
  ]);
  const given = Object.fromEntries(zeros) as Record<string, Float32Array>;
  given.mask = Float32Array.from({ length: 2 * tokens }, (_, i) => (i % tokens < length ? 1 : 0));
  for (const block of [0, 1, 2])
    given[blockNames(block).basis]?.set((await findSubspace(view, length, true, block)).basis);
  return given;
}

/** The first run gives the products from which the coefficients of the second follow. */
async function runTwice(program: ObjectiveProgram, given: Record<string, Float32Array>, tokens: number) {
  const first = await program.run(used(program, given));
  for (const block of [0, 1, 2]) {
    const { gram, along, coefficients } = blockNames(block);
    const into = given[coefficients] as Float32Array;
    solveCoefficients(first[gram] as Float32Array, first[along] as Float32Array, tokens, into);
  }
  return program.run(used(program, given));
}

const used = (program: ObjectiveProgram, given: Record<string, Float32Array>) =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name in program.inputs));

it('coefficients minimise their squares and the distance to the basis', () => {
  const [tokens, hidden, ridge] = [3, 6, 0.1];
  const draw = (key: string) => fillNormal(seededSource(key), new Float64Array(tokens * hidden));
  const [x, u] = [draw('inputs'), draw('basis')];
  const products = (a: Float64Array, b: Float64Array) =>
    Float32Array.from({ length: tokens * tokens }, (_, i) => {
      const [row, column] = [Math.floor(i / tokens) * hidden, (i % tokens) * hidden];
      return a.subarray(row, row + hidden).reduce((sum, one, k) => sum + one * (b[column + k] as number), 0);
    });
  const a = new Float32Array(2 * tokens * tokens);
  const twice = (one: Float32Array) => Float32Array.from([...one, ...one]);
  solveCoefficients(twice(products(x, x)), twice(products(x, u)), tokens, a);
  const loss = (coefficients: Float32Array) => {
    let sum = 0;
    for (let k = 0; k < tokens; k++) {
      const own = coefficients.subarray(k * tokens, (k + 1) * tokens);
      for (let i = 0; i < hidden; i++) {
        const made = own.reduce((total, share, p) => total + share * (x[p * hidden + i] as number), 0);
        sum += ((u[k * hidden + i] as number) - made) ** 2;
      }
      sum += ridge * own.reduce((total, share) => total + share * share, 0);
    }
    return sum;
  };
  const best = a.slice(0, tokens * tokens);
  for (let i = 0; i < best.length; i++)
    for (const step of [-0.01, 0.01])
      expect(loss(best.with(i, (best[i] as number) + step))).toBeGreaterThan(loss(best));
  expect(a.slice(tokens * tokens)).toEqual(best);
});
