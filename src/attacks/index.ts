export { type Client, type ClientOptions, openClient, type Shared } from './client.js';
export { type Figure, type LossView, lossThresholdAttack, type MembershipResult } from './membership.js';
export { type Protected, type Protection, protect, type Scope } from './protection.js';
export { spanParameters } from './span/first-block.js';
export { type FirstInputs, openFirstInputs } from './span/inputs.js';
export { type SpanOptions, type SpanRecovery, spanAttack } from './span/span.js';
export { findSubspace, type Subspace } from './span/subspace.js';
export type { GradientView, Recovery } from './view.js';
