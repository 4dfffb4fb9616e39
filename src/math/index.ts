export { ArgumentError, check, finite, nonNegative, nonNegativeInteger, positive, positiveInteger } from './check.js';
export { exp, ln } from './special.js';
