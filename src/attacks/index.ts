export type {
  Attack,
  GradientAttack,
  InsightNeed,
  LossAttack,
  MembershipAttack,
  ReferenceNeed,
  WorldAttack,
} from './attack.js';
export { type Client, openClient } from './client.js';
export { type ClientLoss, type ClientLossName, lossWords } from './client-loss.js';
export { sharedCosine } from './cosines.js';
export { sentenceGradients } from './decepticons/client.js';
export {
  type DecepticonsView,
  decepticonsAttack,
  decepticonsParameters,
} from './decepticons/decepticons.js';
export {
  type Malicious,
  maliciousParameters,
} from './decepticons/parameters.js';
export type { Attacker as DecepticonsAttacker } from './decepticons/settings.js';
export { boundOn, isBounded, type MembershipBound } from './evaluation/bound.js';
export { certainFrom, certainShare, statedTokens } from './evaluation/certainty.js';
export {
  type EvaluationOptions,
  type EvaluationProgress,
  evaluateReconstruction,
  type ReconstructionResult,
} from './evaluation/evaluate.js';
export { type GenieResult, type GenieTally, genieResult } from './evaluation/genie.js';
export { attackGradientFile, type GradientFileResult } from './evaluation/gradient-file.js';
export type { OpenJob, ReconstructionJob } from './evaluation/job.js';
export { compareKinds, type KindExamples, type KindTest } from './evaluation/kind.js';
export type { SearchFailures, SearchLimit } from './evaluation/limit.js';
export {
  type CandidateResult,
  evaluateCandidates,
  evaluateMembership,
  type Figure,
  type LogitSide,
  type MembershipResult,
  type MembershipTruth,
  truthOfLogits,
} from './evaluation/membership.js';
export { addPriorTexts } from './evaluation/prior-floor.js';
export {
  type AttackedBatch,
  openReconstruction,
  planReconstruction,
  type ReconstructionOptions,
  sharedWith,
} from './evaluation/reconstruction.js';
export { openReconstructionPool, type ReconstructionPool } from './evaluation/reconstruction-pool.js';
export { type RecoveredSentence, recoverSentences } from './evaluation/recovered.js';
export { type ScoredSentence, scoreSentences } from './evaluation/scores.js';
export { batchesOf, encodeTexts, sampledTexts, sampleSentences } from './evaluation/sentences.js';
export { isRecovered, recoveryThreshold } from './evaluation/stands-out.js';
export {
  chanceAt,
  isMeasurable,
  kindWarnings,
  membershipVerdict,
  type OthersFrom,
  onlyMeasurable,
} from './evaluation/verdict.js';

export { readScoreFile } from './membership/score-file.js';
export { type AttackedModel, openAttackedModel, storedName, type TokensAround, tokensAround } from './model.js';
export { type AttackFor, type AttackName, attacks, findAttack } from './registry.js';
export {
  type Situation,
  type SituationName,
  situationNames,
  situationOf,
  situations,
} from './situation.js';
export { spanParameters } from './span/first-block.js';
export { type FirstInputs, openFirstInputs } from './span/inputs.js';
export { openPrior, type Prior } from './span/prior.js';
export { openSecondInputs, type SecondInputs } from './span/second-inputs.js';
export { spanAttack } from './span/span.js';
export { findSubspace, type Subspace } from './span/subspace.js';
export type { GradientView, Insight, LossView, ReferenceModel } from './view.js';
export { assignExamples, expectWorld, type ModelExamples, usualSplit, type WorldSplit } from './world/assignment.js';
export { type DrawControl, evaluateWorld, type TargetResult } from './world/evaluate-world.js';
export { stepsLimit, watchLimit } from './world/insight.js';
export { addQueries } from './world/queries.js';
export { type WorldRecipe, worldRecipes } from './world/recipes.js';
export { truthOf } from './world/truth.js';
export {
  openWorld,
  type WorldModel,
  type WorldProgress,
} from './world/world.js';
