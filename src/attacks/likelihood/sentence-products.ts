// What the gradients of many sentences have in common with the shared one: for each sentence s and shared tensor, ⟨G, g(s)⟩ and |g(s)|², from
// which every likelihood follows. No gradient is materialised: products and norms come from what the layers read and wrote, for a whole
// batch of sentences in one pass. The model's weights are constants; the shared gradient is an input.

import {
  compile,
  concat,
  crossEntropy,
  div,
  input,
  mul,
  type Program,
  reduceSum,
  reshape,
  sliceAxis,
  softCrossEntropy,
  type Value,
} from '../../engine/index.js';
import type { Model } from '../../models/index.js';
import { gradientTerms, type ParameterTerms, productsWith, squaredNorms } from '../../training/index.js';
import type { ClientLossName } from '../client-loss.js';
import type { GradientView } from '../view.js';

/** Losses whose gradient an attacker can compute again. */
export type KnownLoss = Exclude<ClientLossName, 'masked'>;

/** Products of one sentence's gradient, one number per tensor. */
export interface Products {
  /** ⟨G, g⟩. */
  readonly shared: Float64Array;
  /** |g|². */
  readonly own: Float64Array;
}

export interface SentenceProducts {
  /** Names of the tensors, in the order of the products. */
  readonly names: readonly string[];
  /** Sentences of equal length, each with this label, if the loss is that of a class. */
  readonly of: (view: GradientView, sentences: readonly (readonly number[])[], label?: number) => Promise<Products[]>;
  readonly close: () => Promise<void>;
}

/** Sentences per pass, and the multiple to which their lengths are rounded up, so that few programs are compiled. */
const [batch, step] = [32, 8];

/** Opens the client's own computation for these shared parameters. */
export function openSentenceProducts(model: Model, names: readonly string[], loss: KnownLoss): SentenceProducts {
  const programs = new Map<string, Promise<Program<'products' | 'squares'>>>();
  const programOf = (rows: number, tokens: number) => {
    const key = `${rows} ${tokens}`;
    const made = programs.get(key) ?? compileProducts(model, names, loss, rows, tokens);
    programs.set(key, made);
    return made;
  };
  return {
    names,
    of: async (view, sentences, label = 0) => {
      const found: Products[] = [];
      const tokens = paddedLength(sentences[0]?.length ?? 1, model.config.positions);
      for (const { some, rows, ids, mask } of sentenceBatches(sentences, tokens)) {
        const program = await programOf(rows, tokens);
        const labels = new BigInt64Array(rows).fill(BigInt(label));
        const feeds = { ...view.gradients, ids, mask, labels, targets: ids };
        const used = Object.fromEntries(Object.entries(feeds).filter(([name]) => name in program.inputs));
        const { products, squares } = await program.run(used);
        for (const row of some.keys()) {
          const column = (values: ArrayLike<number>) =>
            Float64Array.from(names, (_, tensor) => values[tensor * rows + row] as number);
          found.push({ shared: column(products as Float32Array), own: column(squares as Float32Array) });
        }
      }
      return found;
    },
    close: async () => {
      // A graph that failed to compile has been reported where it was needed.
      for (const program of programs.values()) await (await program.catch(() => undefined))?.close();
    },
  };
}

/** The length of a row in a graph. */
export const paddedLength = (tokens: number, positions: number): number =>
  Math.min(positions, Math.ceil(tokens / step) * step);

/** The inputs of each pass: whole batches, fewer rows for few sentences, one by one if there are two or three. Rows without a sentence repeat the first. */
export function* sentenceBatches(sentences: readonly (readonly number[])[], tokens: number) {
  const most = sentences.length < 4 ? 1 : batch;
  for (let start = 0; start < sentences.length; start += most) {
    const some = sentences.slice(start, start + most);
    const rows = some.length === 1 ? 1 : some.length > batch / 4 ? batch : batch / 4;
    const ids = new BigInt64Array(rows * tokens);
    const mask = new Float32Array(rows * tokens);
    for (let row = 0; row < rows; row++) {
      const sentence = some[row] ?? (some[0] as readonly number[]);
      for (const [place, token] of sentence.entries()) ids[row * tokens + place] = BigInt(token);
      mask.fill(1, row * tokens, row * tokens + sentence.length);
    }
    yield { some, rows, ids, mask };
  }
}

/**
 * The loss of each row, [batch], as a client computes it for one sentence. `targets` are the tokens, [batch, tokens], or their shares,
 * [batch, tokens, vocabulary]; the loss of a class has none.
 */
export function sentenceLosses(built: ReturnType<Model['build']>, loss: KnownLoss, targets: Value): Value {
  const [rows, tokens] = targets.shape as [number, number];
  if (loss === 'class') return crossEntropy(built.classify(), input('labels', [rows], 'i64'));
  const compare = targets.shape.length === 3 ? softCrossEntropy : crossEntropy;
  const [logits, wanted, mask] =
    loss === 'all'
      ? [built.lmLogits(), targets, built.mask]
      : [
          sliceAxis(built.lmLogits(), 1, 0, tokens - 1),
          sliceAxis(targets, 1, 1, tokens),
          sliceAxis(built.mask, 1, 1, tokens),
        ];
  return div(reduceSum(mul(compare(logits, wanted), mask), [1]), reduceSum(mask, [1]));
}

/** The terms of the gradients of these parameters, whose values are constants. */
export function termsOf(
  built: ReturnType<Model['build']>,
  losses: Value,
  names: readonly string[],
): readonly ParameterTerms[] {
  const values = new Map<string, Value>();
  for (const trace of built.traces) {
    values.set(trace.weight.name, trace.weight.value);
    if ('bias' in trace && trace.bias !== undefined) values.set(trace.bias.name, trace.bias.value);
  }
  const wanted = names.filter((name) => values.has(name)).map((name) => [name, values.get(name) as Value]);
  return gradientTerms(losses, built.traces, Object.fromEntries(wanted));
}

function compileProducts(
  model: Model,
  names: readonly string[],
  loss: KnownLoss,
  rows: number,
  tokens: number,
): Promise<Program<'products' | 'squares'>> {
  const built = model.build({ batch: rows, tokens });
  // The model has `ids` as an input of its own already.
  const targets = input('targets', [rows, tokens], 'i64');
  const terms = termsOf(built, sentenceLosses(built, loss, targets), names);
  const stacked = (values: readonly Value[]) =>
    concat(
      values.map((value) => reshape(value, [1, rows])),
      0,
    );
  return compile({
    products: stacked(terms.map((one) => productsWith([one], { [one.name]: input(one.name, one.parameter.shape) }))),
    squares: stacked(terms.map((one) => squaredNorms([one]).squares)),
  });
}
