export { attack } from './attack.js';
export { runGradientAttack, usualCount } from './attack-gradients.js';
export { attackMembership } from './attack-membership.js';
export type {
  AttackOptions,
  AttackResult,
  GradientAttackOptions,
  MembershipAttackOptions,
  MembershipProgress,
  MembershipReport,
  ScoresAttackOptions,
  ScoresReport,
  ScoresResult,
  SharingMechanism,
  TextRecovery,
  WorldAttackOptions,
  WorldReport,
} from './attack-options.js';
export { attackScores } from './attack-scores.js';
export { attackWorld, worldKeys } from './attack-world.js';
export { type CalibrateOptions, type Calibration, calibrate, runCalibration } from './calibrate.js';
export { loadDataSet } from './data-set.js';
export type { ExposedMember, ExposedMembers } from './exposed-members.js';
export { fineTune, runFineTuning } from './fine-tune.js';
export type {
  FineTuneLora,
  FineTuneOptions,
  FineTuneProgress,
  FineTuneRun,
  PrivacyOptions,
} from './fine-tune-options.js';
export type { HoldOutRecord } from './hold-out.js';
export { type LanguageModel, loadModel } from './language-model.js';
export { type ListedModel, listModels, type PullOptions, pullModel } from './models.js';
export type { PrivacyRecord } from './privacy-record.js';
export { describeRun } from './run-folder.js';
export {
  type ModelVerification,
  type Verification,
  type VerificationStatus,
  type VerifyOptions,
  verifyModels,
} from './verify.js';
export type { ModelsOfOneRun, ModelsOnSameData } from './verify-runs.js';
export {
  findStatements,
  isStatementPath,
  type StatementDifference,
  type StatementVerification,
  type VerifyStatementOptions,
  verifyStatement,
} from './verify-statement.js';
export { type WriteReportOptions, type WrittenReport, writeReport } from './write-report.js';
