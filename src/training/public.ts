export type {
  Clipping,
  MechanismName,
  ParameterGroups,
  Plan,
  PlanFor,
  PlanOptions,
  PlanOptionsFor,
} from '../mechanisms/index.js';
export type { BatchSums } from './batch-context.js';
export type { FeatureSettings } from './batch-source.js';
export type { Configuration } from './checkpoint.js';
export { type Classifier, type ClassifierOptions, type LabelledExamples, openClassifier } from './classifier.js';
export type { CutTexts, DataNotes } from './data-notes.js';
export type { ReleaseDiagnostics } from './diagnostics.js';
export type { Directions } from './direction-sums.js';
export type { DropoutSettings, StepDropout } from './dropout.js';
export { type EncodedDataSet, encodeDataSet } from './encode.js';
export {
  type AdamOptions,
  type Arrays,
  adam,
  adamW,
  type Optimizer,
  type OptimizerState,
  type Schedule,
  type SgdOptions,
  sgd,
} from './optimizers.js';
export { groupsByLayer } from './parameter-groups.js';
export { makePlan } from './plan.js';
export { linearSchedule, type ScheduleName, scheduleNames, scheduleOf } from './schedules.js';
export { lossesOf, type Scores, scoreLogits } from './scores.js';
export { trainClassifier } from './train.js';
export type {
  EpochReport,
  PrivacyResult,
  PrivateStepReport,
  RunFolder,
  Tally,
  TrainOptions,
  TrainProgress,
  TrainResult,
} from './train-options.js';
