export {
  bucketBatches,
  bucketOf,
  fillBatch,
  lengthBuckets,
} from './batches.js';
export { bundledData } from './bundled.js';

export { checkClasses } from './classes.js';
export { type DataSet, type Example, type SplitName, splitNames } from './data-set.js';
export { digestExamples } from './digest.js';
export { decodeText, type TextEncoding, textEncodings } from './encodings.js';
export { type HeldOut, holdOut } from './hold-out.js';
export { placeDataSet } from './hub-data.js';
export { type LoadOptions, loadDataSet } from './load.js';
export { wordLimit as mailWordLimit } from './mail/clean.js';
export { expectMail } from './mail/corpus.js';
export { loadMail, prepareMail } from './mail/load.js';
export { type NamedRecord, readNamedRecords } from './named-records.js';
export {
  paperSplit,
  restorePaperSplit,
} from './paper-split.js';
export { dataFormats, type ReadOptions } from './record.js';
export { numberRows, type RowNumber } from './row-numbers.js';
export { type Row, readRows } from './rows.js';
export { poissonBatch, shuffledBatches } from './sampling.js';
export {
  pick,
  restoreSplit,
  type Split,
  splitShares,
  splitWays,
  undersample,
} from './splits.js';
export { type DataSummary, type LengthQuantiles, type PartSummary, summarize } from './summary.js';
export {
  makeTokenizer,
  type Tokenizer,
} from './tokenizer.js';
export { describeWordPiece, openTokenizer } from './tokenizer-files.js';
export { countWords, trainWordPiece } from './wordpiece.js';
