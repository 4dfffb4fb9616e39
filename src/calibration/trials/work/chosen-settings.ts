// The settings of a training run where they are tuned: chosen by what the tuning runs that it needs scored on validation data.

import type { Plan } from '../../../mechanisms/index.js';
import type { Level } from '../../analysis/results.js';
import { planOf } from '../../study/levels.js';
import {
  bySettings,
  chooseSettings,
  isTuned,
  type TunedSettings,
  type TuningRun,
  triedSettings,
} from '../../study/tuning.js';
import type { Outcome } from '../store.js';
import type { TrainTrial, Trial } from '../trial.js';
import type { WorkContext } from './work.js';

/** What a tuning run leaves beside its scores. */
export interface TuningDetails {
  readonly settings: TunedSettings;
  readonly level: Level;
}

/** The scores of a tuning run. */
export function tuningRunOf({ measurements, details }: Outcome): TuningRun {
  const scoreOf = (name: string) => measurements.find((one) => one.name === name)?.value as number;
  const { settings } = details as unknown as TuningDetails;
  return { settings, accuracy: scoreOf('validationAccuracy'), loss: scoreOf('validationLoss') };
}

export interface ChosenSettings {
  readonly settings: TunedSettings;
  /** The plans of the runs that were tried to choose them; none if nothing is tuned. */
  readonly tried: readonly Plan[];
  /** The levels of these runs. */
  readonly triedAt: readonly Level[];
  /** The most epochs that could have been chosen. */
  readonly mostEpochs: number;
}

export function chosenSettings(
  { learningRate, epochs }: Pick<TrainTrial, 'learningRate' | 'epochs'>,
  needs: Trial['needs'],
  { inputs, outcomeOf }: Pick<WorkContext, 'inputs' | 'outcomeOf'>,
): ChosenSettings {
  if (!isTuned(learningRate) && !isTuned(epochs)) {
    return { settings: { learningRate, epochs }, tried: [], triedAt: [], mostEpochs: epochs };
  }
  const tuning = needs.map(outcomeOf).filter(({ details }) => 'settings' in details);
  const details = tuning.map((one) => one.details as unknown as TuningDetails);
  return {
    triedAt: details.map(({ level }) => level),
    mostEpochs: Math.max(...triedSettings({ learningRate, epochs }).map((one) => one.epochs)),
    settings: chooseSettings(bySettings(tuning.map(tuningRunOf))),
    tried: details.map(({ level, settings }) => planOf(inputs, level, settings.epochs)),
  };
}
