export type {
  Accountant,
  AccountantName,
  AccountantOptions,
  Bound,
  Guarantee,
  Unit,
} from './accountant.js';
export { type AccountantChoice, accountantNames, accountantOf } from './accountants.js';
export { amplifyBySampling, type EpsilonDelta, groupPrivacy } from './amplification.js';
export { analyticGaussianNoise, classicGaussianNoise, gaussianDelta, gaussianEpsilon } from './analytic-gaussian.js';
export { type Calibrated, type Calibration, calibrateNoise } from './calibrate.js';
export { advancedAccountant, basicAccountant } from './composition-accountants.js';
export {
  approximate,
  composed,
  dpSgd,
  gaussian,
  laplace,
  type MetricOptions,
  metric,
  none,
  type PrivacyEvent,
  parallel,
  poissonSampled,
  pureEpsilon,
  randomizedResponse,
  selfComposed,
} from './events.js';
export { findNoise, type NoiseSearch } from './find-noise.js';
export { gdpAccountant } from './gdp-accountant.js';
export { membershipBound, mostTruePositives } from './membership-bound.js';
export { metricAccountant } from './metric-accountant.js';
export { momentsAccountant } from './moments-accountant.js';
export type { Neighbours } from './neighbours.js';
export { pldAccountant } from './pld-accountant.js';
export { rdpToDelta, rdpToEpsilon } from './rdp.js';
export { type RdpOptions, rdpAccountant } from './rdp-accountant.js';
export { sampledGaussianRdp } from './sampled-gaussian-rdp.js';
export { privacyStatement, type StatementOptions } from './statement.js';
export { zcdpAccountant } from './zcdp-accountant.js';
