// The small model of Fowl et al. (2023): three post-norm blocks with ReLU, a causal language-model loss and a decoder with a bias.
// It has no checkpoint and no tokenizer: it is newly initialized, as a client gets it in the first round.

import { ArgumentError } from '../checks/index.js';
import { constant, input, relu, type Shape, sizeOf, type Value } from '../engine/index.js';
import { fillNormal, type SeededSource } from '../random/index.js';
import { causalMask } from './attention.js';
import { bertBlock, bertBlockLayout } from './bert.js';
import type { ModelConfig } from './config.js';
import { type Layers, makeLayers } from './layers.js';
import {
  blockParameters,
  layoutBlocks,
  linearLayout,
  type ModelLayout,
  parameterNames,
  positionLayout,
  tableLayout,
} from './layout.js';
import type { ModelCore } from './model.js';
import { type ModelParameter, openLayers } from './parameters.js';

/** The published sizes, except for the vocabulary. */
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

const embeddings = {
  words: tableLayout('embeddings.word_embeddings'),
  positions: positionLayout('embeddings.position_embeddings'),
};
const decoder = linearLayout('decoder', { transposed: true });
const blockLayout = (layer: number) => bertBlockLayout(`encoder.layer.${layer}`);

function reluLayout({ layers }: ModelConfig): ModelLayout {
  const blocks = layoutBlocks(layers, blockLayout);
  return {
    embeddings,
    blocks,
    normPlacement: 'post',
    activation: 'relu',
    attention: 'causal',
    decoderBias: decoder.bias,
    losses: ['next'],
    parameterGroups: [
      parameterNames(embeddings.words, embeddings.positions),
      ...blocks.map(blockParameters),
      parameterNames(decoder),
    ],
  };
}

/** A newly initialized model of Fowl et al. (2023), with the published sizes unless others are given. */
export function initializeReluTransformer(source: SeededSource, sizes: Partial<ModelConfig> = {}): ModelCore {
  const config = { ...publishedSizes, ...sizes };
  const parameters = new Map<string, ModelParameter>();
  const initial = makeLayers((name, shape) => {
    const numbers = initialNumbers(source.stream(name), name, shape);
    parameters.set(name, { shape, read: async () => numbers.slice(), constant: () => constant(numbers, shape) });
    return input(name, shape);
  });
  buildLogits(config, initial, input('ids', [1, 1], 'i64'));
  return {
    config,
    rawConfig: { model_type: 'relu-transformer' },
    layout: reluLayout(config),
    parameters,
    build: ({ batch, tokens, trainable: names = [] }) => {
      const { layers, trainable } = openLayers(parameters, names);
      const logits = buildLogits(config, layers, input('ids', [batch, tokens], 'i64'));
      return {
        trainable,
        lmLogits: () => logits,
        classify: () => {
          throw new ArgumentError('the ReLU transformer has no classifier: use the next-token loss');
        },
      };
    },
  };
}

/** [batch, tokens, vocabulary] */
function buildLogits(config: ModelConfig, layers: Layers, ids: Value): Value {
  const { vocabulary, hidden, positions } = config;
  const words = layers.embedding(embeddings.words.name, ids, [vocabulary, hidden]);
  let x = layers.addPositions(embeddings.positions.name, words, [positions, hidden]);
  const hide = causalMask(ids.shape[1] as number);
  for (let layer = 0; layer < config.layers; layer++) x = bertBlock(blockLayout(layer), x, config, layers, hide, relu);
  return layers.linear(decoder.name, x, { outputs: vocabulary, transposed: decoder.transposed });
}

/** Tables and matrices are normal with the usual deviations; norms start as the identity. */
function initialNumbers(source: SeededSource, name: string, shape: Shape): Float32Array {
  const numbers = new Float32Array(sizeOf(shape));
  if (/LayerNorm\.weight$/.test(name)) return numbers.fill(1);
  if (name.endsWith('.bias')) return numbers;
  const standardDeviation = name.startsWith('embeddings.') ? 0.06 : 1 / Math.sqrt(shape[1] as number);
  return fillNormal(source, numbers, { standardDeviation });
}
