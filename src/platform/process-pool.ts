// Child processes that work on tasks, one at a time each and with one thread, so that results do not depend on how many there are.

import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ArgumentError } from '../checks/index.js';

export interface ProcessPool<Task, Result> {
  readonly size: number;
  /** Callers keep at most `size` tasks under way. */
  readonly work: (task: Task) => Promise<Result>;
  readonly close: () => Promise<void>;
}

export const defaultJobs = (): number => Math.min(8, availableParallelism());

type Answer<Result> = { readonly result: Result } | { readonly error: string; readonly isArgument: boolean };

const marker = 'EPSILENS_WORKER';

/** `module` is a file that calls `serveTasks`. Tasks and results must be plain data. */
export function openProcessPool<Task, Result>(module: URL, size: number): ProcessPool<Task, Result> {
  const free: ChildProcess[] = [];
  const all = new Set<ChildProcess>();
  return {
    size,
    work: async (task) => {
      let child = free.pop();
      while (child !== undefined && !isAlive(child)) child = free.pop();
      child ??= startChild(module, all);
      const answer = await ask<Task, Result>(child, task);
      if (isAlive(child)) free.push(child);
      if ('result' in answer) return answer.result;
      throw answer.isArgument ? new ArgumentError(answer.error) : new Error(answer.error);
    },
    close: async () => {
      const ended = [...all].map((child) => new Promise((resolve) => child.once('exit', resolve)));
      for (const child of all) child.kill('SIGKILL');
      await Promise.all(ended);
    },
  };
}

const isAlive = (child: ChildProcess): boolean => child.connected && child.exitCode === null;

function startChild(module: URL, all: Set<ChildProcess>): ChildProcess {
  const child = fork(fileURLToPath(module), {
    env: { ...process.env, [marker]: fileURLToPath(module), EPSILENS_THREADS: '1' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  all.add(child);
  child.once('exit', () => all.delete(child));
  // One that could not be started has no exit.
  child.once('error', () => all.delete(child));
  return child;
}

function ask<Task, Result>(child: ChildProcess, task: Task): Promise<Answer<Result>> {
  return new Promise((resolve) => {
    const finish = (answer: Answer<Result>) => {
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onError);
      resolve(answer);
    };
    const fail = (error: string) => finish({ error, isArgument: false });
    const onMessage = (message: unknown) => finish(message as Answer<Result>);
    const onExit = (code: number | null, signal: string | null) =>
      fail(`the process of this task ended (${signal ?? `exit code ${code}`}): it may have run out of memory`);
    const onError = (error: Error) => fail(`no process could be started: ${error.message}`);
    child.on('message', onMessage);
    child.once('exit', onExit);
    child.once('error', onError);
    child.send(task as object, (error) => {
      if (error) onExit(child.exitCode, child.signalCode);
    });
  });
}

/** In a process that a pool started from this module, works on the tasks it is sent; elsewhere it does nothing. */
export function serveTasks<Task, Result>(module: string, open: () => (task: Task) => Promise<Result>): void {
  if (process.env[marker] !== fileURLToPath(module) || process.send === undefined) return;
  const work = open();
  process.on('message', async (task: Task) => process.send?.(await answer(work, task)));
  // Ctrl-C goes to the whole group: the parent decides.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit(0));
}

async function answer<Task, Result>(work: (task: Task) => Promise<Result>, task: Task): Promise<Answer<Result>> {
  try {
    return { result: await work(task) };
  } catch (error) {
    const message = error instanceof Error ? error.message : `${error}`;
    return { error: message, isArgument: error instanceof ArgumentError };
  }
}
