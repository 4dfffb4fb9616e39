// The training loop: compute gradients, update, save from time to time. The caller decides what a step computes; private
// training adds clipping and noise there.

import { positive, positiveInteger } from '../checks/index.js';
import { type Configuration, loadTraining, saveTraining, type TrainingState } from './checkpoint.js';
import type { Arrays, Optimizer } from './optimizers.js';

/** Loss and gradients of one step. */
export interface StepOutcome {
  readonly loss: number;
  readonly gradients: Arrays;
}

/** The report after a step. */
interface StepReport {
  /** Steps done, this one included. */
  readonly step: number;
  readonly loss: number;
}

/** The parameters to train, how, and for how long. */
export interface LoopOptions {
  /** Updated in place. */
  readonly parameters: Arrays;
  readonly optimizer: Optimizer;
  /** Steps in all, those before resuming included. */
  readonly steps: number;
  /** Gradients of step 0, 1, … They must depend only on step and parameters, or a resumed run differs from an uninterrupted one. */
  readonly compute: (step: number) => Promise<StepOutcome>;
  readonly checkpoint?: CheckpointOptions;
  /** Writes what a step leaves beside the checkpoint. Comes before the checkpoint of the step, so that records are never behind it. */
  readonly record?: (report: StepReport, state: TrainingState) => void | Promise<void>;
  /** Hears of a step once everything of it is saved: its records, and its checkpoint if one is due. */
  readonly onStep?: (report: StepReport, state: TrainingState) => void | Promise<void>;
  /** Stops after the current step. */
  readonly signal?: AbortSignal;
}

/** Where and how often a run is saved. */
export interface CheckpointOptions {
  readonly path: string;
  /**
   * Steps between two checkpoints; the last state is always saved. Or seconds of work between two of them: the end of a run is then
   * not saved, because its result follows at once, and a kill costs no more than that time.
   */
  readonly every: number | { readonly seconds: number };
  readonly configuration: Configuration;
  /** Figures that the caller adds up in `record`: saved with every checkpoint, and restored from it before the first step. */
  readonly tally?: Record<string, number>;
  /** Continues from the checkpoint if there is one. If false, it is overwritten. */
  readonly resume: boolean;
}

/** Where a loop ended. */
interface LoopResult {
  readonly step: number;
  /** False if `signal` stopped it. */
  readonly finished: boolean;
  readonly state: TrainingState;
}

/** Trains until `steps` is reached or `signal` is aborted. Throws if the loss is not finite. */
export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  const { parameters, optimizer, steps, compute, checkpoint, record, onStep, signal } = options;
  positiveInteger({ steps });
  const tally = checkpoint?.tally;
  const state: TrainingState = { parameters, optimizer: optimizer.init(parameters), ...(tally && { tally }) };
  const every = checkpoint?.every ?? 1;
  if (typeof every === 'number') positiveInteger({ every });
  else positive({ seconds: every.seconds });
  if (checkpoint?.resume) await loadTraining(checkpoint.path, state, checkpoint.configuration);
  let saved = state.optimizer.step;
  let savedAt = performance.now();
  const save = async () => {
    if (checkpoint === undefined) return;
    await saveTraining(checkpoint.path, state, checkpoint.configuration);
    saved = state.optimizer.step;
    savedAt = performance.now();
  };
  const isDue = (step: number): boolean => {
    if (signal?.aborted) return true;
    if (typeof every !== 'number') return step < steps && performance.now() - savedAt >= 1000 * every.seconds;
    return step >= steps || step - saved >= every;
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
    await record?.({ step, loss }, state);
    if (isDue(step)) await save();
    // Said last: a kill loses at most the step that is under way, never one that was reported.
    await onStep?.({ step, loss }, state);
  }
  // Only if the signal came from `onStep`.
  if (signal?.aborted && state.optimizer.step > saved) await save();
  return { step: state.optimizer.step, finished: state.optimizer.step >= steps, state };
}
