// The layout of a folder of studies.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isTuningRun, type Trial } from './trial.js';

export const storePath = (folder: string): string => join(folder, 'store.db');
export const artefactsOf = (folder: string, id: string): string => join(folder, 'artefacts', id);

/** Whether the artefacts that later trials and the report read still exist. */
export const isWhole = (folder: string, trial: Trial): boolean =>
  !leavesArtefacts(trial) || existsSync(artefactsOf(folder, trial.id));

const leavesArtefacts = (trial: Trial): boolean =>
  trial.kind === 'train' ? !isTuningRun(trial) : trial.kind === 'attack' && trial.settings.sees === 'gradient';
