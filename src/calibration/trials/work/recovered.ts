// Stores what an attack recovered beside the store: private text.

import { join } from 'node:path';
import type { RecoveredSentence } from '../../../attacks/index.js';
import { readJsonObject, writePrivateJson } from '../../../platform/index.js';

const fileName = 'recovered.json';

/** What was recovered, with the text as it was before the tokenizer read and cut it; trials of older versions do not have that. */
export interface StoredSentence extends RecoveredSentence {
  readonly original?: string;
}

export const writeRecovered = (folder: string, sentences: readonly StoredSentence[]): Promise<void> =>
  writePrivateJson(join(folder, fileName), { sentences });

export const readRecovered = async (folder: string): Promise<readonly StoredSentence[]> =>
  (await readJsonObject(join(folder, fileName))).sentences as StoredSentence[];
