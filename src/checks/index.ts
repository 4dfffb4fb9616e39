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
export { expectationOf, type Option, type OptionSchema, type OptionValues, readOptions } from './options.js';
