// The training loop: compute gradients, update, now and then save. What a step computes is the caller's; private training
// puts clipping and noise there.

import { positiveInteger } from '../checks/index.js';
import { type Configuration, loadTraining, saveTraining, type TrainingState } from './checkpoint.js';
import type { Arrays, Optimizer } from './optimizers.js';

export interface StepOutcome {
  readonly loss: number;
  readonly gradients: Arrays;
}

interface StepReport {
  /** Steps done, this one included. */
  readonly step: number;
  readonly loss: number;
}

export interface LoopOptions {
  /** Changed in place. */
  readonly parameters: Arrays;
  readonly optimizer: Optimizer;
  /** Steps in all, those of earlier runs included. */
  readonly steps: number;
  /** Gradients at step 0, 1, …; it must depend on nothing but the step and the parameters, or resuming is not repeating. */
  readonly compute: (step: number) => Promise<StepOutcome>;
  readonly checkpoint?: CheckpointOptions;
  readonly onStep?: (report: StepReport, state: TrainingState) => void | Promise<void>;
  /** Stops after the step under way. */
  readonly signal?: AbortSignal;
}

export interface CheckpointOptions {
  readonly path: string;
  /** Steps between two checkpoints; the last state is always saved. */
  readonly every: number;
  readonly configuration: Configuration;
  /** Go on from the checkpoint if there is one. Otherwise it is overwritten. */
  readonly resume: boolean;
}

export interface LoopResult {
  readonly step: number;
  readonly finished: boolean;
  readonly state: TrainingState;
}

export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  const { parameters, optimizer, steps, compute, checkpoint, onStep, signal } = options;
  positiveInteger({ steps });
  const state: TrainingState = { parameters, optimizer: optimizer.init(parameters) };
  if (checkpoint !== undefined) {
    positiveInteger({ every: checkpoint.every });
    if (checkpoint.resume) await loadTraining(checkpoint.path, state, checkpoint.configuration);
  }
  let saved = state.optimizer.step;
  const save = async () => {
    if (checkpoint === undefined) return;
    await saveTraining(checkpoint.path, state, checkpoint.configuration);
    saved = state.optimizer.step;
  };

  while (state.optimizer.step < steps && !signal?.aborted) {
    const { loss, gradients } = await compute(state.optimizer.step);
    if (!Number.isFinite(loss)) {
      throw new Error(
        `training diverged: the loss of step ${state.optimizer.step + 1} is ${loss}: try a smaller learning rate`,
      );
    }
    optimizer.update(parameters, gradients, state.optimizer);
    const { step } = state.optimizer;
    await onStep?.({ step, loss }, state);
    // Last: what `onStep` notes down is never behind the checkpoint.
    if (checkpoint !== undefined && step - saved >= checkpoint.every) await save();
  }
  if (state.optimizer.step > saved) await save();
  return { step: state.optimizer.step, finished: state.optimizer.step >= steps, state };
}
