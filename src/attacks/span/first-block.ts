// Where a model's first attention block reads its input from: one vector for each token and position, known to everybody who
// knows the parameters. What differs between models stands here.

import { ArgumentError } from '../../math/index.js';
import type { GradientView } from '../view.js';

interface FirstBlock {
  /** The projections of the block's input; their weights are [outputs, inputs] when `transposed`. */
  readonly projections: readonly string[];
  readonly transposed: boolean;
  readonly words: string;
  readonly positions: string;
  /** A table whose first row is added to every token. */
  readonly types?: string;
  /** The layer norm that makes the input. */
  readonly norm: string;
}

const blocks: Readonly<Record<string, FirstBlock>> = {
  bert: {
    projections: ['query', 'key', 'value'].map((part) => `encoder.layer.0.attention.self.${part}.weight`),
    transposed: true,
    words: 'embeddings.word_embeddings.weight',
    positions: 'embeddings.position_embeddings.weight',
    types: 'embeddings.token_type_embeddings.weight',
    norm: 'embeddings.LayerNorm',
  },
  gpt2: {
    projections: ['h.0.attn.c_attn.weight'],
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

/** The names of the gradients that the attack reads. */
export const spanParameters = (view: Pick<GradientView, 'model'>): readonly string[] => firstBlockOf(view).projections;

export async function readParameter(
  view: Pick<GradientView, 'model' | 'parameters'>,
  name: string,
): Promise<Float32Array> {
  const known = view.parameters[name] ?? (await view.model.parameters.get(name)?.read());
  if (known === undefined) throw new ArgumentError(`the model has no parameter ${name}`);
  return known;
}
