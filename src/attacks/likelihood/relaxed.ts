// The likelihood of sentences whose tokens are not decided: every place has shares of all tokens, and its word embedding is their mixture. The
// nats are those of a gradient of unknown length, J = ⟨G, g⟩|⟨G, g⟩|/(2|g|²) over numbers divided by their noise, of all shared tensors. Their
// slopes along the shares say which tokens would explain the gradient better.

import {
  abs,
  add,
  compile,
  concat,
  div,
  gradients,
  input,
  matMul,
  mul,
  type Program,
  reduceSum,
  reshape,
  square,
  type Value,
} from '../../engine/index.js';
import type { Model } from '../../models/index.js';
import { productsWith, squaredNorms } from '../../training/index.js';
import type { GradientView } from '../view.js';
import { type KnownLoss, sentenceLosses, termsOf } from './sentence-products.js';
import { rounding } from './table-products.js';
import { lengthOf } from './whole.js';

/** Numbers below which J is 0. */
const tiny = 1e-20;

/** Values of the relaxed likelihood: [rows] nats, and their slopes along the shares, [rows, tokens, vocabulary]. */
export interface Relaxed {
  readonly nats: Value;
  readonly slopes: Value;
}

/** Biases and norms hold little of a gradient and many nodes of its graph: they are left out, unless nothing else is shared. */
function relaxedNames({ parameters, layout }: Model, shared: readonly string[]): readonly string[] {
  const matrices = shared.filter((name) => (parameters.get(name)?.shape.length ?? 0) > 1);
  const words = layout.embeddings.words.weight;
  const names = matrices.length > 0 ? matrices : shared;
  // The word table comes last.
  return [...names.filter((name) => name !== words), ...names.filter((name) => name === words)];
}

/** `shares` is [rows, tokens, vocabulary]. The gradients are inputs under the names of their parameters; so are `scales` and `labels`. */
export function relaxedNats(model: Model, shared: readonly string[], loss: KnownLoss, shares: Value): Relaxed {
  const [rows, tokens, vocabulary] = shares.shape as [number, number, number];
  const { hidden } = model.config;
  const words = model.layout.embeddings.words.weight;
  const flat = reshape(shares, [rows * tokens, vocabulary]);
  const table = model.parameters.get(words)?.constant() as Value;
  const mixtures = reshape(matMul(flat, table), [rows, tokens, hidden]);
  const built = model.build({ batch: rows, tokens, from: 'words', words: mixtures });
  const losses = sentenceLosses(built, loss, shares);
  const others = relaxedNames(model, shared).filter((name) => name !== words);
  const terms = termsOf(built, losses, others);
  const products = terms.map((one) => productsWith([one], { [one.name]: input(one.name, one.parameter.shape) }));
  const squares = terms.map((one) => squaredNorms([one]).squares);
  if (shared.includes(words)) {
    // A word's row gets the slope of its place, as far as its share goes; repeated words are left out of the length. Where a
    // language-model head is tied to the table it adds to every row, and what both have in common is left out as well.
    const [slope] = gradients(reduceSum(losses), [built.words]) as [Value];
    const numbers = input(words, [vocabulary, hidden]);
    const expected = reshape(matMul(flat, numbers), [rows, tokens, hidden]);
    const tied = termsOf(built, losses, [words]);
    const sum = (values: readonly Value[]) => values.reduce((all, one) => add(all, one));
    products.push(
      sum([reduceSum(mul(slope, expected), [1, 2]), ...tied.map((one) => productsWith([one], { [words]: numbers }))]),
    );
    squares.push(sum([reduceSum(square(slope), [1, 2]), ...tied.map((one) => squaredNorms([one]).squares)]));
  }
  const stacked = (values: readonly Value[]) =>
    concat(
      values.map((value) => reshape(value, [1, rows])),
      0,
    );
  const weights = square(input('scales', [products.length, 1]));
  const along = reduceSum(mul(stacked(products), weights), [0]);
  const length = reduceSum(mul(stacked(squares), weights), [0]);
  // A gradient that points the other way counts below nothing, so that its slopes lead back.
  const nats = div(mul(along, abs(along)), add(mul(length, 2), tiny));
  return { nats, slopes: gradients(reduceSum(nats), [shares])[0] as Value };
}

export function compileRelaxed(
  model: Model,
  shared: readonly string[],
  loss: KnownLoss,
  rows: number,
  tokens: number,
): Promise<Program<'nats' | 'slopes'>> {
  const shares = input('shares', [rows, tokens, model.config.vocabulary]);
  return compile({ ...relaxedNats(model, shared, loss, shares) });
}

/** What a program of the relaxed likelihood is fed. */
export interface RelaxedFeeds {
  /** Those that the program uses, and these. */
  readonly with: (
    program: Pick<Program, 'inputs'>,
    more: Readonly<Record<string, Float32Array>>,
  ) => Record<string, never>;
}

interface RelaxedShape {
  readonly rows: number;
  /** Places per row, and how many of them are tokens. */
  readonly length: number;
  readonly tokens: number;
  /** The label of each row; the first again for further rows. */
  readonly labels: readonly number[];
}

export function relaxedFeeds(
  model: Model,
  shared: readonly string[],
  view: GradientView,
  { rows, length, tokens, labels }: RelaxedShape,
): RelaxedFeeds {
  const ordered = relaxedNames(model, shared);
  const { gradients: given, noise } = view;
  const exact = rounding * lengthOf(view, ordered);
  const mask = new Float32Array(rows * length);
  for (let row = 0; row < rows; row++) mask.fill(1, row * length, row * length + tokens);
  const feeds = {
    ...given,
    mask,
    labels: BigInt64Array.from({ length: rows }, (_, row) => BigInt(labels[row] ?? labels[0] ?? 0)),
    scales: Float32Array.from(ordered, (name) => 1 / Math.max(noise[name] ?? 0, exact)),
  };
  return {
    with: (program, more) => {
      const all = Object.entries({ ...feeds, ...more }).filter(([name]) => name in program.inputs);
      return Object.fromEntries(all) as Record<string, never>;
    },
  };
}
