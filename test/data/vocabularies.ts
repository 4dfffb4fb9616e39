// Vocabularies for tests: small ones that come with their ids by Hugging Face's library, and the real ones where ../shared is.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { golden } from './files.js';

export const readGolden = <T>(name: string): T => JSON.parse(readFileSync(join(golden, name), 'utf8')) as T;

const tokenizers = join(import.meta.dirname, '..', '..', '..', 'shared', 'tokenizers');
export const bertFolder = join(tokenizers, 'bert-base-uncased');
export const gpt2Folder = join(tokenizers, 'gpt2');
export const realVocabularies = existsSync(bertFolder) && existsSync(gpt2Folder);

interface SmallGolden {
  readonly pieces: readonly string[];
  readonly encoder: Readonly<Record<string, number>>;
  readonly merges: readonly string[];
  /** Text, ids of WordPiece, ids of WordPiece with capitals kept, ids of bytes. */
  readonly texts: readonly (readonly [string, number[], number[], number[]])[];
}

export const small = readGolden<SmallGolden>('small-tokenizers.json');
export const mergesFile = ['#version: 0.2', ...small.merges, ''].join('\n');

/** Writes files into a folder of that name and returns its path. */
export function writeFolder(
  write: (name: string, content: string) => string,
  name: string,
  files: Readonly<Record<string, unknown>>,
): string {
  const folder = dirname(write(`${name}/README`, ''));
  for (const [file, content] of Object.entries(files)) {
    write(`${name}/${file}`, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}
