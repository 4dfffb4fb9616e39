// Where a transformer keeps what the malicious server sets: the names that differ between models, and nothing else.

import { ArgumentError } from '../../checks/index.js';
import type { BuildOptions, BuiltModel, Model } from '../../models/index.js';

/** What the attack needs of a model: the shape, the parameters and the graph. */
export interface Target extends Pick<Model, 'config' | 'rawConfig' | 'parameters'> {
  readonly build: (options: BuildOptions) => Pick<BuiltModel, 'lmLogits' | 'classify' | 'trainable'>;
}

/** A linear map inside a stored matrix: GPT-2 keeps query, key and value side by side. */
export interface Dense {
  readonly weight: string;
  readonly bias: string;
  /** The matrix is stored as [outputs, inputs]. */
  readonly transposed: boolean;
  /** Which third of the stored outputs, where they are shared. */
  readonly third?: 0 | 1 | 2;
}

export interface Block {
  readonly query: Dense;
  readonly key: Dense;
  readonly value: Dense;
  /** After the heads. */
  readonly output: Dense;
  /** The layer norm whose result the feed-forward reads. */
  readonly norm: string;
  readonly first: Dense;
  readonly second: Dense;
}

export interface Layout {
  readonly words: string;
  readonly positions: string;
  /** A table whose first row is added to every token. */
  readonly types?: string;
  /** Of the logits of tokens. */
  readonly decoderBias?: string;
  /** Layer norms outside `Block.norm` that lie before the last feed-forward. */
  readonly norms: (layers: number) => string[];
  /** The embeddings are normalised before the first block, or inside it before attention, or not at all. */
  readonly normalised: 'embeddings' | 'attention' | 'no';
  /** Tokens see those after them too. */
  readonly bidirectional: boolean;
  /** Of the feed-forwards. */
  readonly activation: 'relu' | 'gelu';
  readonly block: (layer: number) => Block;
}

function bertBlock(layer: number): Block {
  const name = `encoder.layer.${layer}`;
  const dense = (part: string): Dense => ({
    weight: `${name}.${part}.weight`,
    bias: `${name}.${part}.bias`,
    transposed: true,
  });
  return {
    query: dense('attention.self.query'),
    key: dense('attention.self.key'),
    value: dense('attention.self.value'),
    output: dense('attention.output.dense'),
    norm: `${name}.attention.output.LayerNorm`,
    first: dense('intermediate.dense'),
    second: dense('output.dense'),
  };
}

function gpt2Block(layer: number): Block {
  const dense = (part: string, third?: 0 | 1 | 2): Dense => ({
    weight: `h.${layer}.${part}.weight`,
    bias: `h.${layer}.${part}.bias`,
    transposed: false,
    ...(third === undefined ? {} : { third }),
  });
  return {
    query: dense('attn.c_attn', 0),
    key: dense('attn.c_attn', 1),
    value: dense('attn.c_attn', 2),
    output: dense('attn.c_proj'),
    norm: `h.${layer}.ln_2`,
    first: dense('mlp.c_fc'),
    second: dense('mlp.c_proj'),
  };
}

const each = (layers: number, name: (layer: number) => string): string[] =>
  Array.from({ length: layers }, (_, layer) => name(layer));
const bertNorms = (layers: number) => each(layers, (layer) => `encoder.layer.${layer}.output.LayerNorm`);

const layouts = {
  bert: {
    words: 'embeddings.word_embeddings.weight',
    positions: 'embeddings.position_embeddings.weight',
    types: 'embeddings.token_type_embeddings.weight',
    decoderBias: 'cls.predictions.bias',
    norms: (layers) => ['embeddings.LayerNorm', ...bertNorms(layers)],
    normalised: 'embeddings',
    bidirectional: true,
    activation: 'gelu',
    block: bertBlock,
  },
  gpt2: {
    words: 'wte.weight',
    positions: 'wpe.weight',
    norms: (layers) => each(layers, (layer) => `h.${layer}.ln_1`),
    normalised: 'attention',
    bidirectional: false,
    activation: 'gelu',
    block: gpt2Block,
  },
  'relu-transformer': {
    words: 'embeddings.word_embeddings.weight',
    positions: 'embeddings.position_embeddings.weight',
    decoderBias: 'decoder.bias',
    norms: bertNorms,
    normalised: 'no',
    bidirectional: false,
    activation: 'relu',
    block: bertBlock,
  },
} satisfies Readonly<Record<string, Layout>>;

export type ModelType = keyof typeof layouts;

export function modelType({ rawConfig }: Pick<Target, 'rawConfig'>): ModelType {
  const type = `${rawConfig.model_type}`;
  if (!Object.hasOwn(layouts, type)) {
    throw new ArgumentError(`decepticons knows ${Object.keys(layouts).join(', ')}, got ${type}`);
  }
  return type as ModelType;
}

export const layoutOf = (target: Pick<Target, 'rawConfig'>): Layout => layouts[modelType(target)];
