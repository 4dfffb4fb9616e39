// Reading a model's config.json: each value is checked, and named when it is wrong.

import { FileError } from '../checks/index.js';

/** The sizes that all our models have. */
export interface ModelConfig {
  readonly vocabulary: number;
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly intermediateSize: number;
  readonly positions: number;
  /** Added to the variance in layer norms. */
  readonly epsilon: number;
  readonly numLabels: number;
}

export type RawConfig = Readonly<Record<string, unknown>>;

/** The value must be this one, or absent. */
export function expectValue(config: RawConfig, key: string, expected: string): void {
  const value = config[key] ?? expected;
  if (value !== expected)
    throw new FileError(`config.json: ${key}: expected ${expected}, got ${JSON.stringify(value)}`);
}

/** No model is larger; a damaged file must not make us build one that is. */
const largestCount = 2 ** 24;
const mostLayers = 1024;

export function readCount(config: RawConfig, key: string, otherwise?: number, most = largestCount): number {
  const value = config[key] ?? otherwise;
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > most) {
    throw new FileError(`config.json: ${key}: expected a whole number from 1 to ${most}, got ${JSON.stringify(value)}`);
  }
  return value as number;
}

export const readLayers = (config: RawConfig, key: string): number => readCount(config, key, undefined, mostLayers);

export function readPositive(config: RawConfig, key: string, otherwise: number): number {
  const value = config[key] ?? otherwise;
  if (typeof value !== 'number' || !(value > 0)) {
    throw new FileError(`config.json: ${key}: expected > 0, got ${JSON.stringify(value)}`);
  }
  return value;
}

/** Number of classes: `num_labels`, or as many as have names, or two. */
export function readLabels(config: RawConfig): number {
  const names = config.id2label;
  return readCount(config, 'num_labels', typeof names === 'object' && names !== null ? Object.keys(names).length : 2);
}

export function expectHeads(hidden: number, heads: number, key: string): void {
  if (hidden % heads !== 0)
    throw new FileError(`config.json: expected ${key} ${hidden} to be a multiple of ${heads} heads`);
}
