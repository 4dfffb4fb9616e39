// One process at a time: a lock names its process, and is taken over when that process is gone.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { lockFile } from '../../src/platform/index.js';

const root = mkdtempSync(join(tmpdir(), 'epsilens-lock-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('a lock', () => {
  it('names its process while it is held, and is gone after release', async () => {
    const path = join(root, 'own');
    const giveBack = await lockFile(path);
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`);
    await giveBack();
    expect(existsSync(path)).toBe(false);
    await (await lockFile(path))();
  });

  it('is refused to a second taker in this process, by whatever path', async () => {
    const path = join(root, 'twice');
    const giveBack = await lockFile(path);
    for (const same of [path, relative(process.cwd(), path)]) {
      const second = lockFile(same);
      await expect(second).rejects.toThrow(FileError);
      await expect(second).rejects.toThrow(`${same}: process ${process.pid} is working in this folder`);
    }
    expect(existsSync(path)).toBe(true);
    await giveBack();
  });

  it('of a living process is left alone', async () => {
    const path = join(root, 'parent');
    writeFileSync(path, `${process.ppid}\n`);
    await expect(lockFile(path)).rejects.toThrow(`process ${process.ppid} is working in this folder: wait for it`);
    expect(readFileSync(path, 'utf8')).toBe(`${process.ppid}\n`);
  });

  it('of a process that has ended is taken over', async () => {
    const { pid } = spawnSync('true');
    const path = join(root, 'stale');
    writeFileSync(path, `${pid}\n`);
    const giveBack = await lockFile(path);
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`);
    await giveBack();
  });

  // In a container the next process may have the number of the one that crashed.
  it.each([`${process.pid}\n`, '', 'nobody\n', '-1\n', '0\n', '1.5\n'])(
    'that says %j, without anyone who holds it, is taken over',
    async (text) => {
      const path = join(root, 'odd');
      writeFileSync(path, text);
      await (await lockFile(path))();
      expect(existsSync(path)).toBe(false);
    },
  );

  // A race is rare, so it is tried often.
  it('goes to exactly one of several that ask at once', { repeats: 200 }, async () => {
    const path = join(root, 'race');
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => lockFile(path)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'fulfilled') await answer.value();
      else expect(answer.reason).toBeInstanceOf(FileError);
    }
    expect(existsSync(path)).toBe(false);
  });

  it('needs its folder to exist', async () => {
    await expect(lockFile(join(root, 'nowhere', 'lock'))).rejects.toThrow(
      'nowhere/lock: a folder on the way does not exist',
    );
  });
});
