// What the span attack reads. Query, key and value maps read the input of a block, so the gradients of their weights lie in the span
// of its inputs. An input of the first block is one vector per token and position, known to everybody who knows the parameters; the
// second block's inputs tell the sentences of a batch apart.

import { ArgumentError } from '../../checks/index.js';
import { adapterNames, type LinearLayout, type Model, type NormLayout, parameterNames } from '../../models/index.js';

type Described = Pick<Model, 'layout'>;

/** The maps that read the input of this layer's attention. */
function inputMaps({ layout }: Described, layer: number): readonly LinearLayout[] {
  const block = layout.blocks[layer];
  if (block === undefined) {
    throw new ArgumentError(
      'the span attack tells the sentences of a batch apart by the second block: expected a model with two, got one',
    );
  }
  return [block.query, block.key, block.value];
}

/** The names of the maps' weights: one name where query, key and value are stored as one matrix. */
export const projectionsOf = (model: Described, layer: number): readonly string[] =>
  parameterNames(...inputMaps(model, layer).map(({ weight }) => ({ weight })));

/** The layer norm between the sum of the embeddings and the first attention. */
export function firstNorm({ layout: { embeddings, blocks } }: Described): NormLayout {
  const norms = [embeddings.norm, blocks[0]?.norms.beforeAttention].filter((norm) => norm !== undefined);
  if (norms.length !== 1) {
    throw new ArgumentError(
      `the span attack needs a model with one norm between the embeddings and the first attention, got ${norms.length}`,
    );
  }
  return norms[0] as NormLayout;
}

/** The first maps (A) of the LoRA adapters that stand beside these maps; none of them need exist. */
const adaptersOf = (maps: readonly LinearLayout[]): LinearLayout[] =>
  [...new Set(maps.map(({ name }) => name))].map((name) => {
    const { a } = adapterNames(name);
    return { name: a, weight: a, bias: '', transposed: true };
  });

/**
 * The maps whose gradients are read where these are shared: the projections, or else the first maps of their adapters. The gradient of A is
 * a product of Bᵀ, the outputs' gradients and the inputs: its rows, as many as the rank, lie in the span of the inputs too.
 */
export function readMaps(model: Described, layer: number, shared?: readonly string[]): readonly LinearLayout[] {
  const maps = inputMaps(model, layer);
  if (shared === undefined || maps.every(({ weight }) => shared.includes(weight))) return maps;
  const adapters = adaptersOf(maps).filter(({ weight }) => shared.includes(weight));
  return adapters.length > 0 ? adapters : maps;
}

/** Names of the parameters whose gradients the attack reads; those of the second block only for batches of several sentences. */
export function spanParameters(
  { model, shared }: { readonly model: Described; readonly shared?: readonly string[] | undefined },
  batchSize = 1,
): readonly string[] {
  const layers = batchSize === 1 ? [0] : [0, 1];
  return layers.flatMap((layer) => [...new Set(readMaps(model, layer, shared).map(({ weight }) => weight))]);
}
