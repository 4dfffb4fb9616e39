// One process at a time: a lock file that names its process and is taken over when that process is gone.

import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FileError } from '../checks/index.js';
import { explainFileError } from './file-errors.js';
import { ownerOnly } from './files.js';

/** The locks of this process. In a container the next process may have the same number, so the number alone proves nothing. */
const held = new Set<string>();

/** Takes the lock, or throws an error that names the process holding it. The result releases the lock. */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const own = resolve(path);
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      // Created and written in one call, because a lock file without a process number counts as abandoned.
      writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: ownerOnly.file });
      held.add(own);
      return async () => {
        held.delete(own);
        await rm(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw explainFileError(error, { path, tried: 'written' });
    }
    const owner = Number(await readFile(path, 'utf8').catch(() => ''));
    if (owner === process.pid ? held.has(own) : isAlive(owner)) {
      throw new FileError(
        `${path}: process ${owner} is working in this folder: wait for it or use another folder; if that process is not epsilens, delete this file`,
      );
    }
    await rm(path, { force: true });
  }
  throw new FileError(`${path}: another process took the lock at the same moment: try again`);
}

function isAlive(process_: number): boolean {
  if (!Number.isSafeInteger(process_) || process_ <= 0) return false;
  try {
    process.kill(process_, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
