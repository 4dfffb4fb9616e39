// Attacks that this model and data do not allow are said before anything is run, not after training.

import { ArgumentError } from '../../checks/index.js';
import type { StudyInputs } from '../inputs.js';
import type { Trial } from '../trial.js';
import { decepticonsInputs } from './decepticons.js';
import { spanInputs } from './span.js';

export function checkAttacks(trials: readonly Trial[], inputs: StudyInputs): void {
  // All levels attack the same texts: the first speaks for all.
  const first = new Map(trials.toReversed().map((trial) => [trial.kind, trial]));
  for (const trial of first.values()) {
    try {
      if (trial.kind === 'span') spanInputs(inputs, trial.settings);
      if (trial.kind === 'decepticons') decepticonsInputs(inputs, trial.settings);
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      throw new ArgumentError(`invalid attacks.${trial.kind}: ${error.message}: change the study`);
    }
  }
}
