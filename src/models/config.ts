// Reads a model's config.json. Every value is checked, and named if it is wrong.

import { FileError } from '../checks/index.js';

/** The sizes of a transformer, the same for all architectures. */
export interface ModelConfig {
  /** Tokens in the vocabulary. */
  readonly vocabulary: number;
  /** Width of the hidden states. */
  readonly hidden: number;
  /** Transformer blocks. */
  readonly layers: number;
  /** Attention heads per block. */
  readonly heads: number;
  /** Width of the feed-forward network. */
  readonly intermediateSize: number;
  /** Most tokens per text. */
  readonly positions: number;
  /** Added to the variance in layer norms. */
  readonly epsilon: number;
  /** Classes of the classifier. */
  readonly numLabels: number;
}

/** The contents of config.json. */
export type RawConfig = Readonly<Record<string, unknown>>;

/** Throws unless the value is this one or absent. */
export function expectValue(config: RawConfig, key: string, expected: string | boolean): void {
  const value = config[key] ?? expected;
  if (value !== expected)
    throw new FileError(`config.json: ${key}: expected ${expected}, got ${JSON.stringify(value)}`);
}

/** Bounds no real model reaches, so that a damaged file cannot ask for a huge one. */
const largestCount = 2 ** 24;
const mostLayers = 1024;

/** Reads a whole number from 1 to `most`. */
export function readCount(config: RawConfig, key: string, otherwise?: number, most = largestCount): number {
  const value = config[key] ?? otherwise;
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > most) {
    throw new FileError(`config.json: ${key}: expected a whole number from 1 to ${most}, got ${JSON.stringify(value)}`);
  }
  return value as number;
}

/** Reads the number of layers. */
export const readLayers = (config: RawConfig, key: string): number => readCount(config, key, undefined, mostLayers);

/** Reads a number above 0. */
export function readPositive(config: RawConfig, key: string, otherwise: number): number {
  const value = config[key] ?? otherwise;
  if (typeof value !== 'number' || !(value > 0)) {
    throw new FileError(`config.json: ${key}: expected > 0, got ${JSON.stringify(value)}`);
  }
  return value;
}

/** Reads the number of classes: `num_labels`, otherwise as many as `id2label` names, otherwise two. */
export function readLabels(config: RawConfig): number {
  const names = config.id2label;
  return readCount(config, 'num_labels', typeof names === 'object' && names !== null ? Object.keys(names).length : 2);
}

/** Throws unless the heads divide the hidden width. */
export function expectHeads(hidden: number, heads: number, key: string): void {
  if (hidden % heads !== 0)
    throw new FileError(`config.json: expected ${key} ${hidden} to be a multiple of ${heads} heads`);
}
