// Errors of the operating system about files, as one sentence each: what path, what was tried, what to do.

import { FileError } from '../checks/index.js';

/** What was tried with a file. */
type FileAction = 'read' | 'written' | 'opened';

const elsewhere = {
  read: 'give a path that you may read',
  written: 'choose a place where you may write',
  opened: 'choose another path',
} as const;

/** By code: what is wrong, and what to do. */
const sentences: Readonly<Record<string, (tried: FileAction) => string>> = {
  ENOENT: (tried) => (tried === 'written' ? 'a folder on the way does not exist: make it first' : 'no such file'),
  EACCES: (tried) => `cannot be ${tried}: permission denied: ${elsewhere[tried]}, or change the permissions`,
  EPERM: (tried) => `cannot be ${tried}: not permitted: ${elsewhere[tried]}, or change the permissions`,
  EROFS: () => 'cannot be written: the file system is read-only: choose a place where you may write',
  ENOSPC: () => 'cannot be written: no space is left on the disk: free some, or choose another disk',
  EDQUOT: () => 'cannot be written: your disk quota is used up: free some space, or choose another disk',
  EISDIR: () => 'expected a file, got a folder: give the path of a file',
  ENOTDIR: () => 'a part of this path is a file where a folder is expected: check the path',
  EEXIST: () => 'expected a folder, or a place for one, got a file: choose another path',
  EMFILE: (tried) =>
    `cannot be ${tried}: too many files are open: close other programs, or raise the limit (ulimit -n)`,
  ENAMETOOLONG: () => 'the path is too long: choose a shorter one',
};

/** A FileError for an error of the operating system about a file; any other value as it is. */
export function explainFileError(
  error: unknown,
  known: { readonly path?: string; readonly tried?: FileAction } = {},
): unknown {
  const { code = '', path = '' } = (error ?? {}) as NodeJS.ErrnoException;
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  const where = known.path ?? path;
  if (sentence === undefined || where === '' || error instanceof FileError) return error;
  return new FileError(`${where}: ${sentence(known.tried ?? 'opened')}`);
}

/** Handles what an operation on a file rejects with: `await open(path).catch(failedToBe('read', path))`. */
export const failedToBe =
  (tried: FileAction, path: string) =>
  (error: unknown): never => {
    throw explainFileError(error, { path, tried });
  };
