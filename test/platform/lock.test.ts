// One process at a time: a lock goes to exactly one process, and ends with it however it ends.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { lockFile } from '../../src/platform/index.js';

const root = mkdtempSync(join(tmpdir(), 'epsilens-lock-'));
afterAll(() => rmSync(root, { recursive: true }));
const built = join(import.meta.dirname, '..', '..', 'dist', 'platform', 'index.js');

/** A process that waits for a line, takes the lock, says how that went, and stays until it is killed. */
function taker(path: string): ChildProcess {
  const script = `
    import { lockFile } from ${JSON.stringify(built)};
    process.stdout.write('ready\\n');
    process.stdin.once('data', () => lockFile(${JSON.stringify(path)}).then(
      () => process.stdout.write('taken\\n'),
      (error) => process.stdout.write(error.message + '\\n'),
    ));`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function nextLine(child: ChildProcess): Promise<string> {
  const [text] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return `${text}`.trim();
}

async function kill(...children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  }
}

/** What several processes are told that ask for one lock at the same moment. They stay alive. */
async function askAtOnce(path: string, count: number) {
  const children = Array.from({ length: count }, () => taker(path));
  await Promise.all(children.map(nextLine));
  const answers = children.map(nextLine);
  for (const { stdin } of children) stdin?.write('go\n');
  return { children, answers: await Promise.all(answers) };
}

describe('a lock', () => {
  it('is free again after its release', async () => {
    const path = join(root, 'own');
    for (let turn = 0; turn < 3; turn++) await (await lockFile(path))();
    // The empty file stays, so that everybody locks the same file.
    expect(statSync(path).size).toBe(0);
  });

  it('is refused to a second taker in this process, by whatever path', async () => {
    const path = join(root, 'twice');
    const giveBack = await lockFile(path);
    for (const same of [path, relative(process.cwd(), path)]) {
      const second = lockFile(same);
      await expect(second).rejects.toThrow(FileError);
      await expect(second).rejects.toThrow(`${same}: another process is working in this folder: wait until it ends`);
    }
    await giveBack();
    await (await lockFile(path))();
  });

  it('goes to exactly one of several processes that ask at once, fresh or after a kill', async () => {
    const path = join(root, 'race');
    for (let round = 0; round < 4; round++) {
      const { children, answers } = await askAtOnce(path, 4);
      expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1);
      expect(answers.filter((answer) => answer.includes('another process is working in this folder'))).toHaveLength(3);
      await expect(lockFile(path)).rejects.toThrow('another process');
      // Nothing is released: the next round finds what a crash leaves behind.
      await kill(...children);
    }
    await (await lockFile(path))();
  });

  it('is held between processes that cannot see each other, because the operating system keeps it', async () => {
    const path = join(root, 'alone');
    const { children } = await askAtOnce(path, 1);
    // No process number is looked at: the file is empty.
    expect(statSync(path).size).toBe(0);
    await expect(lockFile(path)).rejects.toThrow(FileError);
    await kill(...children);
    await (await lockFile(path))();
  });

  // As root, permissions do not bind: the children give that up first.
  it.skipIf(process.getuid?.() !== 0)('is not taken on a file that cannot be written', async () => {
    const open = mkdtempSync(join(tmpdir(), 'epsilens-lock-'));
    chmodSync(open, 0o777);
    const path = join(open, 'lock');
    writeFileSync(path, '', { mode: 0o444 });
    const script = `process.setuid(65534); const { lockFile } = await import(${JSON.stringify(built)});
      await lockFile(${JSON.stringify(path)}).then(() => console.log('taken'), (error) => console.log(error.message));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await nextLine(child)).toContain('lock: cannot be written: permission denied');
    await once(child, 'close');
    rmSync(open, { recursive: true });
  });

  it('is not taken from a file that is something else', async () => {
    const path = join(root, 'text');
    writeFileSync(path, `${process.ppid}\n`.repeat(200));
    await expect(lockFile(path)).rejects.toThrow('expected a lock, got another file, perhaps a lock of epsilens 0.1');
  });

  it('needs its folder to exist', async () => {
    const nowhere = lockFile(join(root, 'nowhere', 'lock'));
    await expect(nowhere).rejects.toThrow(FileError);
    await expect(nowhere).rejects.toThrow('nowhere/lock: a folder on the way does not exist');
  });
});
