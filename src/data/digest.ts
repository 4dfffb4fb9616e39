// Fingerprints (SHA-256) that tell whether examples and choices among them are still the same.

import { createHash } from 'node:crypto';
import type { Example } from './data-set.js';

/** Of text, label and group of every example, in order. JSON keeps the borders between them. */
export function digestExamples(examples: readonly Example[]): string {
  const hash = createHash('sha256');
  for (const { text, label, group } of examples)
    hash.update(`${JSON.stringify([text, label ?? null, group ?? null])}\n`);
  return hash.digest('hex');
}

export const digestIndices = (parts: readonly Uint32Array[]): string =>
  createHash('sha256')
    .update(parts.map((indices) => indices.join(' ')).join('\n'))
    .digest('hex');
