export { type Protected, type Protection, protect, type Scope } from './protection.js';
export { spanParameters } from './span/first-block.js';
export { type FirstInputs, openFirstInputs } from './span/inputs.js';
export { type SpanOptions, type SpanRecovery, spanAttack } from './span/span.js';
export { findSubspace, type Subspace } from './span/subspace.js';
export type { GradientView, Recovery } from './view.js';
