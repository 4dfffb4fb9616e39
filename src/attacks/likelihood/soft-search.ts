// A search over sentences whose tokens are not decided yet: shares of tokens at every place climb the relaxed likelihood together, where
// single tokens would get stuck. Steps are those of mirror ascent: the logarithms of the shares move along the slopes, with momentum, as
// far as `step` at the token that gains or loses most. Several rows climb at once, from starts that differ.

import {
  abs,
  add,
  compile,
  div,
  input,
  mul,
  type Program,
  reduceMax,
  reduceSum,
  softmax,
  sub,
  type Value,
} from '../../engine/index.js';
import type { Model } from '../../models/index.js';
import { type RandomSource, uniform } from '../../random/index.js';
import type { GradientView } from '../view.js';
import { relaxedFeeds, relaxedNats } from './relaxed.js';
import { type KnownLoss, paddedLength } from './sentence-products.js';

export interface SoftSearch {
  /** Climbs from these logarithms of shares, one array per place. */
  readonly run: (view: GradientView, start: SoftStart, random: RandomSource) => Promise<SoftAnswer>;
  /** How many sentences climb at once. */
  readonly rows: number;
  readonly close: () => Promise<void>;
}

export interface SoftStart {
  /** Logarithms of shares at each place, over the vocabulary; −∞ where a token is not possible. */
  readonly logs: readonly Float64Array[];
  /** Tokens that are known, by place. */
  readonly known: ReadonlyMap<number, number>;
  /** How common each token is. */
  readonly prior: Float64Array;
  /** The label of each row; the first again for further rows. */
  readonly labels: readonly number[];
  /** Default: those of the settings. */
  readonly steps?: number;
}

export interface SoftAnswer {
  /** The tokens with the largest shares, for each row. */
  readonly sentences: readonly number[][];
  /** Logarithms of shares at this place, in this row. */
  readonly logs: (row: number, place: number) => Float32Array;
}

export interface SoftSettings {
  readonly rows: number;
  readonly steps: number;
}

/** Steps fall from the first to the last size, in nats. What is kept of the step before, and how far the starts of rows differ. */
const [firstStep, lastStep, momentum, spread] = [1, 0.2, 0.8, 1.5];

/** No token starts further below the best of its place, in nats: the steps must be able to raise it. */
const deepest = 12;

/** For tokens that are not possible. */
const never = -1e9;

export function openSoftSearch(
  model: Model,
  shared: readonly string[],
  loss: KnownLoss,
  { rows, steps }: SoftSettings,
): SoftSearch {
  const { vocabulary, positions } = model.config;
  const programs = new Map<number, Promise<Program<'next' | 'speed'>>>();
  return {
    rows,
    run: async (view, start, random) => {
      const tokens = start.logs.length;
      const length = paddedLength(tokens, positions);
      const made = programs.get(length) ?? compileStep(model, shared, loss, rows, length);
      programs.set(length, made);
      const program = await made;
      const feeds = relaxedFeeds(model, shared, view, { rows, length, tokens, labels: start.labels });
      const fixed = fixedFeeds(start, vocabulary, length);
      // Two pairs of arrays take turns as input and output.
      let theta: Float32Array = firstLogs(start, rows, length, vocabulary, random);
      let speed: Float32Array = new Float32Array(theta.length);
      let spare = { next: new Float32Array(theta.length), speed: new Float32Array(theta.length) };
      const count = start.steps ?? steps;
      for (let k = 0; k < count; k++) {
        const step = Float32Array.of(firstStep * (lastStep / firstStep) ** (k / Math.max(1, count - 1)));
        await program.run(feeds.with(program, { ...fixed, theta, speed, step }), spare);
        const read = { next: theta, speed } as typeof spare;
        [theta, speed] = [spare.next, spare.speed];
        spare = read;
      }
      const logs = (row: number, place: number) => {
        const begin = (row * length + place) * vocabulary;
        return theta.subarray(begin, begin + start.prior.length);
      };
      const best = (row: number) => start.logs.map((_, place) => start.known.get(place) ?? largest(logs(row, place)));
      return { logs, sentences: Array.from({ length: rows }, (_, row) => best(row)) };
    },
    close: async () => {
      for (const program of programs.values()) await (await program.catch(() => undefined))?.close();
    },
  };
}

function fixedFeeds({ known, prior }: SoftStart, vocabulary: number, length: number) {
  const possible = Float32Array.from({ length: vocabulary }, (_, v) =>
    Number.isFinite(prior[v] ?? -Infinity) ? 1 : 0,
  );
  return {
    possible,
    prior: Float32Array.from(possible, (one, v) => (one === 1 ? (prior[v] as number) : 0)),
    free: Float32Array.from({ length }, (_, place) => (known.has(place) ? 0 : 1)),
  };
}

function firstLogs(
  { logs, known, prior }: SoftStart,
  rows: number,
  length: number,
  vocabulary: number,
  random: RandomSource,
): Float32Array {
  const theta = new Float32Array(rows * length * vocabulary).fill(never);
  for (let row = 0; row < rows; row++) {
    for (let place = 0; place < length; place++) {
      const begin = (row * length + place) * vocabulary;
      const own = logs[place];
      const fixed = own === undefined ? 0 : known.get(place);
      if (fixed !== undefined || own === undefined) theta[begin + (fixed as number)] = 0;
      else {
        const most = own.reduce((best, nats) => Math.max(best, nats), Number.NEGATIVE_INFINITY);
        const shift = () => (row === 0 ? 0 : spread * (2 * uniform(random) - 1));
        for (const [v, nats] of own.entries())
          if (Number.isFinite(prior[v])) theta[begin + v] = Math.max(nats - most, -deepest) + shift();
      }
    }
  }
  return theta;
}

function compileStep(
  model: Model,
  shared: readonly string[],
  loss: KnownLoss,
  rows: number,
  tokens: number,
): Promise<Program<'next' | 'speed'>> {
  const { vocabulary } = model.config;
  const theta = input('theta', [rows, tokens, vocabulary]);
  const shares = softmax(theta);
  const { slopes } = relaxedNats(model, shared, loss, shares);
  const total = add(slopes, input('prior', [1, 1, vocabulary]));
  const centred = sub(total, reduceSum(mul(total, shares), [2], true));
  const most = reduceMax(abs(mul(centred, input('possible', [1, 1, vocabulary]))), [2], true);
  const direction = mul(div(centred, add(most, 1e-6)), input('free', [1, tokens, 1]));
  const speed: Value = add(mul(input('speed', [rows, tokens, vocabulary]), momentum), direction);
  return compile({ speed, next: add(theta, mul(speed, input('step', [1]))) });
}

function largest(numbers: Float32Array): number {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if ((numbers[i] as number) > (numbers[best] as number)) best = i;
  return best;
}
