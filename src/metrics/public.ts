export type { Interval } from '../math/index.js';
export { assign, matchGuesses } from './assignment.js';
export { type BootstrapOptions, bootstrapIntervals, type MeanWithInterval, type Statistics } from './bootstrap.js';
export { editSimilarity, wordSimilarity } from './characters.js';
export { type ClassificationScores, scoreClasses } from './classification.js';
export { cosine, type Embed } from './cosine.js';
export { type FindFacts, factsRecovered, learnFacts } from './facts.js';
export { chanceOfNaming, falseAlarmRates, falseShares, namingRate, ranksOf } from './false-alarms.js';
export { type Lexicon, openLexicon } from './lexicon.js';
export { type MeteorOptions, meteor } from './meteor.js';
export { exactMatch, jaccard } from './overlap.js';
export { type FindPersonal, learnPersonal, type PersonalKind, type PersonalSpan } from './personal.js';
export { rankCorrelation } from './rank-correlation.js';
export { type RankTest, rankTest } from './rank-test.js';
export {
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
  type RocPoint,
  type RocRates,
  readRoc,
  rocCurve,
  truePositiveRateAt,
} from './roc.js';
export { meanRoc, thinRoc } from './roc-curves.js';
export { type Overlap, rougeL, rougeN, type SubsequenceOverlap } from './rouge.js';
export { studentInterval } from './student-interval.js';
export { type ScoreName, type ScoreOptions, scoreTexts, summarizeScores, type TextScores } from './text-scores.js';
export { type SplitWords, splitters } from './words.js';
