// The layout of a folder of studies.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isTuningRun, type Trial } from './trial.js';

export const storePath = (folder: string): string => join(folder, 'store.db');
export const artefactsOf = (folder: string, id: string): string => join(folder, 'artefacts', id);

/** The file that lists the records of the data with this digest, beside the artefacts of a trial: many trials share it. */
export const recordsBeside = (artefacts: string, digest: string): string =>
  join(dirname(artefacts), `records-${digest.slice(0, 20)}.json`);

/** Whether the artefacts that later trials and the report read still exist. */
export const isWhole = (folder: string, trial: Trial): boolean =>
  !leavesArtefacts(trial) || existsSync(artefactsOf(folder, trial.id));

const leavesArtefacts = (trial: Trial): boolean =>
  trial.kind === 'train' ? !isTuningRun(trial) : trial.kind === 'attack';
