// A child process that attacks batches of one job, keeping model and attack open between them.

import { serveTasks } from '../../platform/index.js';
import { type OpenJob, openJob, type ReconstructionJob } from './job.js';
import type { AttackedBatch } from './reconstruction.js';

export interface BatchTask {
  readonly job: ReconstructionJob;
  readonly batch: number;
}

serveTasks<BatchTask, AttackedBatch>(import.meta.url, () => {
  let open: Promise<OpenJob> | undefined;
  return async ({ job, batch }) => {
    open ??= openJob(job);
    return (await open).reconstruction.attackBatch(batch);
  };
});
