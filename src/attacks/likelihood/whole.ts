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
}

type Sentences = readonly (readonly number[])[];

export interface WholeLikelihood {
  /** Sentences of equal length with this label, which is ignored if the loss has none. */
  readonly judge: (view: GradientView, sentences: Sentences, label: number) => Promise<Judgement[]>;
  /** The nats of one sentence by tensor: they add up to those of `judge`, unless the length of the gradient is unknown. */
  readonly byTensor: (view: GradientView, tokens: readonly number[], label: number) => Promise<Map<string, number>>;
  /** Labels with the nats of one sentence, the best first; only that of the view if it is known. */
  readonly labels: (view: GradientView, tokens: readonly number[]) => Promise<{ label: number; nats: number }[]>;
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
      const found = [];
      for (const label of possible) {
        const [{ nats }] = (await judge(view, [tokens], label)) as [Judgement];
        found.push({ label, nats });
      }
      return found.sort((a, b) => b.nats - a.nats);
    },
    close: products.close,
  };
}

/** Judges a sentence by the products of its gradient with the shared one, whose tensors have these names. */
export function judgeOf(view: GradientView, names: readonly string[]): (products: Products) => Judgement {
  const lengths = lengthsOf(view);
  const lengthOf = (some: readonly string[]) => Math.hypot(...some.map((name) => lengths.get(name) ?? 0));
  if (view.laws === undefined) {
    const exact = rounding * lengthOf(names);
    const variances = Float64Array.from(names, (name) => (view.noise[name] ?? 0) ** 2 + exact ** 2);
    return (products) => ({ nats: profiledNats(products, variances), misfit: Number.NaN });
  }
  const groups = view.laws.map((law) => ({
    law,
    places: law.names.map((name) => names.indexOf(name)).filter((place) => place >= 0),
    numbers: law.names.reduce((sum, name) => sum + (view.gradients[name]?.length ?? 0), 0),
    length: lengthOf(law.names),
  }));
  return ({ shared, own }) => {
    let [nats, missing, expected] = [0, 0, 0];
    for (const group of groups) {
      const sum = (values: Float64Array) => group.places.reduce((all, place) => all + (values[place] as number), 0);
      const one = groupNats(group, sum(shared), sum(own));
      nats += one.nats;
      missing += one.missing;
      expected += one.expected;
    }
    return { nats, misfit: expected > 0 ? missing / Math.sqrt(expected) : 0 };
  };
}

/** The length of each shared tensor, measured once per view. */
export function lengthsOf(view: GradientView): ReadonlyMap<string, number> {
  const known = measured.get(view);
  if (known !== undefined) return known;
  const lengths = new Map(Object.entries(view.gradients).map(([name, numbers]) => [name, normOf(numbers)]));
  measured.set(view, lengths);
  return lengths;
}

const measured = new WeakMap<GradientView, ReadonlyMap<string, number>>();

/** A tensor's part of ⟨G, h⟩ and of |h|² decides its part of the nats. */
function natsByTensor(view: GradientView, names: readonly string[], { shared, own }: Products): Map<string, number> {
  const parts = new Map<string, number>();
  const judge = judgeOf(view, names);
  const all = judge({ shared, own }).nats;
  const square = own.reduce((sum, one) => sum + one, 0);
  for (const [place, name] of names.entries()) {
    // The bound depends on all tensors, so a part is what is lost if the tensor's product with the shared gradient were 0.
    const without = shared.map((one, k) => (k === place ? 0 : one));
    const lost = all - judge({ shared: without, own }).nats;
    parts.set(name, lost);
  }
  const sum = [...parts.values()].reduce((total, one) => total + one, 0);
  for (const [place, name] of names.entries()) {
    const share = square > 0 ? (own[place] as number) / square : 0;
    parts.set(name, (parts.get(name) as number) - share * (sum - all));
  }
  return parts;
}

interface Group {
  readonly law: ReleasedGroup;
  readonly numbers: number;
  /** Of the shared gradient. */
  readonly length: number;
}

/** Without noise, misfits are measured against this share of the gradient's length, to which two ways of computing it in float32 agree. */
const agreement = 1e-5;

/** The nats of a group from ⟨G, g⟩ and |g|²; |h|² − ⟨G, h⟩ and |h|², both over σ². */
function groupNats({ law, numbers, length }: Group, product: number, square: number) {
  const { bound, deviation, concentration } = law;
  if (!(square > 0)) return { nats: 0, missing: 0, expected: 0 };
  const own = Math.sqrt(square);
  const factor = bound === undefined ? 1 : bound.kind === 'clip' ? Math.min(1, bound.norm / own) : bound.norm / own;
  const along = factor * product;
  const variance = deviation ** 2 + (rounding * length) ** 2;
  const coarse = Math.max(deviation, agreement * length) ** 2;
  if (concentration === undefined) {
    const squared = factor * factor * square;
    return { nats: (along - squared / 2) / variance, missing: (squared - along) / coarse, expected: squared / coarse };
  }
  // A direction keeps the mean cosine A of the true one, and 1 − A² is spread over all numbers.
  const mean = Math.sqrt(Math.max(0, 1 - numbers * deviation ** 2));
  return {
    nats: concentration * along - logMeanExp(concentration, numbers),
    missing: (mean * mean - mean * along) / coarse,
    expected: (mean * mean) / coarse,
  };
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
