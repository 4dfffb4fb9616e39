// What follows from an attack's goal.

import type { AboutAttack } from './results.js';

type Goal = Pick<AboutAttack, 'goal'>;

/** It reads what a client shares. */
export const recoversText = ({ goal }: Goal): boolean => goal === 'reconstruction';

/** It reads a trained model, so it leaks once for each seed: what leaks and what is useful come from the same runs. */
export const readsTrainedModel = ({ goal }: Goal): boolean => goal === 'membership';
