// The pretraining task of gpt2-mini: predicting the next token.

import { compile, constant, crossEntropy, input, type Program, reduceMean } from '../../src/engine/index.js';
import { buildGpt2, makeLayers, parseGpt2Config } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import type { Prepared } from './prepare.js';
import { clippedGradients, makeStore, type Task } from './task.js';
import { bigints, drawWindows } from './windows.js';

const positions = 256;
const windowTokens = 2048;

export async function causalTask({ tokenizer, train, heldOut }: Prepared): Promise<Task> {
  const config = {
    architectures: ['GPT2LMHeadModel'],
    model_type: 'gpt2',
    activation_function: 'gelu_new',
    vocab_size: tokenizer.size,
    n_embd: 256,
    n_layer: 4,
    n_head: 4,
    n_inner: 1024,
    n_positions: positions,
    layer_norm_epsilon: 1e-5,
    bos_token_id: tokenizer.special.start,
    eos_token_id: tokenizer.special.end,
    pad_token_id: tokenizer.special.padding,
    tie_word_embeddings: true,
  };
  const sizes = parseGpt2Config(config);
  const store = makeStore('gpt2-mini');
  const loss = (batch: number, tokens: number) => {
    const ids = input('ids', [batch, tokens], 'i64');
    const targets = input('targets', [batch, tokens], 'i64');
    const mask = constant(new Float32Array(batch * tokens).fill(1), [batch, tokens]);
    const graph = buildGpt2(sizes, makeLayers(store.parameterOf), { ids }, mask);
    return reduceMean(crossEntropy(graph.lmLogits(), targets));
  };
  const programs = new Map<number, Program>();
  for (const tokens of [128, 256]) {
    const value = loss(windowTokens / tokens, tokens);
    programs.set(tokens, await compile<string>({ loss: value, ...clippedGradients(value, store.values) }));
  }
  const evaluation = await compile({ loss: loss(16, 128) });
  const gradientArrays = Object.fromEntries(
    Object.entries(store.arrays).map(([name, { length }]) => [name, new Float32Array(length)]),
  );
  const feeds = (rows: number[][]) => ({
    ids: bigints(rows.flatMap((row) => row.slice(0, -1))),
    targets: bigints(rows.flatMap((row) => row.slice(1))),
  });

  return {
    parameters: store.arrays,
    shapes: store.shapes,
    tokensPerStep: windowTokens,
    config,
    scaffolding: [],
    compute: async (step) => {
      const tokens = step % 4 === 3 ? 256 : 128;
      const random = seededSource('gpt2-mini').stream(`step ${step}`);
      const rows = drawWindows(train, windowTokens / tokens, tokens + 1, random);
      const result = await (programs.get(tokens) as Program).run({ ...store.arrays, ...feeds(rows) }, gradientArrays);
      return { loss: Number(result.loss?.[0]), gradients: gradientArrays };
    },
    measure: async () => {
      const random = seededSource('gpt2-mini').stream('held out');
      let sum = 0;
      for (let i = 0; i < 16; i++) {
        const rows = drawWindows(heldOut, 16, 129, random);
        sum += Number((await evaluation.run({ ...store.arrays, ...feeds(rows) })).loss[0]);
      }
      return { heldOutLoss: sum / 16, heldOutPerplexity: Math.exp(sum / 16) };
    },
  };
}
