export {
  ArgumentError,
  check,
  FileError,
  finite,
  nonNegative,
  nonNegativeInteger,
  positive,
  positiveInteger,
} from './check.js';
export { type PivotedCholesky, pivotedCholesky, solveLower, solveUpper } from './cholesky.js';
export { clopperPearson, type Interval } from './clopper-pearson.js';
export { dotRange, multiplyRows } from './dot.js';
export { type Eigen, jacobiEigen, type LeadingOptions, leadingEigen } from './eigen.js';
export { fft, inverseFft } from './fft.js';
export { log1mExp, logAdd, logSubtract, logSumExp } from './log-space.js';
export { logNormalCdf, logNormalInterval, normalCdf } from './normal.js';
export { type BisectOptions, bisect, bracket } from './roots.js';
export { betaincinv, erf, erfc, erfcx, exp, ln, logGamma } from './special.js';
export { studentQuantile } from './student.js';
