// README.md of a saved model: what it is, and what it promises.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Model, cardMarker as marker } from '../models/index.js';
import { writeWhole } from '../platform/index.js';
import type { PrivacyRecord } from './privacy-record.js';

/** Writes the page of a model, unless the folder has one that somebody else wrote. */
export async function writeModelCard(
  folder: string,
  model: Model,
  classes: readonly string[],
  record: PrivacyRecord | undefined,
): Promise<void> {
  const path = join(folder, 'README.md');
  if (existsSync(path) && !(await readFile(path, 'utf8')).startsWith(marker)) return;
  await writeWhole(path, cardOf(model, classes, record));
}

function cardOf(
  { name, architecture, head, adapter }: Model,
  classes: readonly string[],
  record: PrivacyRecord | undefined,
): string {
  // The name may be a folder of the machine that trained it, which is nobody's business.
  const title = basename(name);
  const ofTokens = head === 'tokens';
  const privacy =
    record === undefined
      ? 'Nothing is known about the privacy of its training data: the model carries no record of a run.'
      : `${statementLines(record).join('\n')}\n\n[privacy.json](privacy.json) holds this as data. Whoever has the run's ledger can check it with \`npx epsilens verify FOLDER\`.`;
  return `${marker}

# ${title}

A ${ofTokens ? 'token' : 'text'} classifier (${architecture.classNames[head]}). Classes: ${classes.join(', ')}.

${adapter === undefined ? wholeModel(ofTokens) : adapterOf(adapter.base.name)}

## Privacy

${privacy}
`;
}

const wholeModel = (ofTokens: boolean): string =>
  `Load it with \`loadModel\` of Epsilens or with \`AutoModelFor${ofTokens ? 'Token' : 'Sequence'}Classification.from_pretrained\` of Transformers.`;

const adapterOf = (base: string): string =>
  `A LoRA adapter of ${basename(base)} in PEFT's layout. Load it with \`loadModel\` of Epsilens, or load the base model with Transformers and the adapter with \`PeftModel.from_pretrained\`.`;

/** The statement as the page lists it. */
const statementLines = ({ statement }: PrivacyRecord): string[] => statement.map((sentence) => `- ${sentence}`);

/** Whether a page lists this statement and nothing else; a page that somebody wrote is not judged. */
export const cardFits = (page: string, record: PrivacyRecord): boolean =>
  !page.startsWith(marker) ||
  page
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .join('\n') === statementLines(record).join('\n');
