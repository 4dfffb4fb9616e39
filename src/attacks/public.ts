export type {
  Attack,
  AttackSetting,
  AttackWords,
  GradientAttack,
  LossAttack,
  Measure,
  OpenGradientAttack,
} from './attack.js';
export { type Client, type ClientOptions, openClient, type Shared, type ShareOptions } from './client.js';
export type { ClientLoss, ClientLossName } from './client-loss.js';
export type { SharedCosine } from './cosines.js';
export { type ClientInputs, sentenceGradients } from './decepticons/client.js';
export {
  type DecepticonsOptions,
  type DecepticonsRecovery,
  type DecepticonsView,
  decepticonsAttack,
  decepticonsParameters,
} from './decepticons/decepticons.js';
export {
  type Change as MaliciousChange,
  type Malicious,
  type MaliciousOptions,
  maliciousParameters,
} from './decepticons/parameters.js';
export type { Attacker as DecepticonsAttacker, Settings as DecepticonsSettings } from './decepticons/settings.js';
export type { Tables as MaliciousTables } from './decepticons/tables.js';
export {
  type EvaluationOptions,
  type EvaluationProgress,
  evaluateReconstruction,
  type ReconstructionResult,
} from './evaluation/evaluate.js';
export { attackGradientFile, type GradientFileOptions, type GradientFileResult } from './evaluation/gradient-file.js';
export type { OpenJob, ReconstructionJob } from './evaluation/job.js';
export {
  evaluateMembership,
  type Figure,
  type MembershipOptions,
  type MembershipResult,
  type MembershipTruth,
} from './evaluation/membership.js';
export type { AttackedBatch, Reconstruction } from './evaluation/reconstruction.js';
export type { RecoveredSentence } from './evaluation/recovered.js';
export type { ScoredSentence } from './evaluation/scores.js';
export { encodeTexts, type SampleOptions, sampleSentences } from './evaluation/sentences.js';
export { type AttackedModel, type AttackedModelOptions, openAttackedModel } from './model.js';
export { type AttackName, attacks, findAttack } from './registry.js';
export { spanParameters } from './span/first-block.js';
export { type FirstInputs, openFirstInputs } from './span/inputs.js';
export { openPrior, type Prior } from './span/prior.js';
export { openSecondInputs, type SecondInputs } from './span/second-inputs.js';
export { type SpanOptions, type SpanRecovery, spanAttack } from './span/span.js';
export type { Subspace } from './span/subspace.js';
export type { GradientView, LossView, Recovery } from './view.js';
