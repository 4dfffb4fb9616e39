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
export { exp, ln } from './special.js';
