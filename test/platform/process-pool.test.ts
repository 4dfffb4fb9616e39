// The process pool: tasks run in children with one thread, errors keep their class, and a lost process is reported.

import { afterAll, describe, expect, it } from 'vitest';
import { ArgumentError, FileError, messageOf, writeMessage } from '../../src/checks/index.js';
import { openProcessPool, serveTasks } from '../../src/platform/index.js';

const module = new URL('./echo-worker.js', import.meta.url);
const pool = openProcessPool<unknown, { task: unknown; served: number; threads: string }>(module, 1);
afterAll(() => pool.close());

describe('the process pool', () => {
  it('keeps a process for the next task, with one thread', async () => {
    expect(await pool.work({ numbers: new Float32Array([1, 2]) })).toEqual({
      task: { numbers: new Float32Array([1, 2]) },
      served: 1,
      threads: '1',
    });
    expect((await pool.work('next')).served).toBe(2);
  });

  it('passes errors on, and keeps working', async () => {
    await expect(pool.work('argument')).rejects.toBeInstanceOf(ArgumentError);
    await expect(pool.work('fail')).rejects.toThrow('it failed');
    expect((await pool.work('again')).served).toBe(3);
  });

  it('keeps the options that errors name', async () => {
    const flags = ({ option }: { option: string }) => `--${option}`;
    const said = async (task: string) => {
      const error: Error = await pool.work(task).then(String, (thrown) => thrown);
      return [error.constructor, writeMessage(messageOf(error), flags)];
    };
    expect(await said('argument')).toEqual([ArgumentError, 'invalid --task: expected another']);
    expect(await said('file')).toEqual([FileError, 'a.csv: set --textColumn']);
  });

  it('reports a lost process, and starts another', async () => {
    await expect(pool.work('die')).rejects.toThrow('the process of this task ended (exit code 3)');
    expect((await pool.work('anew')).served).toBe(1);
  });

  it('serves nothing in a process that no pool has started', () => {
    serveTasks(import.meta.url, () => {
      throw new Error('opened');
    });
  });
});
