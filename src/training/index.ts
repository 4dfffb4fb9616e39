export type { Plan, PlanOptionsFor } from '../mechanisms/index.js';
export { longestText } from './batch-source.js';
export { loadTraining, saveTraining } from './checkpoint.js';
export { type Classifier, type ClassifierOptions, type LabelledExamples, openClassifier } from './classifier.js';
export { digestTrainingData } from './data-digest.js';
export { type DataNotes, encodeWithNotes } from './data-notes.js';
export { differing } from './differing.js';
export { type DropoutSettings, expectDropoutActs, type StepDropout } from './dropout.js';
export { encodeDataSet, expectClasses } from './encode.js';
export type { GroupProducts } from './gradient-products.js';
export { type LedgerOptions, openLedger, readLedger } from './ledger.js';
export type { LedgerContents } from './ledger-file.js';
export {
  type CheckpointOptions,
  type LoopOptions,
  runLoop,
  type StepOutcome,
} from './loop.js';
export {
  type Arrays,
  adam,
  adamW,
  type Optimizer,
  type Schedule,
  sgd,
} from './optimizers.js';
export { groupsByLayer } from './parameter-groups.js';
export {
  clippedSum,
  gradientTerms,
  type ParameterTerms,
  productsWith,
  squaredNorms,
} from './per-example/index.js';
export { checkPlan, essentialPlan, makePlan, restorePlan } from './plan.js';
export {
  allSteps,
  eventOf,
  guaranteeOf,
  guaranteeOfRuns,
  type LedgerEntry,
  planStatement,
} from './plan-guarantee.js';
export { linearSchedule, type ScheduleName, scheduleNames, scheduleOf, usualWarmup } from './schedules.js';
export { classesOf, type Scores, scoreLogits } from './scores.js';
export { openTrainer, readParameters, type Trainer, trainClassifier } from './train.js';
export type {
  PrivacyResult,
  PrivateStepReport,
  StepRelease,
  Tally,
  TrainOptions,
  TrainProgress,
  TrainResult,
} from './train-options.js';
