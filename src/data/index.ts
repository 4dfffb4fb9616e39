export { type DataSet, type Example, type PartName, partNames } from './data-set.js';
export {
  type EncodeOptions,
  makeTokenizer,
  type SpecialTokens,
  type Tokenizer,
  type TokenizerDescription,
} from './tokenizer.js';
export { describeWordPiece, openTokenizer } from './tokenizer-files.js';
export { countWords, trainWordPiece, type WordPieceOptions } from './wordpiece.js';
