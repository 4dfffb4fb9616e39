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
      const child = free.pop() ?? startChild(all);
      const answer = await ask(child, task);
      if (child.connected && child.exitCode === null) free.push(child);
      return answer;
    },
    close: async () => {
      for (const child of all) child.kill('SIGKILL');
    },
  };
}

function startChild(all: Set<ChildProcess>): ChildProcess {
  const child = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), {
    env: { ...process.env, EPSILENS_WORKER: '1', EPSILENS_THREADS: '1' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  all.add(child);
  child.once('exit', () => all.delete(child));
  return child;
}

function ask(child: ChildProcess, task: WorkerTask): Promise<WorkerAnswer> {
  const start = performance.now();
  return new Promise((resolve) => {
    const finish = (answer: WorkerAnswer) => {
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(answer);
    };
    const onMessage = (message: unknown) => finish(message as WorkerAnswer);
    const onExit = (code: number | null, signal: string | null) =>
      finish({
        error: `the process of this trial ended (${signal ?? `exit code ${code}`}): it may have run out of memory`,
        seconds: (performance.now() - start) / 1000,
      });
    child.on('message', onMessage);
    child.once('exit', onExit);
    child.send(task, (error) => {
      if (error) onExit(child.exitCode, child.signalCode);
    });
  });
}
