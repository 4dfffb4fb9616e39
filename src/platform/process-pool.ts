// Child processes that each work on one task at a time with one thread, so results do not depend on the number of processes.

import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ArgumentError, FileError, type Message, messageOf } from '../checks/index.js';

/** A pool of child processes. */
export interface ProcessPool<Task, Result> {
  readonly size: number;
  /** Runs a task in a free process. Callers must keep at most `size` tasks running. */
  readonly work: (task: Task) => Promise<Result>;
  /** Ends all processes, whatever they are doing. */
  readonly close: () => Promise<void>;
}

/** One process per core, at most 8. */
export const defaultJobs = (): number => Math.min(8, availableParallelism());

type Answer<Result> = { readonly result: Result } | { readonly error: string | Message; readonly isArgument: boolean };

const marker = 'EPSILENS_WORKER';

/** Opens a pool whose processes run `module`, a file that calls `serveTasks`. Tasks and results must be plain data. */
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
      const { error, isArgument } = answer;
      if (isArgument) throw new ArgumentError(error);
      throw typeof error === 'string' ? new Error(error) : new FileError(error);
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
  // A process that could not be started emits no exit event.
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

/** Works on the tasks that are sent to this process, if a pool started it from this module; otherwise does nothing. */
export function serveTasks<Task, Result>(module: string, open: () => (task: Task) => Promise<Result>): void {
  if (process.env[marker] !== fileURLToPath(module) || process.send === undefined) return;
  const work = open();
  process.on('message', async (task: Task) => process.send?.(await answer(work, task)));
  // Ctrl-C reaches the whole process group; the parent decides what happens.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit(0));
}

async function answer<Task, Result>(work: (task: Task) => Promise<Result>, task: Task): Promise<Answer<Result>> {
  try {
    return { result: await work(task) };
  } catch (error) {
    const message = error instanceof Error ? messageOf(error) : `${error}`;
    return { error: message, isArgument: error instanceof ArgumentError };
  }
}
