export { ArgumentError, nonNegativeInteger, positive, positiveInteger } from './check.js';
export { exp, ln } from './special.js';
