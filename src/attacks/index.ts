export { type Protected, type Protection, protect, type Scope } from '../mechanisms/index.js';
export { type Client, type ClientOptions, openClient, type Shared } from './client.js';
export { cosinesTo, type SharedCosine } from './cosines.js';
export { type ClientInputs, type ClientLoss, sentenceGradients } from './decepticons/client.js';
export {
  type DecepticonsOptions,
  type DecepticonsRecovery,
  type DecepticonsView,
  decepticonsAttack,
  decepticonsParameters,
} from './decepticons/decepticons.js';
export type { Target as DecepticonsTarget } from './decepticons/layout.js';
export { clientLosses, type LossName as ClientLossName } from './decepticons/losses.js';
export {
  type Change as MaliciousChange,
  type Malicious,
  type MaliciousOptions,
  maliciousParameters,
} from './decepticons/parameters.js';
export { drawReluTransformer } from './decepticons/relu-transformer.js';
export {
  decepticonsRound,
  knownOf as decepticonsKnown,
  type Round as DecepticonsRound,
  type RoundOptions as DecepticonsRoundOptions,
} from './decepticons/round.js';
export type { Attacker as DecepticonsAttacker, Settings as DecepticonsSettings } from './decepticons/settings.js';
export { type Figure, type LossView, lossThresholdAttack, type MembershipResult } from './membership.js';
export { spanParameters } from './span/first-block.js';
export { type FirstInputs, openFirstInputs } from './span/inputs.js';
export { openPrior, type Prior } from './span/prior.js';
export { openSecondInputs, type SecondInputs } from './span/second-inputs.js';
export { type SpanOptions, type SpanRecovery, spanAttack } from './span/span.js';
export { findSubspace, type Subspace } from './span/subspace.js';
export type { GradientView, Recovery } from './view.js';
