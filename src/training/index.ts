export { type Configuration, loadTraining, saveTraining, type TrainingState } from './checkpoint.js';
export {
  type CheckpointOptions,
  type LoopOptions,
  type LoopResult,
  runLoop,
  type StepOutcome,
  type StepReport,
} from './loop.js';
export {
  type AdamOptions,
  type Arrays,
  adam,
  adamW,
  linearSchedule,
  type Optimizer,
  type OptimizerState,
  type Schedule,
  type SgdOptions,
  sgd,
} from './optimizers.js';
