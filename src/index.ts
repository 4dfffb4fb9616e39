// The front door: what `import { … } from 'epsilens'` offers. The rooms behind it are epsilens/data, epsilens/models and so on.

export {
  type AttackOptions,
  type AttackResult,
  attack,
  attackScores,
  type CalibrateOptions,
  calibrate,
  type ExposedMember,
  type ExposedMembers,
  type FineTuneLora,
  type FineTuneOptions,
  type FineTuneProgress,
  type FineTuneRun,
  fineTune,
  type GradientAttackOptions,
  type HoldOutRecord,
  type LanguageModel,
  type ListedModel,
  listModels,
  loadDataSet,
  loadModel,
  type MembershipAttackOptions,
  type MembershipProgress,
  type MembershipReport,
  type ModelsOfOneRun,
  type ModelsOnSameData,
  type ModelVerification,
  type PrivacyOptions,
  type PrivacyRecord,
  type PullOptions,
  pullModel,
  type ScoresAttackOptions,
  type ScoresReport,
  type ScoresResult,
  type SharingMechanism,
  type StatementDifference,
  type StatementVerification,
  type TextRecovery,
  type Verification,
  type VerificationStatus,
  type VerifyOptions,
  type VerifyStatementOptions,
  verifyModels,
  verifyStatement,
  type WorldAttackOptions,
  type WorldReport,
  type WriteReportOptions,
  type WrittenReport,
  writeReport,
} from './api/index.js';
export type { AttackName, EvaluationProgress, WorldProgress, WorldRecipe, WorldSplit } from './attacks/index.js';
export type { Study, StudyDescription, StudyPlan, StudyProgress, StudyResults } from './calibration/index.js';
export { ArgumentError, FileError } from './checks/index.js';
export type { DataSet, LoadOptions as LoadDataSetOptions } from './data/index.js';
export type {
  ClassifyOptions,
  LoadOptions as LoadModelOptions,
  Model,
  Prediction,
  TextLabels,
  WordPrediction,
} from './models/index.js';
export type { DownloadProgress } from './platform/index.js';
export type { Guarantee } from './privacy/index.js';
export type { PrivacyResult, Scores } from './training/index.js';
