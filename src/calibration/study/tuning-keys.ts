// Keys of a study that do not fit the values to be tuned, and what is filled in where values are tuned.

import { attacks } from '../../attacks/index.js';
import { noisyNames } from '../../mechanisms/index.js';
import type { KeyFault } from './key-fault.js';
import type { Study } from './study.js';
import { isTuned } from './tuning.js';

/** Keys that do not fit the values to be tuned. */
export function tuningFaults({ training, seeds, mechanisms, data, attacks: chosen }: Study): KeyFault[] {
  const { epochs, learningRate, tuning } = training;
  const path = ['training', 'tuning'];
  const faults: KeyFault[] = [];
  if (tuning && !isTuned(epochs) && !isTuned(learningRate)) {
    faults.push({ path, expected: 'expected learningRate or epochs as {tune: [..]} beside it', got: tuning });
  }
  if (tuning?.seeds !== undefined && tuning.seeds > seeds.length) {
    const expected = `expected at most the ${seeds.length} seeds of the study`;
    faults.push({ path: [...path, 'seeds'], expected, got: tuning.seeds });
  }
  const tunes = isTuned(epochs) || isTuned(learningRate);
  const onModels = attacks.find(({ name, sees }) => sees === 'losses' && name in chosen);
  if (tunes && data.split === 'calibration-paper' && onModels) {
    const expected = `expected no tuning beside attacks.${onModels.name}, whose non-members are the validation examples of this split`;
    faults.push({ path: ['data', 'split'], expected, got: data.split });
  }
  const byEpsilon = noisyNames.find((name) => 'epsilon' in (mechanisms[name] ?? {}));
  if (isTuned(epochs) && byEpsilon !== undefined) {
    const expected = `expected one number of epochs, because the noise of mechanisms.${byEpsilon}.epsilon depends on it (or give noise instead)`;
    faults.push({ path: ['training', 'epochs'], expected, got: epochs });
  }
  return faults;
}

/** A study that tunes says how, also where its file leaves that out. */
export function withTuning(study: Study): Study {
  const { training } = study;
  const tunes = isTuned(training.learningRate) || isTuned(training.epochs);
  return tunes ? { ...study, training: { ...training, tuning: { accounted: false, ...training.tuning } } } : study;
}
