// Errors of the operating system become one sentence: what path, what was tried, what to do.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { loadDataSet } from '../../src/data/index.js';
import { loadModel, openSafetensors } from '../../src/models/index.js';
import { explainFileError, failedToBe, lockFile, makePrivateFolder } from '../../src/platform/index.js';

const root = mkdtempSync(join(tmpdir(), 'epsilens-file-errors-'));
afterAll(() => rmSync(root, { recursive: true }));
const plain = join(root, 'plain');
writeFileSync(plain, 'x');
mkdirSync(join(root, 'folder.csv'));

/** The error that Node gives; tests may run as root, whom permissions do not bind. */
const systemError = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: some reason, open '${path}'`), { code, errno: -1, syscall: 'open', path });

/** What promises about the sentence: it begins with the path, and neither codes nor stacks are in it. */
function expectSentence(error: unknown, path: string): void {
  expect(error).toBeInstanceOf(FileError);
  const { message } = error as FileError;
  expect(message.startsWith(`${path}: `)).toBe(true);
  expect(message).not.toMatch(/E[A-Z]{4,}|\n|, open/);
}

describe('an error about a file', () => {
  it.each([
    [
      'EACCES',
      'written',
      'cannot be written: permission denied: choose a place where you may write, or change the permissions',
    ],
    ['EACCES', 'read', 'cannot be read: permission denied: give a path that you may read, or change the permissions'],
    [
      'EPERM',
      'written',
      'cannot be written: not permitted: choose a place where you may write, or change the permissions',
    ],
    ['ENOSPC', 'written', 'cannot be written: no space is left on the disk: free some, or choose another disk'],
    ['EROFS', 'written', 'cannot be written: the file system is read-only: choose a place where you may write'],
    ['EISDIR', 'read', 'expected a file, got a folder: give the path of a file'],
    ['ENOTDIR', 'read', 'a part of this path is a file where a folder is expected: check the path'],
    ['ENOENT', 'read', 'no such file'],
  ] as const)('%s is one sentence when a file is %s', (code, tried, sentence) => {
    const error = explainFileError(systemError(code), { path: '/some/file', tried });
    expect(error).toEqual(new FileError(`/some/file: ${sentence}`));
    expectSentence(error, '/some/file');
    expect(() => failedToBe(tried, '/some/file')(systemError(code))).toThrow(sentence);
  });

  it('is explained without further knowledge if it names its path, and is otherwise left alone', () => {
    expectSentence(explainFileError(systemError('EACCES', '/x/y')), '/x/y');
    for (const other of [systemError('EACCES'), systemError('ECONNRESET', '/x'), new Error('no'), 'text', undefined]) {
      expect(explainFileError(other)).toBe(other);
    }
    const own = new FileError('already a sentence');
    expect(explainFileError(Object.assign(own, { code: 'EACCES', path: '/x' }))).toBe(own);
  });

  it('comes as a sentence from the rooms that read and write', async () => {
    const below = join(plain, 'below');
    const failures: [path: string, work: () => Promise<unknown>][] = [
      [below, () => loadDataSet(below)],
      [join(below, 'model.safetensors'), () => openSafetensors(join(below, 'model.safetensors'))],
      [root, () => openSafetensors(root)],
      [join(below, 'lock'), () => lockFile(join(below, 'lock'))],
      [below, () => makePrivateFolder(below)],
      [
        join(root, 'folder.csv'),
        () => readFile(join(root, 'folder.csv')).catch(failedToBe('read', join(root, 'folder.csv'))),
      ],
    ];
    for (const [path, work] of failures) {
      expectSentence(
        await work().then(
          () => undefined,
          (error: unknown) => error,
        ),
        path,
      );
    }
    await expect(loadModel(below)).rejects.toThrow(below);
  });
});
