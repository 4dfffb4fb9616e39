// What follows from an attack's goal.

import type { AboutAttack } from './results.js';

type Goal = Pick<AboutAttack, 'goal'>;

/** Whether an attack recovers text from what a client shares. */
export const recoversText = ({ goal }: Goal): boolean => goal === 'reconstruction';

/** Whether an attack reads a trained model. Then leakage has one value per seed, from the same runs as utility. */
export const readsTrainedModel = ({ goal }: Goal): boolean => goal === 'membership';
