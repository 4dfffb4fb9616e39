// Stores what an attack recovered beside the store: private text.

import { join } from 'node:path';
import type { RecoveredSentence } from '../../../attacks/index.js';
import { readJsonObject, writePrivateJson } from '../../../platform/index.js';

const fileName = 'recovered.json';

export const writeRecovered = (folder: string, sentences: readonly RecoveredSentence[]): Promise<void> =>
  writePrivateJson(join(folder, fileName), { sentences });

export const readRecovered = async (folder: string): Promise<readonly RecoveredSentence[]> =>
  (await readJsonObject(join(folder, fileName))).sentences as RecoveredSentence[];
