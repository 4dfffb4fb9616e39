// How much of each token's input to the second block lies in the span that this block's gradient shows. That input depends on the
// whole sentence, so it tells which tokens belong together.

import { ArgumentError } from '../../checks/index.js';
import { compile, div, input, matMul, type Program, reduceSum, square, type Value } from '../../engine/index.js';
import { wholeModel } from '../model.js';
import type { GradientView } from '../view.js';
import { projectionsOf } from './first-block.js';
import type { Subspace } from './subspace.js';

type Weighted = Pick<Subspace, 'basis' | 'weights'>;

/** Scores whole sentences against the span of the second block; close it when done. */
export interface SecondInputs {
  /** For each sentence, how much of each token's unit input the weighted basis explains, or another measure of the fit. */
  readonly scoreTokens: (sentences: readonly (readonly number[])[], span: Weighted) => Promise<Float32Array[]>;
  readonly close: () => Promise<void>;
}

/** Sentences per run, and the multiple to which numbers of tokens and vectors are rounded up. */
const [batch, step] = [16, 8];
const roundUp = (count: number): number => Math.ceil(count / step) * step;

/** A measure of how well inputs [batch, tokens, hidden] fit a basis [count, hidden]: [batch, tokens]. */
export type SpanMeasure = (inputs: Value, basis: Value) => Value;

/** How much of each input's squared length the basis explains. */
const explained: SpanMeasure = (inputs, basis) =>
  div(reduceSum(square(matMul(inputs, basis, { transposeB: true })), [2]), reduceSum(square(inputs), [2]));

/** Prepares the second block of a model, to tell the sentences of a batch apart. */
export function openSecondInputs(
  view: Pick<GradientView, 'model' | 'parameters'>,
  measure: SpanMeasure = explained,
): SecondInputs {
  const { hidden, positions } = view.model.config;
  const programs = new Map<string, Promise<Program<'scores'>>>();
  return {
    scoreTokens: async (sentences, { basis, weights }) => {
      const longest = sentences.reduce((most, { length }) => Math.max(most, length), 1);
      const tokens = Math.min(positions, roundUp(longest));
      const count = roundUp(weights.length);
      const key = `${tokens} ${count}`;
      const program = await (programs.get(key) ?? compileScores(view, tokens, count, measure));
      programs.set(key, Promise.resolve(program));
      const vectors = new Float32Array(count * hidden);
      for (const [k, weight] of weights.entries())
        for (let i = k * hidden; i < (k + 1) * hidden; i++) vectors[i] = (basis[i] as number) * Math.sqrt(weight);
      const parameters = Object.entries(view.parameters).filter(([name]) => name in program.inputs);
      const scores: Float32Array[] = [];
      for (let start = 0; start < sentences.length; start += batch) {
        const some = sentences.slice(start, start + batch);
        const ids = new BigInt64Array(batch * tokens);
        const mask = new Float32Array(batch * tokens);
        for (const [row, sentence] of some.entries()) {
          ids.set(sentence.map(BigInt), row * tokens);
          mask.fill(1, row * tokens, row * tokens + sentence.length);
        }
        // Rows without a sentence attend to their first token only.
        for (let row = some.length; row < batch; row++) mask[row * tokens] = 1;
        const used = Object.fromEntries(Object.entries({ ids, mask }).filter(([name]) => name in program.inputs));
        const result = await program.run({ ...Object.fromEntries(parameters), ...used, vectors });
        const all = result.scores as Float32Array;
        for (const [row, { length }] of some.entries()) scores.push(all.slice(row * tokens, row * tokens + length));
      }
      return scores;
    },
    close: async () => {
      for (const program of programs.values()) await (await program).close();
    },
  };
}

function compileScores(
  view: Pick<GradientView, 'model' | 'parameters'>,
  tokens: number,
  count: number,
  measure: SpanMeasure,
) {
  const { model, parameters } = view;
  const [projection] = projectionsOf(model, 1);
  const trainable = Object.keys(parameters).filter((name) => model.parameters.has(name));
  const { traces } = wholeModel(model).build({ batch, tokens, trainable });
  const second = traces.find(({ kind, weight }) => kind === 'linear' && weight.name === projection);
  if (second?.kind !== 'linear') throw new ArgumentError(`the model has no parameter ${projection}`);
  return compile({ scores: measure(second.input, input('vectors', [count, model.config.hidden])) });
}
