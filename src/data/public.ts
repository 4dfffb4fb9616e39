export type { DownloadProgress } from '../platform/index.js';
export {
  type BatchOptions,
  type BatchShape,
  bucketBatches,
  fillBatch,
  lengthBuckets,
  type TokenBatch,
} from './batches.js';
export { checkClasses } from './classes.js';
export type { ColumnChoice, ColumnOptions } from './columns.js';
export { type DataSet, type Example, type SplitName, splitNames } from './data-set.js';
export type { TextEncoding } from './encodings.js';
export { type HeldOut, type HoldOutOptions, holdOut } from './hold-out.js';
export { type DataSetPlace, type DownloadOptions, placeDataSet } from './hub-data.js';
export { type LoadOptions, loadDataSet } from './load.js';
export {
  type PaperSplit,
  type PaperSplitRecord,
  paperSplit,
  restorePaperSplit,
  type Selection,
} from './paper-split.js';
export type { DataFormat, ReadOptions } from './record.js';
export { numberRows, type RowNumber } from './row-numbers.js';
export { type Row, readRows } from './rows.js';
export { poissonBatch, shuffledBatches } from './sampling.js';
export {
  pick,
  restoreSplit,
  type Split,
  type SplitPlan,
  type SplitRecord,
  splitShares,
  splitWays,
  undersample,
} from './splits.js';
export { type DataSummary, type LengthQuantiles, type PartSummary, summarize } from './summary.js';
export {
  type EncodeOptions,
  makeTokenizer,
  type SpecialTokens,
  type Tokenizer,
  type TokenizerDescription,
} from './tokenizer.js';
export { describeWordPiece, openTokenizer } from './tokenizer-files.js';
export { countWords, trainWordPiece, type WordPieceOptions } from './wordpiece.js';
