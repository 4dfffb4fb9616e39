// A digest of the examples a run trains on. Resuming on others would use some of them more often than the ledger counts.

import { createHash } from 'node:crypto';
import { option, say } from '../checks/index.js';
import type { LabelledExamples } from './classifier.js';

/** SHA-256 of the input ids and labels of every example, in order. It depends on private data: keep it as private as they are. */
export function digestTrainingData({ inputIds, labels }: LabelledExamples): string {
  const hash = createHash('sha256');
  for (const [index, ids] of inputIds.entries()) {
    hash.update(Int32Array.of(ids.length, labels[index] as number, ...ids));
  }
  return hash.digest('hex');
}

/** The error of a run that is resumed on other data. */
export const otherData = say`the training data has changed since the run began (texts, labels, or their order): resume with the same data, or start a new run in another ${option('folder')}`;
