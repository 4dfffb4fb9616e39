// Digests (SHA-256) that show whether examples, and selections of them, are still the same.

import { createHash } from 'node:crypto';
import type { Example } from './data-set.js';

/** Digest of text, label and group of every example, in order. JSON keeps the fields apart. */
export function digestExamples(examples: readonly Example[]): string {
  const hash = createHash('sha256');
  for (const { text, label, group } of examples)
    hash.update(`${JSON.stringify([text, label ?? null, group ?? null])}\n`);
  return hash.digest('hex');
}

/** Digest of the indices of every part, in order. */
export const digestIndices = (parts: readonly Uint32Array[]): string =>
  createHash('sha256')
    .update(parts.map((indices) => indices.join(' ')).join('\n'))
    .digest('hex');
