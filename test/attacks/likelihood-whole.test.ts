// The likelihood of a whole gradient against densities written out, number by number in float64.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AttackedModel,
  type Client,
  type GradientView,
  openAttackedModel,
  openClient,
} from '../../src/attacks/index.js';
import type { Products } from '../../src/attacks/likelihood/sentence-products.js';
import { type Judgement, judgeOf, openWhole, type WholeLikelihood } from '../../src/attacks/likelihood/whole.js';
import { wholeModel } from '../../src/attacks/model.js';
import { type Protection, protect, type ReleasedGroup } from '../../src/mechanisms/index.js';
import { selectParameters } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { makeRoot, type TinyName, writeTiny } from '../models/tiny-models.js';
import { product } from './planted-tables.js';

const names = ['a', 'b', 'c'];
const sizes = [3, 5, 4];
type Tensors = Record<string, Float32Array>;

const draw = (seed: string, scale = 1): Tensors =>
  Object.fromEntries(
    names.map((name, k) => [
      name,
      fillNormal(seededSource(seed).stream(name), new Float32Array(sizes[k] as number), { standardDeviation: scale }),
    ]),
  );
const viewOf = (view: Partial<GradientView>): GradientView => ({ noise: {}, ...view }) as GradientView;
const productsOf = (shared: Tensors, own: Tensors): Products => ({
  shared: Float64Array.from(names, (name) => product(shared[name] as Float32Array, own[name] as Float32Array)),
  own: Float64Array.from(names, (name) => product(own[name] as Float32Array, own[name] as Float32Array)),
});
const numbersOf = (tensors: Tensors, some: readonly string[]) => some.flatMap((name) => [...(tensors[name] ?? [])]);
const lengthOf = (numbers: readonly number[]) => Math.sqrt(product(numbers, numbers));

/** What a client shares of this gradient before the noise. */
function bounded(numbers: readonly number[], { bound }: ReleasedGroup): number[] {
  const length = lengthOf(numbers);
  if (bound === undefined || (bound.kind === 'clip' && length <= bound.norm)) return [...numbers];
  return numbers.map((x) => (x / length) * bound.norm);
}
const logNormal = (x: number, mean: number, deviation: number) =>
  -((x - mean) ** 2) / (2 * deviation ** 2) - Math.log(deviation * Math.sqrt(2 * Math.PI));

/** log E e^{κ⟨u, h⟩} = log Σ_k (κ²/4)^k / (k! (K/2)_k), the series of the Bessel function. */
function logBesselSeries(concentration: number, dimension: number): number {
  const logs = [0];
  let term = 0;
  for (let k = 1; k < 4 * concentration + 200; k++) {
    term += 2 * Math.log(concentration / 2) - Math.log(k) - Math.log(dimension / 2 + k - 1);
    logs.push(term);
  }
  const most = logs.reduce((a, b) => Math.max(a, b));
  return most + Math.log(logs.reduce((sum, one) => sum + Math.exp(one - most), 0));
}

/** Which tensors are bounded and noised together. */
const scopes = { joint: [names], tensor: names.map((name) => [name]), mixed: [['a', 'c'], ['b']] };
const bounds = {
  none: {},
  ...Object.fromEntries(
    (['clip', 'normalise'] as const).flatMap((kind) =>
      [0.5, 100].map((norm) => [`${kind} ${norm}`, { bound: { kind, norm } }]),
    ),
  ),
} as Record<string, Pick<ReleasedGroup, 'bound'>>;

describe('normal noise', () => {
  it.each(Object.entries(scopes))('gives the ratio of densities for any bound: %s', (_, groups) => {
    for (const [what, bound] of Object.entries(bounds)) {
      const [shared, own] = [draw(`shared ${what}`), draw(`own ${what}`)];
      const laws: ReleasedGroup[] = groups.map((group, k) => ({ names: group, deviation: 0.3 + k, ...bound }));
      const { nats } = judgeOf(viewOf({ gradients: shared, laws }), names)(productsOf(shared, own));
      const expected = laws.reduce((sum, law) => {
        const [x, mean] = [numbersOf(shared, law.names), bounded(numbersOf(own, law.names), law)];
        const ratio = (k: number) =>
          logNormal(x[k] as number, mean[k] as number, law.deviation) - logNormal(x[k] as number, 0, law.deviation);
        return sum + x.reduce((all, _, k) => all + ratio(k), 0);
      }, 0);
      expect(Math.abs(nats - expected), what).toBeLessThan(1e-10 * (1 + Math.abs(expected)));
    }
  });

  it('is judged whatever tensors are read, and silent where the gradient is only rounding', () => {
    const [shared, own] = [draw('shared'), draw('own')];
    const laws: ReleasedGroup[] = names.map((name) => ({ names: [name], deviation: 0.5 }));
    const judge = judgeOf(viewOf({ gradients: shared, laws }), names);
    const products = productsOf(shared, own);
    const onlyA = judgeOf(viewOf({ gradients: { a: shared.a as Float32Array }, laws }), ['a']);
    const alone = onlyA({ shared: products.shared.slice(0, 1), own: products.own.slice(0, 1) }).nats;
    const small = (values: Float64Array, factor: number) => values.map((one, k) => (k === 0 ? one : one * factor));
    const tiny = { shared: small(products.shared, 1e-8), own: small(products.own, 1e-16) };
    expect(judge(tiny).nats).toBe(alone);
    expect(judge(products).nats).not.toBe(alone);
    expect(judge({ shared: new Float64Array(3), own: new Float64Array(3) })).toMatchObject({ nats: 0, misfit: 0 });
  });
});

describe('directional noise', () => {
  it('gives the ratio of von Mises–Fisher densities', () => {
    const laws = names.map((name, k): ReleasedGroup => {
      return { names: [name], deviation: 0.1, concentration: 0.4 + 3 * k, bound: { kind: 'normalise', norm: 1 } };
    });
    const own = draw('own');
    const shared = Object.fromEntries(
      Object.entries(draw('shared')).map(([name, x]) => [name, x.map((one) => one / lengthOf([...x]))]),
    );
    const { nats } = judgeOf(viewOf({ gradients: shared, laws }), names)(productsOf(shared, own));
    let [expected, tolerance] = [0, 0];
    for (const [k, { names: group, concentration = 0 }] of laws.entries()) {
      const h = numbersOf(own, group);
      const cosine = product(numbersOf(shared, group), h) / lengthOf(h);
      expected += concentration * cosine - logBesselSeries(concentration, sizes[k] as number);
      tolerance += closeness(concentration, sizes[k] as number);
    }
    expect(Math.abs(nats - expected)).toBeLessThan(tolerance);
  });

  it('has a normaliser close to the exact one, which is the same for all sentences', () => {
    for (const dimension of [3, 10, 100, 1000]) {
      for (const ratio of [0.01, 0.1, 1, 10, 100]) {
        const concentration = ratio * dimension;
        if (concentration > 1e4) continue;
        const found = -natsAcross(concentration, dimension);
        const error = logBesselSeries(concentration, dimension) - found;
        expect(error, `K = ${dimension}, κ = ${concentration}`).toBeGreaterThan(-1e-9 * (1 + Math.abs(found)));
        expect(error, `K = ${dimension}, κ = ${concentration}`).toBeLessThan(closeness(concentration, dimension));
      }
    }
  });

  it('has an exact normaliser that integrates to the same', () => {
    for (const [concentration, dimension] of [
      [0.4, 3],
      [6, 5],
      [40, 10],
    ] as const) {
      const weight = (t: number, power: number) => Math.exp(power * t) * (1 - t * t) ** ((dimension - 3) / 2);
      const integral = (power: number) => {
        const steps = 20_000;
        let sum = 0;
        for (let k = 0; k < steps; k++) sum += weight(-1 + (2 * (k + 0.5)) / steps, power);
        return sum;
      };
      const expected = Math.log(integral(concentration) / integral(0));
      expect(logBesselSeries(concentration, dimension)).toBeCloseTo(expected, 5);
    }
  });
});

/** The nats of a direction at right angles to the shared one. */
function natsAcross(concentration: number, dimension: number): number {
  const laws: ReleasedGroup[] = [{ names: ['a'], deviation: 0, concentration, bound: { kind: 'normalise', norm: 1 } }];
  const judge = judgeOf(viewOf({ gradients: { a: new Float32Array(dimension) }, laws }), ['a']);
  return judge({ shared: Float64Array.of(0), own: Float64Array.of(1) }).nats;
}

/**
 * How far the normaliser may lie below the exact one, in nats: with r = κ/K, r⁴/2 where the noise hides much (5e-5 at κ = K/10) and log(1 + r)/2
 * where it does not (2.3 at κ = 100 K), because the mean cosine that is integrated is a lower bound (Amos 1974).
 */
function closeness(concentration: number, dimension: number): number {
  const ratio = concentration / dimension;
  return Math.min(ratio ** 4, Math.log1p(ratio)) / 2;
}

describe('a gradient of unknown length', () => {
  it('is judged at the length that suits it best', () => {
    const noise = { a: 0.5, b: 1, c: 2 };
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const [shared, own] = [draw(`shared ${seed}`, 2), draw(`own ${seed}`)];
      const { nats, misfit } = judgeOf(viewOf({ gradients: shared, noise }), names)(productsOf(shared, own));
      const at = (factor: number) =>
        names.reduce((sum, name) => {
          const deviation = noise[name as 'a'];
          const [x, g] = [shared[name] as Float32Array, own[name] as Float32Array];
          const ratio = (one: number, k: number) =>
            logNormal(one, factor * (g[k] as number), deviation) - logNormal(one, 0, deviation);
          return sum + x.reduce((all, one, k) => all + ratio(one, k), 0);
        }, 0);
      // Lengths in steps of 1e-3: a parabola is flat at its top.
      let most = 0;
      for (let factor = 0; factor < 10; factor += 1e-3) most = Math.max(most, at(factor));
      expect(Math.abs(nats - most)).toBeLessThan(1e-4);
      expect(misfit).toBeNaN();
    }
    const own = draw('own');
    const opposite = Object.fromEntries(Object.entries(own).map(([name, x]) => [name, x.map((one) => -one)]));
    expect(judgeOf(viewOf({ gradients: opposite, noise }), names)(productsOf(opposite, own)).nats).toBe(0);
  });
});

const protections: readonly [name: string, Protection][] = [
  ...(['clip', 'normalise', 'none'] as const).flatMap((clipping) =>
    (['joint', 'tensor'] as const).map((scope): [string, Protection] => [
      `gaussian, ${clipping}, ${scope}`,
      { mechanism: 'gaussian', scope, clipping, clipNorm: 1.5, noiseMultiplier: 0.4 },
    ]),
  ),
  ['gaussian-normalised', { mechanism: 'gaussian-normalised', scope: 'joint', clipNorm: 2, noiseMultiplier: 0.7 }],
  ...[3, 400, 1e4].map((concentration): [string, Protection] => [
    `directional ${concentration}`,
    { mechanism: 'directional', scope: 'joint', concentration },
  ]),
  ['directional, tensor', { mechanism: 'directional', scope: 'tensor', concentration: 100 }],
];

describe('the misfit of the true sentence', () => {
  // The mean of n standard normal numbers is within 5/√n of 0 and their variance within 5·√(2/n) of 1, each with a false-alarm rate below
  // 1e-6. The cosine of a random direction is normal only for many numbers, and its variance is approximate: K = 400 is within 2 %.
  it.each(protections)('is a standard normal number: %s', (_, protection) => {
    const [n, size] = [2000, 400];
    const truth = { a: planted('a', 300), b: planted('b', size - 300) };
    const random = seededSource('releases');
    const misfits = Array.from({ length: n }, () => {
      const { gradients, noise, laws } = protect([truth], protection, random);
      const both = ['a', 'b'] as const;
      const dot = (other: Record<string, Float32Array>) =>
        Float64Array.from(both, (name) => product(other[name] as Float32Array, truth[name]));
      return judgeOf(viewOf({ gradients, noise, laws }), both)({ shared: dot(gradients), own: dot(truth) }).misfit;
    });
    const mean = misfits.reduce((sum, one) => sum + one, 0) / n;
    const variance = misfits.reduce((sum, one) => sum + (one - mean) ** 2, 0) / n;
    expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(n));
    expect(Math.abs(variance - 1)).toBeLessThan(5 * Math.sqrt(2 / n) + 0.02);
  });
});

const planted = (name: string, count: number) =>
  fillNormal(seededSource('truth').stream(name), new Float32Array(count), { standardDeviation: 0.1 });

describe.each(['bert', 'gpt2'] as const)('on tiny %s', (name: TinyName) => {
  const root = makeRoot();
  let [model, client, whole] = [] as unknown as [AttackedModel, Client, WholeLikelihood];
  let [rows, shared] = [[] as number[][], [] as string[]];
  beforeAll(async () => {
    const folder = await writeTiny(join(root, name), name, { without: /^(classifier|score)/ });
    model = await openAttackedModel(folder, { numLabels: 3, seed: 1 });
    rows = ['a b c d', 'the cat', 'q q q q', 'i', 'b', 'z y x'].map((text) => model.tokenizer.encode(text));
    shared = selectParameters(model as never, 'all', 'classification');
    client = await openClient({ model, data: { inputIds: rows, labels: rows.map((_, i) => i % 3) }, shared });
    whole = openWhole(wholeModel(model), shared, 'class');
    return async () => {
      await client.close();
      await whole.close();
    };
  });
  const share = async (index: number, protection: Protection) =>
    (await client.share([index], protection, seededSource(`noise ${index}`))).view;
  const normal = { mechanism: 'gaussian', clipNorm: 1 } as const;
  const exact: Protection[] = [
    { mechanism: 'none' },
    { mechanism: 'normalised', scope: 'joint' },
    { mechanism: 'normalised', scope: 'tensor' },
    { mechanism: 'directional', scope: 'joint', concentration: 1e14 },
    { ...normal, scope: 'tensor', clipping: 'clip', noiseMultiplier: 1e-9 },
  ];

  it('tells the true label without noise, and explains the gradient by nothing else', async () => {
    for (const protection of exact) {
      for (const [index, row] of rows.entries()) {
        const view = await share(index, protection);
        const ranked = await whole.labels(view, row);
        expect(ranked.map(({ label }) => label).sort()).toEqual([0, 1, 2]);
        expect(ranked[0]?.label).toBe(index % 3);
        expect(ranked.map(({ nats }) => nats)).toEqual(ranked.map(({ nats }) => nats).sort((a, b) => b - a));
        const others = row.flatMap((token, place) =>
          place > 0 && place < row.length - 1 ? [row.with(place, token + 1)] : [],
        );
        const [truth, ...rest] = await whole.judge(view, [row, ...others], index % 3);
        expect(Math.abs(truth?.misfit as number), JSON.stringify(protection)).toBeLessThan(2);
        for (const { nats, misfit } of rest) {
          expect(nats).toBeLessThan(truth?.nats as number);
          expect(Math.abs(misfit)).toBeGreaterThan(2);
        }
      }
    }
  });

  it('believes a label that is known', async () => {
    const view = await share(1, { mechanism: 'none' });
    expect((await whole.labels({ ...view, labels: [2] }, rows[1] as number[])).map(({ label }) => label)).toEqual([2]);
  });

  it('divides the nats by tensor, exactly where each has noise of its own', async () => {
    for (const protection of [
      { ...normal, scope: 'joint', clipping: 'clip', noiseMultiplier: 0.01 },
      { ...normal, scope: 'tensor', clipping: 'normalise', noiseMultiplier: 0.1 },
      { mechanism: 'directional', scope: 'tensor', concentration: 200 },
      { mechanism: 'none' },
    ] as const satisfies Protection[]) {
      const view = await share(0, protection);
      const { laws, ...unsaid } = view;
      for (const one of [view, unsaid]) {
        const [row] = rows as [number[]];
        const [{ nats }] = (await whole.judge(one, [row], 0)) as [Judgement];
        const parts = await whole.byTensor(one, row, 0);
        expect([...parts.keys()]).toEqual(shared);
        const sum = [...parts.values()].reduce((all, part) => all + part, 0);
        expect(Math.abs(sum - nats)).toBeLessThan(1e-9 * Math.abs(nats));
      }
      if (laws?.length === 1) continue;
      const [some] = shared as [string];
      const only = openWhole(wholeModel(model), [some], 'class');
      const [alone] = await only.judge(
        { ...view, laws: laws?.filter(({ names: [own] }) => own === some) ?? [] },
        [rows[0] as number[]],
        0,
      );
      const part = (await whole.byTensor(view, rows[0] as number[], 0)).get(some) as number;
      expect(Math.abs(part / (alone?.nats as number) - 1)).toBeLessThan(1e-4);
      await only.close();
    }
  });
});
