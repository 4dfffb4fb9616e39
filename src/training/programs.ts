// The compiled graphs of a classifier, one per purpose and micro-batch shape, compiled when first needed. Graphs for training have dropout
// if the step has; predictions and products are in evaluation mode.

import {
  add,
  type CompileOptions,
  compile,
  crossEntropy,
  gradients,
  input,
  mul,
  type Program,
  reduceSum,
  scaledSlopes,
  type Value,
} from '../engine/index.js';
import type { Clipping, ParameterGroups } from '../mechanisms/index.js';
import type { BatchSource } from './batch-source.js';
import { type StepDropout, scopeKey } from './dropout.js';
import {
  clippedSum,
  detachTerms,
  gradientTerms,
  gramMatrix,
  type ParameterTerms,
  productsWith,
  squaredNorms,
  weightedSum,
} from './per-example/index.js';

/** Which products of gradients are asked for. */
interface ProductsOf {
  readonly groups: ParameterGroups;
  readonly scaled: boolean;
  readonly gram: boolean;
}

/** Compiles each graph when first needed and caches it; close it to free native memory. */
export class Programs {
  readonly #source: BatchSource;
  readonly #made = new Map<string, Promise<Program>>();

  /** Threads for directional graphs: 1, which leaves a core for sampling. */
  readonly #few: CompileOptions;

  constructor(source: BatchSource) {
    this.#source = source;
    this.#few = source.small ? { threads: 1 } : {};
  }

  /** Logits. */
  prediction(shape: number): Promise<Program> {
    return this.#make(`prediction ${shape}`, () => compile<string>({ logits: this.#source.graph(shape).logits }));
  }

  /** Σ loss, and Σ gradient under the name of each parameter. */
  training(shape: number, dropout?: StepDropout): Promise<Program> {
    return this.#make(`training ${shape}${scopeKey(dropout)}`, () => {
      const { losses, trainable, weights } = this.#losses(shape, dropout);
      const loss = reduceSum(mul(losses, weights));
      const slopes = gradients(loss, Object.values(trainable));
      const named = Object.keys(trainable).map((name, i) => [name, slopes[i] as Value] as const);
      return compile<string>({ loss, ...Object.fromEntries(named) });
    });
  }

  /** `losses` and `norms` of the examples (of scaled gradients if they are normalised), and the sum of their bounded gradients. */
  clipped(shape: number, clipping: Clipping, dropout?: StepDropout): Promise<Program> {
    return this.#make(`clipped ${shape} ${JSON.stringify(clipping)}${scopeKey(dropout)}`, () => {
      const { losses, weights, terms } = this.#terms(shape, clipping.kind === 'normalise', dropout);
      const groups = clipping.parameterGroups ?? [terms.map(({ name }) => name)];
      const parts = groups.map((group) => clippedSum(chosen(terms, group), weights, clipping));
      // Several groups: a length that is finite, or zero, only if all of theirs are.
      const norms = parts.map((part) => part.norms).reduce((sum, more) => add(sum, more));
      const sums = Object.assign({}, ...parts.map((part) => part.sums)) as Record<string, Value>;
      return compile<string>({ losses, norms, ...sums });
    });
  }

  /** `losses`, the Gram matrices `gram 0`, `gram 1`, … of the groups, and the values that the next two graphs read. */
  measure(shape: number, groups: ParameterGroups, dropout?: StepDropout): Promise<Program> {
    return this.#make(`measure ${shape} ${JSON.stringify(groups)}${scopeKey(dropout)}`, () => {
      const { losses, terms } = this.#terms(shape, true, dropout);
      const grams = groups.map((group, place) => [`gram ${place}`, gramMatrix(chosen(terms, group))] as const);
      return compile<string>({ losses, ...Object.fromEntries(grams), ...detachTerms(terms).values }, this.#few);
    });
  }

  /** `products` of every example's gradient with the arrays `noise NAME`, over one group. */
  noiseProducts(shape: number, group: readonly string[], dropout?: StepDropout): Promise<Program> {
    return this.#make(`products ${shape} ${group.join(' ')}${scopeKey(dropout)}`, () => {
      const terms = chosen(this.#restored(shape, dropout), group);
      const noise = terms.map(({ name, parameter }) => [name, input(`noise ${name}`, parameter.shape)] as const);
      return compile<string>({ products: productsWith(terms, Object.fromEntries(noise)) }, this.#few);
    });
  }

  /** Σ factor · gradient with `factors 0`, `factors 1`, … for the groups. */
  weighted(shape: number, groups: ParameterGroups, dropout?: StepDropout): Promise<Program> {
    return this.#make(`weighted ${shape} ${JSON.stringify(groups)}${scopeKey(dropout)}`, () => {
      const terms = this.#restored(shape, dropout);
      const sums = groups.flatMap((group, place) => {
        const factors = input(`factors ${place}`, [terms[0]?.terms[0]?.right.shape[0] as number]);
        return chosen(terms, group).map((one) => [one.name, weightedSum(one, factors)] as const);
      });
      return compile<string>(Object.fromEntries(sums), this.#few);
    });
  }

  /**
   * For each group of parameters, of every example's gradient (with scaled slopes, if gradients will be `scaled` to one length): `squares 0`, `squares 1`, …,
   * the `products 0`, … with the arrays `given NAME`, and the Gram matrices `gram 0`, … if asked for.
   */
  products(shape: number, { groups, scaled, gram }: ProductsOf): Promise<Program> {
    return this.#make(`examples ${shape} ${scaled} ${gram} ${JSON.stringify(groups)}`, () => {
      const { terms } = this.#terms(shape, scaled);
      const given = Object.fromEntries(
        terms.map(({ name, parameter }) => [name, input(`given ${name}`, parameter.shape)]),
      );
      const outputs = groups.flatMap((group, place): [string, Value][] => {
        const own = chosen(terms, group);
        return [
          [`squares ${place}`, squaredNorms(own).squares],
          [`products ${place}`, productsWith(own, given)],
          ...(gram ? [[`gram ${place}`, gramMatrix(own)] as [string, Value]] : []),
        ];
      });
      return compile<string>(Object.fromEntries(outputs));
    });
  }

  async close(): Promise<void> {
    for (const program of this.#made.values()) await (await program).close();
    this.#made.clear();
  }

  #losses(shape: number, dropout?: StepDropout) {
    const { logits, trainable, traces } = this.#source.graph(shape, dropout);
    const batch = logits.shape[0] as number;
    const targets = input('targets', [batch], 'i64');
    const losses = crossEntropy(logits, targets);
    return { logits, targets, losses, trainable, traces, weights: input('weights', [batch]) };
  }

  /** If gradients will be `scaled` to one length, their slopes are scaled already: the true ones underflow once the model is sure. */
  #terms(shape: number, scaled: boolean, dropout?: StepDropout) {
    const { logits, targets, losses, trainable, traces, weights } = this.#losses(shape, dropout);
    const terms = scaled
      ? gradientTerms(logits, traces, trainable, scaledSlopes(logits, targets))
      : gradientTerms(losses, traces, trainable);
    return { losses, weights, terms };
  }

  #restored(shape: number, dropout?: StepDropout): ParameterTerms[] {
    return detachTerms(this.#terms(shape, true, dropout).terms).restored;
  }

  #make(key: string, build: () => Promise<Program>): Promise<Program> {
    const program = this.#made.get(key) ?? build();
    this.#made.set(key, program);
    return program;
  }
}

const chosen = (terms: readonly ParameterTerms[], names: readonly string[]): ParameterTerms[] =>
  terms.filter(({ name }) => names.includes(name));
