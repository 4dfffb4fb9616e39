// The whole gradient of a sentence, against the one that was shared: what a client computes is known up to its label, and the protocol says
// how it was bounded and noised. With h = g(s), clipped or scaled as the protocol says, the nats of s against pure noise are
//
//   normal noise: (⟨G, h⟩ − |h|²/2)/σ²,   directional noise: κ⟨G, h⟩ − log E e^{κ⟨u, h⟩} over uniform directions u,
//
// summed over the groups of tensors with noise of their own. No other evidence may be added to them, because they contain it all. Where
// nobody says how a gradient was bounded, its length is profiled out: ⟨G, g⟩²/(2σ²|g|²).

import { normOf, type ReleasedGroup } from '../../mechanisms/index.js';
import type { Model } from '../../models/index.js';
import type { GradientView } from '../view.js';
import { type KnownLoss, openSentenceProducts, type Products } from './sentence-products.js';
import { rounding } from './table-products.js';

/** What a shared gradient says about one sentence. */
export interface Judgement {
  readonly nats: number;
  /**
   * How much the sentence fails to explain, in standard deviations: for the true sentence ⟨G, h⟩ is normal around |h|², so that this is a
   * standard normal number. NaN where the length of the gradient is unknown.
   */
  readonly misfit: number;
  /** The share of the gradient that the sentence fails to explain: 0 for the true one, apart from noise. NaN as for `misfit`. */
  readonly unexplained: number;
  /** The standard deviation of `unexplained` for the true sentence. */
  readonly resolution: number;
}

/** Where the length of the gradient is unknown, so is what a sentence fails to explain. */
const unknown = { misfit: Number.NaN, unexplained: Number.NaN, resolution: Number.NaN };

export interface LabelJudgement extends Judgement {
  readonly label: number;
}

type Sentences = readonly (readonly number[])[];

export interface WholeLikelihood {
  /** Sentences of equal length with this label, which is ignored if the loss has none. */
  readonly judge: (view: GradientView, sentences: Sentences, label: number) => Promise<Judgement[]>;
  /** The nats of one sentence by tensor: they add up to those of `judge`. */
  readonly byTensor: (view: GradientView, tokens: readonly number[], label: number) => Promise<Map<string, number>>;
  /** One sentence with each label, the best first; only with that of the view if it is known. */
  readonly labels: (view: GradientView, tokens: readonly number[]) => Promise<LabelJudgement[]>;
  readonly close: () => Promise<void>;
}

/** Opens the client's own computation for these shared parameters. */
export function openWhole(model: Model, shared: readonly string[], loss: KnownLoss): WholeLikelihood {
  const products = openSentenceProducts(model, shared, loss);
  const judge: WholeLikelihood['judge'] = async (view, sentences, label) =>
    (await products.of(view, sentences, label)).map(judgeOf(view, products.names));
  return {
    judge,
    byTensor: async (view, tokens, label) => {
      const [found] = (await products.of(view, [tokens], label)) as [Products];
      return natsByTensor(view, products.names, found);
    },
    labels: async (view, tokens) => {
      const known = view.labels?.[0];
      const possible =
        loss !== 'class' ? [0] : known !== undefined ? [known] : [...Array(model.config.numLabels).keys()];
      const found: LabelJudgement[] = [];
      for (const label of possible) {
        const [judged] = (await judge(view, [tokens], label)) as [Judgement];
        found.push({ label, ...judged });
      }
      return found.sort((a, b) => b.nats - a.nats);
    },
    close: products.close,
  };
}

/** Judges a sentence by the products of its gradient with the shared one, whose tensors have these names. */
export function judgeOf(view: GradientView, names: readonly string[]): (products: Products) => Judgement {
  if (view.laws === undefined) {
    const variances = variancesOf(view, names);
    return (products) => ({ nats: profiledNats(products, variances), ...unknown });
  }
  const readGroups = openGroups(view, names);
  return (products) => {
    let [nats, missing, expected, all] = [0, 0, 0, 0];
    for (const { group, product, square } of readGroups(products)) {
      const one = groupNats(group, product, square);
      nats += one.nats;
      missing += one.missing;
      expected += one.expected;
      all += one.all;
    }
    return {
      nats,
      misfit: expected > 0 ? missing / Math.sqrt(expected) : 0,
      unexplained: all > 0 ? missing / all : 0,
      resolution: all > 0 ? Math.sqrt(expected) / all : 1,
    };
  };
}

/** Within a group, tensors divide what the products say by their products, and what the length costs by their squares. */
function natsByTensor(view: GradientView, names: readonly string[], products: Products): Map<string, number> {
  const { shared, own } = products;
  const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  const parts = new Map(names.map((name) => [name, 0]));
  if (view.laws === undefined) {
    const variances = variancesOf(view, names);
    const along = shared.map((product, place) => product / (variances[place] as number));
    const [all, sum] = [profiledNats(products, variances), along.reduce((total, one) => total + one, 0)];
    for (const [place, name] of names.entries()) parts.set(name, all * share(along[place] as number, sum));
    return parts;
  }
  for (const { group, product, square } of openGroups(view, names)(products)) {
    const cost = groupNats(group, 0, square).nats;
    const gain = groupNats(group, product, square).nats - cost;
    for (const place of group.places) {
      const nats = gain * share(shared[place] as number, product) + cost * share(own[place] as number, square);
      parts.set(names[place] as string, nats);
    }
  }
  return parts;
}

/** The length of these shared tensors together. Each is measured once per view. */
export function lengthOf(view: GradientView, names: readonly string[]): number {
  const known = lengths.get(view) ?? new Map<string, number>();
  lengths.set(view, known);
  return Math.hypot(
    ...names.map((name) => {
      const length = known.get(name) ?? normOf(view.gradients[name] ?? new Float32Array(0));
      known.set(name, length);
      return length;
    }),
  );
}

const lengths = new WeakMap<GradientView, Map<string, number>>();

/** Variances of noise and rounding together, by tensor. */
function variancesOf(view: GradientView, names: readonly string[]): Float64Array {
  const exact = rounding * lengthOf(view, names);
  return Float64Array.from(names, (name) => (view.noise[name] ?? 0) ** 2 + exact ** 2);
}

interface Group {
  readonly law: ReleasedGroup;
  /** Places of its tensors among the products. */
  readonly places: readonly number[];
  readonly numbers: number;
  /** Of the shared gradient. */
  readonly length: number;
}

/** Reads ⟨G, g⟩ and |g|² of each group that was released. */
function openGroups(view: GradientView, names: readonly string[]) {
  const groups: readonly Group[] = (view.laws ?? []).map((law) => ({
    law,
    places: law.names.map((name) => names.indexOf(name)).filter((place) => place >= 0),
    numbers: law.names.reduce((sum, name) => sum + (view.gradients[name]?.length ?? 0), 0),
    length: lengthOf(view, law.names),
  }));
  return ({ shared, own }: Products) => {
    const least = agreement ** 2 * own.reduce((all, one) => all + one, 0);
    const sum = (values: Float64Array, places: readonly number[]) =>
      places.reduce((all, place) => all + (values[place] as number), 0);
    // A gradient that is nothing but rounding, as that of key biases, has no direction and no length that could be compared.
    return groups
      .map((group) => ({ group, product: sum(shared, group.places), square: sum(own, group.places) }))
      .filter(({ square }) => square > least);
  };
}

/** The share of a gradient's length to which two ways of computing it in float32 agree: without noise, misfits are measured against it. */
const agreement = 1e-5;

/** The nats of a group from ⟨G, g⟩ and |g|²; by how much they fall short of their mean for the true sentence, the variance of that, and all that could be missing. */
function groupNats({ law, numbers, length }: Group, product: number, square: number) {
  const { bound, deviation, concentration } = law;
  const own = Math.sqrt(square);
  const factor = bound === undefined ? 1 : bound.kind === 'clip' ? Math.min(1, bound.norm / own) : bound.norm / own;
  const along = factor * product;
  if (concentration === undefined) {
    const variance = deviation ** 2 + (rounding * length) ** 2;
    const coarse = Math.max(deviation, agreement * length) ** 2;
    const squared = factor * factor * square;
    return {
      nats: (along - squared / 2) / variance,
      missing: (squared - along) / coarse,
      expected: squared / coarse,
      all: squared / coarse,
    };
  }
  // The cosine of a random direction has the mean A, of which 1 − A² is spread over all numbers, and the variance A′(κ).
  const mean = Math.sqrt(Math.max(0, 1 - numbers * deviation ** 2));
  const variance = Math.max(cosineVariance(concentration, numbers), agreement ** 2);
  return {
    nats: concentration * along - logMeanExp(concentration, numbers),
    missing: concentration * (mean - along),
    expected: concentration ** 2 * variance,
    all: concentration * mean,
  };
}

/** The slope of the mean cosine κ/(ν + √(κ² + ν²)), ν = K/2. */
function cosineVariance(concentration: number, dimension: number): number {
  const half = dimension / 2;
  const root = Math.hypot(concentration, half);
  return half / (root * (root + half));
}

/** log E e^{κ⟨u, h⟩} over uniform directions u of this dimension: the integral of the mean cosine κ/(ν + √(κ² + ν²)), ν = K/2. */
function logMeanExp(concentration: number, dimension: number): number {
  const half = dimension / 2;
  const rest = concentration ** 2 / (Math.hypot(concentration, half) + half);
  return rest - half * Math.log1p(rest / (2 * half));
}

/** The nats of a gradient whose length is unknown. One that points the other way says nothing. */
function profiledNats({ shared, own }: Products, variances: Float64Array): number {
  let [product, square] = [0, 0];
  for (const [place, variance] of variances.entries()) {
    product += (shared[place] as number) / variance;
    square += (own[place] as number) / variance;
  }
  return square > 0 && product > 0 ? product ** 2 / (2 * square) : 0;
}
