export { assign, matchGuesses, matchTokens } from './assignment.js';
export {
  bootstrapIntervals,
  type MeanWithInterval,
  meansWithIntervals,
  resample,
} from './bootstrap.js';
export { editSimilarity, wordSimilarity } from './characters.js';
export { type ClassificationScores, scoreClasses } from './classification.js';
export { cosine, type Embed } from './cosine.js';
export { factsRecovered, learnFacts } from './facts.js';
export { chanceOfNaming, falseAlarmRates, falseShares, namingRate, ranksOf } from './false-alarms.js';
export { type Lexicon, openLexicon } from './lexicon.js';
export { meteor } from './meteor.js';
export { exactMatch, jaccard } from './overlap.js';
export { type FindPersonal, learnPersonal, type PersonalKind } from './personal.js';
export { rankCorrelation } from './rank-correlation.js';
export { rankTest } from './rank-test.js';
export {
  answersFrom,
  calibrationError,
  poolBins,
  type ReliabilityBin,
  type ReliabilityShare,
  reliabilityBins,
  reliabilityShares,
  type StatedAnswer,
} from './reliability.js';
export {
  areaUnderRoc,
  bestAdvantage,
  type RocRates,
  readRoc,
  rocCurve,
  separation,
  truePositiveRateAt,
} from './roc.js';
export { meanRoc, thinRoc } from './roc-curves.js';
export { rougeL, rougeN } from './rouge.js';
export {
  addErrors,
  errorOfMean,
  halfWidth,
  type StandardError,
  studentInterval,
} from './student-interval.js';
export { type ScoreName, scoreTexts, summarizeScores, type TextScores } from './text-scores.js';
export { expectWordNet } from './wordnet.js';
export { findSplitter, type SplitWords, splitters } from './words.js';
