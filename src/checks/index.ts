export {
  ArgumentError,
  check,
  expectTexts,
  FileError,
  finite,
  inTermsOf,
  messageOf,
  nonNegative,
  nonNegativeInteger,
  positive,
  positiveInteger,
} from './checks.js';
export {
  advice,
  type Message,
  type OptionWord,
  option,
  renameOptions,
  say,
  setting,
  writeMessage,
} from './message.js';
export {
  expectationOf,
  isOption,
  type Option,
  type OptionSchema,
  type OptionValues,
  readOptions,
  refuseUnknown,
} from './options.js';
