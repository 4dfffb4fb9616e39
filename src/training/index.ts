export { type Configuration, loadTraining, saveTraining, type TrainingState } from './checkpoint.js';
export { type Classifier, type ClassifierOptions, type LabelledRows, openClassifier } from './classifier.js';
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
export {
  type EpochReport,
  type Scores,
  scoreLogits,
  type TrainOptions,
  type TrainProgress,
  type TrainResult,
  trainClassifier,
} from './train.js';
