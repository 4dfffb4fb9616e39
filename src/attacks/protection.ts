// What a client does to its gradients before it shares them, by the same rules as in training. Which numbers are bounded
// together decides how much noise each tensor gets, so it must be said.

import { ArgumentError, check, nonNegative, positive } from '../checks/index.js';
import { clipFactor, drawDirection, meanCosine, normOf, scaleFactor } from '../mechanisms/index.js';
import { fillNormal, type RandomSource } from '../random/index.js';
import type { Arrays } from '../training/index.js';

/** `joint`: all shared tensors are one vector. `tensor`: each is bounded, and noised, by itself. */
export type Scope = 'joint' | 'tensor';

export type Protection =
  | { readonly mechanism: 'none' }
  | {
      readonly mechanism: 'gaussian';
      readonly scope: Scope;
      /** `none`: not bounded, and the noise has the standard deviation `noiseMultiplier` itself: no guarantee follows. */
      readonly clipping: 'clip' | 'normalise' | 'none';
      readonly clipNorm: number;
      readonly noiseMultiplier: number;
    }
  | { readonly mechanism: 'directional'; readonly scope: Scope; readonly concentration: number }
  /** Normal noise on each tensor that leaves this expected cosine to the true one: to measure attacks, not to protect. */
  | { readonly mechanism: 'cosine'; readonly cosine: number };

export interface Protected {
  readonly gradients: Arrays;
  /** Standard deviation of the noise on each number, by tensor. */
  readonly noise: Readonly<Record<string, number>>;
}

/** The sum over the examples of a batch, each given as the gradient of its own loss. */
export function protect(examples: readonly Arrays[], protection: Protection, random: RandomSource): Protected {
  const [first] = examples;
  if (first === undefined) throw new ArgumentError('expected gradients of at least one example, got none');
  const groups =
    'scope' in protection && protection.scope === 'joint'
      ? [Object.keys(first)]
      : Object.keys(first).map((name) => [name]);
  const gradients: Record<string, Float32Array> = {};
  const noise: Record<string, number> = {};
  for (const names of groups) {
    const { sums, deviation } = protectGroup(
      examples.map((one) => joined(one, names)),
      protection,
      random,
    );
    let start = 0;
    for (const name of names) {
      const { length } = first[name] as Float32Array;
      gradients[name] = sums.slice(start, start + length);
      noise[name] = deviation;
      start += length;
    }
  }
  return { gradients, noise };
}

interface Group {
  readonly sums: Float32Array;
  readonly deviation: number;
}

function protectGroup(vectors: readonly Float32Array[], protection: Protection, random: RandomSource): Group {
  switch (protection.mechanism) {
    case 'none':
      return { sums: sum(vectors), deviation: 0 };
    case 'gaussian': {
      const { clipping, clipNorm, noiseMultiplier } = protection;
      positive({ clipNorm });
      nonNegative({ noiseMultiplier });
      check({ clipping }, 'clip, normalise or none', (kind) => /^(clip|normalise|none)$/.test(kind));
      const factorOf = (norm: number) =>
        clipping === 'none' ? 1 : clipping === 'clip' ? clipFactor(norm, clipNorm) : scaleFactor(norm, clipNorm);
      const sums = sum(vectors.map((vector) => scaled(vector, factorOf(normOf(vector)))));
      const deviation = noiseMultiplier * (clipping === 'none' ? 1 : clipNorm);
      return addNormal(sums, deviation, random);
    }
    case 'directional': {
      const { concentration } = protection;
      const { length: dimension } = vectors[0] as Float32Array;
      const draws = vectors.map((vector) => drawAround(vector, concentration, random));
      const cosine = meanCosine({ dimension, concentration });
      return { sums: sum(draws), deviation: Math.sqrt((vectors.length * (1 - cosine * cosine)) / dimension) };
    }
    case 'cosine': {
      const { cosine } = protection;
      check({ cosine }, 'above 0 and at most 1', (value) => value > 0 && value <= 1);
      const sums = sum(vectors);
      const deviation = normOf(sums) * Math.sqrt((1 / (cosine * cosine) - 1) / sums.length);
      return addNormal(sums, deviation, random);
    }
  }
}

/** A gradient of zero has no direction: a uniform one takes its place. */
function drawAround(vector: Float32Array, concentration: number, random: RandomSource): Float32Array {
  const factor = scaleFactor(normOf(vector));
  if (factor > 0) return drawDirection(random, scaled(vector, factor), concentration) as Float32Array;
  const uniform = fillNormal(random, new Float32Array(vector.length));
  return scaled(uniform, 1 / normOf(uniform));
}

function addNormal(sums: Float32Array, deviation: number, random: RandomSource): Group {
  if (deviation > 0) {
    const noise = fillNormal(random, new Float32Array(sums.length), { standardDeviation: deviation });
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] as number) + (noise[i] as number);
  }
  return { sums, deviation };
}

function joined(arrays: Arrays, names: readonly string[]): Float32Array {
  const parts = names.map((name) => arrays[name] as Float32Array);
  const all = new Float32Array(parts.reduce((count, { length }) => count + length, 0));
  let start = 0;
  for (const part of parts) {
    all.set(part, start);
    start += part.length;
  }
  return all;
}

function sum(vectors: readonly Float32Array[]): Float32Array {
  const total = new Float32Array((vectors[0] as Float32Array).length);
  for (const vector of vectors)
    for (let i = 0; i < total.length; i++) total[i] = (total[i] as number) + (vector[i] as number);
  return total;
}

const scaled = (vector: Float32Array, factor: number): Float32Array =>
  factor === 1 ? vector : vector.map((x) => x * factor);
