// What stays open in a process from one trial to the next. It saves time and changes no figure.

import { openReconstructionPool, type ReconstructionPool } from '../../../attacks/index.js';
import { type ClassifierPool, openClassifierPool } from './classifier-pool.js';

export interface Kept {
  readonly reconstructions: ReconstructionPool;
  readonly classifiers: ClassifierPool;
  readonly close: () => Promise<void>;
}

export function openKept(): Kept {
  const [reconstructions, classifiers] = [openReconstructionPool(), openClassifierPool()];
  return {
    reconstructions,
    classifiers,
    close: async () => {
      await reconstructions.close();
      await classifiers.close();
    },
  };
}
