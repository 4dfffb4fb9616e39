export type {
  Attack,
  AttackSetting,
  AttackWords,
  GradientAttack,
  Judge,
  LossAttack,
  Measure,
  MembershipAttack,
  OpenGradientAttack,
  ReferenceNeed,
  SentenceNats,
  WorldAttack,
} from './attack.js';
export { type Client, type ClientOptions, openClient, type Shared, type ShareOptions } from './client.js';
export type { ClientLoss, ClientLossName } from './client-loss.js';
export type { SharedCosine } from './cosines.js';
export type { MembershipBound } from './evaluation/bound.js';
export type { Certainty } from './evaluation/certainty.js';
export {
  type EvaluationOptions,
  type EvaluationProgress,
  evaluateReconstruction,
  type ReconstructionResult,
} from './evaluation/evaluate.js';
export type { GenieResult, GenieTally } from './evaluation/genie.js';
export { attackGradientFile, type GradientFileOptions, type GradientFileResult } from './evaluation/gradient-file.js';
export type { OpenJob, ReconstructionJob } from './evaluation/job.js';
export { compareKinds, type KindExamples, type KindTest } from './evaluation/kind.js';
export type { LikelihoodMeasures } from './evaluation/likelihood-measures.js';
export type { SearchFailures, SearchLimit } from './evaluation/limit.js';
export {
  type CandidateResult,
  type Decision,
  evaluateCandidates,
  evaluateMembership,
  type Figure,
  type MembershipOptions,
  type MembershipResult,
  type MembershipTruth,
  type ReferenceTruth,
  type Sides,
} from './evaluation/membership.js';
export type { AttackedBatch, Reconstruction } from './evaluation/reconstruction.js';
export type { RecoveredSentence } from './evaluation/recovered.js';
export type { ScoredSentence } from './evaluation/scores.js';
export { encodeTexts, type SampleOptions, sampleSentences } from './evaluation/sentences.js';
export { readScoreFile } from './membership/score-file.js';
export { type AttackedModel, type AttackedModelOptions, openAttackedModel } from './model.js';
export { type AttackFor, type AttackName, attacks, findAttack } from './registry.js';
export { type Situation, type SituationName, situationOf, situations } from './situation.js';
export type { GradientView, LossView, Population, Recovery, ReferenceModel } from './view.js';
export { assignExamples, type ModelExamples, type WorldSplit } from './world/assignment.js';
export { evaluateWorld, type TargetResult, type WorldEvaluation } from './world/evaluate-world.js';
export { truthOf, type WorldMember } from './world/truth.js';
export {
  type ModelSays,
  openWorld,
  type World,
  type WorldModel,
  type WorldOptions,
  type WorldProgress,
  type WorldTraining,
} from './world/world.js';
