// The small model of Fowl et al. (2023): three post-norm blocks with ReLU, a causal language-model loss and a decoder with a bias,
// drawn at random, as a client gets it in the first round.

import { ArgumentError } from '../../checks/index.js';
import { add, constant, input, relu, type Shape, sizeOf, type Value } from '../../engine/index.js';
import { attend, type Layers, type ModelConfig, type ModelParameter, makeLayers } from '../../models/index.js';
import { fillNormal, type SeededSource } from '../../random/index.js';
import type { Target } from './layout.js';

/** The published sizes, but for the vocabulary. */
const publishedSizes: ModelConfig = {
  vocabulary: 8000,
  hidden: 96,
  layers: 3,
  heads: 8,
  intermediateSize: 1536,
  positions: 32,
  epsilon: 1e-5,
  numLabels: 2,
};

export function drawReluTransformer(source: SeededSource, sizes: Partial<ModelConfig> = {}): Target {
  const config = { ...publishedSizes, ...sizes };
  const parameters = new Map<string, ModelParameter>();
  const shapes = makeLayers((name, shape) => {
    const numbers = drawNumbers(source.stream(name), name, shape);
    parameters.set(name, { shape, read: async () => numbers.slice(), constant: () => constant(numbers, shape) });
    return input(name, shape);
  });
  buildLogits(config, shapes, input('ids', [1, 1], 'i64'));
  return {
    config,
    rawConfig: { model_type: 'relu-transformer' },
    parameters,
    build: ({ batch, tokens, trainable: names = [] }) => {
      const wanted = new Set(names);
      const trained: Record<string, Value> = {};
      const layers = makeLayers((name, shape) => {
        if (!wanted.has(name)) return (parameters.get(name) as ModelParameter).constant();
        trained[name] = input(name, shape);
        return trained[name];
      });
      const logits = buildLogits(config, layers, input('ids', [batch, tokens], 'i64'));
      return {
        trainable: trained,
        lmLogits: () => logits,
        classify: () => {
          throw new ArgumentError('the ReLU transformer has no classifier: use the loss of the next token');
        },
      };
    },
  };
}

/** [batch, tokens, vocabulary] */
function buildLogits(config: ModelConfig, layers: Layers, ids: Value): Value {
  const { vocabulary, hidden, heads, intermediateSize: inner, positions, epsilon } = config;
  const dense = (name: string, from: Value, outputs: number) =>
    layers.linear(name, from, { outputs, transposed: true });
  const words = layers.embedding('embeddings.word_embeddings', ids, [vocabulary, hidden]);
  let x = layers.addPositions('embeddings.position_embeddings', words, [positions, hidden]);
  const hide = laterHidden(ids.shape[1] as number);
  for (let layer = 0; layer < config.layers; layer++) {
    const name = `encoder.layer.${layer}`;
    const [query, key, value] = ['query', 'key', 'value'].map((part) =>
      dense(`${name}.attention.self.${part}`, x, hidden),
    ) as [Value, Value, Value];
    const context = dense(`${name}.attention.output.dense`, attend(query, key, value, heads, hide), hidden);
    x = layers.norm(`${name}.attention.output.LayerNorm`, add(x, context), epsilon);
    const lifted = relu(dense(`${name}.intermediate.dense`, x, inner));
    x = layers.norm(`${name}.output.LayerNorm`, add(x, dense(`${name}.output.dense`, lifted, hidden)), epsilon);
  }
  return dense('decoder', x, vocabulary);
}

const laterHidden = (tokens: number): Value =>
  constant(
    Float32Array.from({ length: tokens * tokens }, (_, i) => (i % tokens > Math.floor(i / tokens) ? -1e9 : 0)),
    [1, 1, tokens, tokens],
  );

/** Tables and matrices as such models are usually started; norms that do nothing yet. */
function drawNumbers(source: SeededSource, name: string, shape: Shape): Float32Array {
  const numbers = new Float32Array(sizeOf(shape));
  if (/LayerNorm\.weight$/.test(name)) return numbers.fill(1);
  if (name.endsWith('.bias')) return numbers;
  const standardDeviation = name.startsWith('embeddings.') ? 0.06 : 1 / Math.sqrt(shape[1] as number);
  return fillNormal(source, numbers, { standardDeviation });
}
