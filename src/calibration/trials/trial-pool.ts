// Runs trials in child processes, or in this one.

import { openProcessPool } from '../../platform/index.js';
import { makeWorker, type WorkerAnswer, type WorkerTask } from './worker.js';

export interface TrialPool {
  readonly size: number;
  /** Runs one trial. An error, or a lost process, becomes its answer. */
  readonly work: (task: WorkerTask) => Promise<WorkerAnswer>;
  readonly close: () => Promise<void>;
}

/** With 0 `jobs`, trials run in this process. */
export function openTrialPool(jobs: number): TrialPool {
  if (jobs === 0) return { size: 1, ...makeWorker() };
  const pool = openProcessPool<WorkerTask, WorkerAnswer>(new URL('./worker.js', import.meta.url), jobs);
  return {
    size: pool.size,
    work: async (task) => {
      const start = performance.now();
      try {
        return await pool.work(task);
      } catch (error) {
        const message = error instanceof Error ? error.message : `${error}`;
        return { error: message, seconds: (performance.now() - start) / 1000 };
      }
    },
    close: pool.close,
  };
}
