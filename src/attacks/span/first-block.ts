// Where a model's first attention block reads its input from: one vector for each token and position, known to everybody who
// knows the parameters; and what the second block reads, by which sentences of a batch are told apart. What differs between models
// stands here.

import { ArgumentError } from '../../checks/index.js';
import type { GradientView } from '../view.js';

interface FirstBlock {
  /** The projections of the block's input; their weights are [outputs, inputs] when `transposed`. */
  readonly projections: readonly string[];
  /** The same of the second block. */
  readonly next: readonly string[];
  readonly transposed: boolean;
  readonly words: string;
  readonly positions: string;
  /** A table whose first row is added to every token. */
  readonly types?: string;
  /** The layer norm that makes the input. */
  readonly norm: string;
}

const bertProjections = (layer: number): string[] =>
  ['query', 'key', 'value'].map((part) => `encoder.layer.${layer}.attention.self.${part}.weight`);

const blocks: Readonly<Record<string, FirstBlock>> = {
  bert: {
    projections: bertProjections(0),
    next: bertProjections(1),
    transposed: true,
    words: 'embeddings.word_embeddings.weight',
    positions: 'embeddings.position_embeddings.weight',
    types: 'embeddings.token_type_embeddings.weight',
    norm: 'embeddings.LayerNorm',
  },
  gpt2: {
    projections: ['h.0.attn.c_attn.weight'],
    next: ['h.1.attn.c_attn.weight'],
    transposed: false,
    words: 'wte.weight',
    positions: 'wpe.weight',
    norm: 'h.0.ln_1',
  },
};

export function firstBlockOf({ model }: Pick<GradientView, 'model'>): FirstBlock {
  const type = `${model.rawConfig.model_type}`;
  const block = blocks[type];
  if (block === undefined) {
    throw new ArgumentError(`the span attack knows ${Object.keys(blocks).join(' and ')}, got ${type}`);
  }
  return block;
}

/** The names of the gradients that the attack reads; those of the second block only for several sentences at once. */
export function spanParameters(view: Pick<GradientView, 'model'>, batchSize = 1): readonly string[] {
  const { projections, next } = firstBlockOf(view);
  if (batchSize === 1) return projections;
  if (view.model.config.layers < 2) {
    throw new ArgumentError(
      'the span attack tells sentences of a batch apart by the second block, and the model has one',
    );
  }
  return [...projections, ...next];
}

export async function readParameter(
  view: Pick<GradientView, 'model' | 'parameters'>,
  name: string,
): Promise<Float32Array> {
  const known = view.parameters[name] ?? (await view.model.parameters.get(name)?.read());
  if (known === undefined) throw new ArgumentError(`the model has no parameter ${name}`);
  return known;
}
