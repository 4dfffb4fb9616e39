export type { Accountant, AccountantName, Guarantee } from './accountant.js';
export { type AccountantChoice, accountantNames, accountantOf } from './accountants.js';
export { amplifyBySampling, groupPrivacy, parallelComposition } from './amplification.js';
export { analyticGaussianNoise, classicGaussianNoise, gaussianDelta, gaussianEpsilon } from './analytic-gaussian.js';
export { calibrateNoise } from './calibrate.js';
export { advancedAccountant, basicAccountant } from './composition-accountants.js';
export {
  approximate,
  composed,
  dpSgd,
  gaussian,
  laplace,
  metric,
  none,
  type PrivacyEvent,
  parallel,
  poissonSampled,
  pureEpsilon,
  randomizedResponse,
  selfComposed,
} from './events.js';
export { findNoise, noiseTolerance } from './find-noise.js';
export { gdpAccountant } from './gdp-accountant.js';
export { membershipBound, mostTruePositives } from './membership-bound.js';
export { metricAccountant } from './metric-accountant.js';
export { momentsAccountant } from './moments-accountant.js';
export type { Neighbours } from './neighbours.js';
export { defaultOrders } from './orders.js';
export { pldAccountant } from './pld-accountant.js';
export { rdpToDelta, rdpToEpsilon } from './rdp.js';
export { rdpAccountant } from './rdp-accountant.js';
export { sampledGaussianRdp } from './sampled-gaussian-rdp.js';
export { privacyStatement, weakEpsilon } from './statement.js';
export { writeNumber } from './write-number.js';
export { zcdpAccountant } from './zcdp-accountant.js';
