// TIGER's objective over continuous word embeddings, for several restarts at once. With the unit inputs x_p of a block, the basis u_k
// of its gradient's subspace and the projection P on it, each block adds
//   Σ_p ‖x_p − P x_p‖² + Σ_k ‖u_k − Σ_p a_kp x_p‖²:
// inputs lie in the subspace, and the inputs together span it. Without the second sum, all tokens would settle on the same few words.
// The best coefficients a are solved for outside of the graph (coefficients.ts); at the best ones, the gradient is as if they were
// constant.

import { ArgumentError } from '../../checks/index.js';
import {
  add,
  compile,
  div,
  gradients,
  input,
  matMul,
  mul,
  type Program,
  reduceSum,
  reshape,
  sqrt,
  square,
  sub,
  unsqueeze,
  type Value,
} from '../../engine/index.js';
import { type AttackedModel, wholeModel } from '../model.js';
import { projectionsOf } from '../span/first-block.js';

export interface ObjectiveSizes {
  readonly restarts: number;
  /** Tokens of a sentence with padding, which is also the number of basis vectors; those beyond the rank are zero. */
  readonly tokens: number;
  /** Numbers of the blocks that are read. */
  readonly blocks: readonly number[];
}

/** Names of the inputs and outputs that belong to one block. */
export const blockNames = (block: number) => ({
  /** Input [tokens, hidden]: vectors of the subspace. */
  basis: `basis ${block}`,
  /** Input [restarts, tokens, tokens]: how each basis vector is made of the tokens' inputs. */
  coefficients: `coefficients ${block}`,
  /** Output [restarts, tokens, tokens]: products of the unit inputs with each other. */
  gram: `gram ${block}`,
  /** Output [restarts, tokens, tokens]: products of the unit inputs with the basis. */
  along: `along ${block}`,
});

/** Its inputs are `words` [restarts, tokens, hidden], `mask` and those of each block. */
export type ObjectiveProgram = Program<string>;

export const compileObjective = async (model: AttackedModel, sizes: ObjectiveSizes): Promise<ObjectiveProgram> =>
  compile(buildObjective(model, sizes));

/** The `objective` of each restart, its `slopes` by the words, and what each block gives. */
export function buildObjective(model: AttackedModel, { restarts, tokens, blocks }: ObjectiveSizes) {
  const { hidden } = model.config;
  const { traces, words, mask } = wholeModel(model).build({ batch: restarts, tokens, from: 'words' });
  const products: Record<string, Value> = {};
  const distances = blocks.map((block) => {
    const names = blockNames(block);
    const [projection] = projectionsOf(model, block);
    const trace = traces.find(({ kind, weight }) => kind === 'linear' && weight.name === projection);
    if (trace?.kind !== 'linear') throw new ArgumentError(`the model has no parameter ${projection}`);
    const basis = input(names.basis, [tokens, hidden]);
    const coefficients = input(names.coefficients, [restarts, tokens, tokens]);
    const lengths = sqrt(reduceSum(square(trace.input), [2]));
    const units = mul(div(trace.input, unsqueeze(lengths, 2)), unsqueeze(mask, 2)); // [restarts, tokens, hidden]
    const along = matMul(units, basis, { transposeB: true });
    products[names.gram] = matMul(units, units, { transposeB: true });
    products[names.along] = along;
    const outside = sub(reduceSum(square(units), [1, 2]), reduceSum(square(along), [1, 2]));
    const missing = sub(reshape(basis, [1, tokens, hidden]), matMul(coefficients, units));
    return add(outside, reduceSum(square(missing), [1, 2])); // [restarts]
  });
  const objective = distances.reduce((sum, one) => add(sum, one));
  const [slopes] = gradients(reduceSum(objective, [0]), [words]) as [Value];
  return { ...products, objective, slopes };
}
