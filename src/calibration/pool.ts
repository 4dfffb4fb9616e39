// Child processes for trials: one thread each, so that results do not depend on how many there are.

import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { makeWorker, type WorkerAnswer, type WorkerTask } from './worker.js';

export interface Pool {
  readonly size: number;
  /** At most `size` at a time. */
  readonly work: (task: WorkerTask) => Promise<WorkerAnswer>;
  readonly close: () => Promise<void>;
}

export const defaultJobs = (): number => Math.min(8, availableParallelism());

/** `jobs` 0 works in this process. */
export function openPool(jobs: number): Pool {
  if (jobs === 0) return { size: 1, ...makeWorker() };
  const free: ChildProcess[] = [];
  const all = new Set<ChildProcess>();
  return {
    size: jobs,
    work: async (task) => {
      let child = free.pop();
      while (child !== undefined && !isAlive(child)) child = free.pop();
      child ??= startChild(all);
      const answer = await ask(child, task);
      if (isAlive(child)) free.push(child);
      return answer;
    },
    close: async () => {
      const ended = [...all].map((child) => new Promise((resolve) => child.once('exit', resolve)));
      for (const child of all) child.kill('SIGKILL');
      await Promise.all(ended);
    },
  };
}

const isAlive = (child: ChildProcess): boolean => child.connected && child.exitCode === null;

function startChild(all: Set<ChildProcess>): ChildProcess {
  const child = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), {
    env: { ...process.env, EPSILENS_WORKER: '1', EPSILENS_THREADS: '1' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  all.add(child);
  child.once('exit', () => all.delete(child));
  // One that could not be started has no exit.
  child.once('error', () => all.delete(child));
  return child;
}

function ask(child: ChildProcess, task: WorkerTask): Promise<WorkerAnswer> {
  const start = performance.now();
  return new Promise((resolve) => {
    const finish = (answer: WorkerAnswer) => {
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onError);
      resolve(answer);
    };
    const onMessage = (message: unknown) => finish(message as WorkerAnswer);
    const onExit = (code: number | null, signal: string | null) =>
      finish({
        error: `the process of this trial ended (${signal ?? `exit code ${code}`}): it may have run out of memory`,
        seconds: (performance.now() - start) / 1000,
      });
    const onError = (error: Error) =>
      finish({ error: `no process could be started: ${error.message}`, seconds: (performance.now() - start) / 1000 });
    child.on('message', onMessage);
    child.once('exit', onExit);
    child.once('error', onError);
    child.send(task, (error) => {
      if (error) onExit(child.exitCode, child.signalCode);
    });
  });
}
