// What lies where in the folder of studies.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Trial } from './trial.js';

export const storePath = (folder: string): string => join(folder, 'store.db');
export const artefactsOf = (folder: string, id: string): string => join(folder, 'artefacts', id);

/** What later trials and the report read is still there. */
export const isWhole = (folder: string, trial: Trial): boolean =>
  !leavesArtefacts(trial) || existsSync(artefactsOf(folder, trial.id));

const leavesArtefacts = ({ kind, settings }: Trial): boolean =>
  kind === 'train' || (kind === 'attack' && settings.sees === 'gradient');
