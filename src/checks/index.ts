export {
  ArgumentError,
  check,
  expectTexts,
  FileError,
  finite,
  nonNegative,
  nonNegativeInteger,
  positive,
  positiveInteger,
} from './checks.js';
export {
  expectationOf,
  isOption,
  type Option,
  type OptionSchema,
  type OptionValues,
  readOptions,
  refuseUnknown,
} from './options.js';
