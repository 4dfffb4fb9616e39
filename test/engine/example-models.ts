// Tiny models as graphs: what the engine is for, at sizes that plain loops can follow.

import {
  add,
  affine,
  constant,
  crossEntropy,
  gather,
  gelu,
  layerNorm,
  matMul,
  mul,
  reduceMean,
  reshape,
  sigmoid,
  sliceAxis,
  softmax,
  split,
  squeeze,
  tanh,
  transpose,
  type Value,
  where,
} from '../../src/engine/index.js';
import type { Draw } from './draw.js';

export interface ExampleModel {
  readonly loss: Value;
  /** The input, or what stands for it, and two parameters. */
  readonly chosen: readonly Value[];
}

const sizes = { batch: 2, tokens: 5, hidden: 8, heads: 2, intermediateSize: 12, classes: 3, words: 7 };
const headSize = sizes.hidden / sizes.heads;

const parameter = (draw: Draw, shape: readonly number[]) => draw.numbers(shape, -0.7, 0.7);
const dense = (draw: Draw, x: Value, size: number): Value =>
  affine(x, parameter(draw, [x.shape.at(-1) ?? 0, size]), parameter(draw, [size]));
const normalized = (draw: Draw, x: Value): Value =>
  layerNorm(x, draw.numbers([sizes.hidden], 0.5, 1.5), parameter(draw, [sizes.hidden]));

const toHeads = (x: Value): Value =>
  transpose(reshape(x, [sizes.batch, sizes.tokens, sizes.heads, headSize]), [0, 2, 1, 3]); // [batch, heads, tokens, size]

function attention(draw: Draw, x: Value, masked: (scores: Value) => Value): Value {
  const [query, key, value] = [0, 1, 2].map(() => toHeads(dense(draw, x, sizes.hidden))) as [Value, Value, Value];
  const scores = matMul(query, key, { transposeB: true, scale: 1 / Math.sqrt(headSize) }); // [batch, heads, tokens, tokens]
  const mixed = matMul(softmax(masked(scores)), value);
  return dense(draw, reshape(transpose(mixed, [0, 2, 1, 3]), x.shape), sizes.hidden);
}

const feedForward = (draw: Draw, x: Value, form: 'none' | 'tanh'): Value =>
  dense(draw, gelu(dense(draw, x, sizes.intermediateSize), form), sizes.hidden);

const meanLoss = (logits: Value, draw: Draw): Value =>
  reduceMean(crossEntropy(logits, draw.indices(logits.shape.slice(0, -1), logits.shape.at(-1) ?? 0)));

/** BERT's layer (normalisation after the sum), the last token of the second text masked; the first token is classified. */
export function encoderLayer(draw: Draw): ExampleModel {
  const { batch, tokens, hidden } = sizes;
  const x = draw.numbers([batch, tokens, hidden]);
  const mask = constant([0, 0, 0, 0, 0, 0, 0, 0, 0, -1e4], [batch, 1, 1, tokens]);
  const attended = normalized(
    draw,
    add(
      x,
      attention(draw, x, (scores) => add(scores, mask)),
    ),
  );
  const result = normalized(draw, add(attended, feedForward(draw, attended, 'none')));
  const pooled = squeeze(sliceAxis(result, 1, 0, 1), 1); // [batch, hidden]
  return { loss: meanLoss(dense(draw, pooled, sizes.classes), draw), chosen: chosenOf(draw) };
}

/** GPT-2's layer (normalisation before), no look ahead; words are predicted with the table that embeds them. */
export function causalLayer(draw: Draw): ExampleModel {
  const { batch, tokens, hidden, words } = sizes;
  const positions = draw.numbers([tokens, hidden]);
  const table = parameter(draw, [words, hidden]);
  const seen = constant(
    Uint8Array.from({ length: tokens * tokens }, (_, place) => (place % tokens <= Math.floor(place / tokens) ? 1 : 0)),
    [tokens, tokens],
    'bool',
  );
  const x = add(gather(table, draw.indices([batch, tokens], words)), positions);
  const attended = add(
    x,
    attention(draw, normalized(draw, x), (scores) => where(seen, scores, -1e4)),
  );
  const result = add(attended, feedForward(draw, normalized(draw, attended), 'tanh'));
  return {
    loss: meanLoss(matMul(normalized(draw, result), table, { transposeB: true }), draw),
    chosen: chosenOf(draw),
  };
}

/** An LSTM cell over three steps; the last state is classified. */
export function unrolledLstm(draw: Draw): ExampleModel {
  const [batch, steps, size, hidden] = [2, 3, 4, 3];
  const x = draw.numbers([batch, steps, size]);
  const inputWeight = parameter(draw, [size, 4 * hidden]);
  const stateWeight = parameter(draw, [hidden, 4 * hidden]);
  const bias = parameter(draw, [4 * hidden]);
  let state = draw.numbers([batch, hidden]);
  let cell = draw.numbers([batch, hidden]);
  for (let step = 0; step < steps; step++) {
    const own = squeeze(sliceAxis(x, 1, step, step + 1), 1);
    const gates = add(affine(own, inputWeight, bias), matMul(state, stateWeight));
    const [enter, keep, leave, news] = split(gates, [hidden, hidden, hidden, hidden], -1) as [
      Value,
      Value,
      Value,
      Value,
    ];
    cell = add(mul(sigmoid(keep), cell), mul(sigmoid(enter), tanh(news)));
    state = mul(sigmoid(leave), tanh(cell));
  }
  return { loss: meanLoss(dense(draw, state, sizes.classes), draw), chosen: chosenOf(draw) };
}

const chosenOf = ({ variables }: Draw): readonly Value[] => variables.slice(0, 3);
