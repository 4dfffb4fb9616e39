// What stays open in a process from one trial to the next. It saves time and changes no figure.

import { openReconstructionPool, type ReconstructionPool } from '../../../attacks/index.js';
import { type ClassifierPool, openClassifierPool } from './classifier-pool.js';
import { makeOpenTraining, type OpenTraining } from './open-training.js';

export interface Kept {
  readonly reconstructions: ReconstructionPool;
  readonly classifiers: ClassifierPool;
  readonly training: OpenTraining;
  readonly close: () => Promise<void>;
}

export function openKept(): Kept {
  const [reconstructions, classifiers, training] = [openReconstructionPool(), openClassifierPool(), makeOpenTraining()];
  return {
    reconstructions,
    classifiers,
    training,
    close: async () => {
      await training.close();
      await reconstructions.close();
      await classifiers.close();
    },
  };
}
