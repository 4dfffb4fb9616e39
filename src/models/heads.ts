// The classifier of a model: of texts, or of their tokens. The class that config.json names says which.

import { ArgumentError, advice, type Message, say, setting } from '../checks/index.js';
import type { Architecture } from './architecture.js';
import { type RawConfig, readLabels } from './config.js';

/** What a classifier labels: whole texts, or each of their tokens. */
export type HeadName = 'classification' | 'tokens';

/** Reads which classifier the checkpoint has: that of the class in `architectures`, otherwise one of texts. */
export function readHead({ architectures }: RawConfig): HeadName {
  const names: readonly unknown[] = Array.isArray(architectures) ? architectures : [];
  return names.some((name) => typeof name === 'string' && name.endsWith('ForTokenClassification'))
    ? 'tokens'
    : 'classification';
}

const addNewHead = say`add ${setting('newHead', true)} to initialize a new one`;

/** What to do where a classifier does not fit the data. */
export const newHeadAdvice: Message = say`${advice(addNewHead, 'give the data that it was trained on')}`;

/** The configuration with another number of classes, whose names are then unknown. */
export function withLabels(config: RawConfig, labels: number | undefined): RawConfig {
  if (labels === undefined || labels === readLabels(config)) return config;
  // GPT-2s of old have `_num_labels` too.
  const { id2label, label2id, _num_labels, ...rest } = config;
  return { ...rest, num_labels: labels };
}

/** The configuration with a classifier of texts if a new one is wanted. */
export const withHead = (config: RawConfig, { classNames }: Architecture, newHead = false): RawConfig =>
  newHead && readHead(config) === 'tokens' ? { ...config, architectures: [classNames.classification] } : config;

/** Throws unless the model's classifier labels texts, or tokens, as wanted. */
export function expectHead(head: HeadName, wanted: HeadName, source: string): void {
  if (head === wanted) return;
  const kinds = { classification: 'a classifier of texts', tokens: 'a classifier of tokens' };
  const remedy = wanted === 'classification' ? say`: ${advice(addNewHead, 'give a classifier of texts')}` : '';
  throw new ArgumentError(say`${source}: expected ${kinds[wanted]}, got ${kinds[head]}${remedy}`);
}
