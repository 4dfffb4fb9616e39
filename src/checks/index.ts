export {
  ArgumentError,
  check,
  FileError,
  finite,
  nonNegative,
  nonNegativeInteger,
  positive,
  positiveInteger,
} from './checks.js';
