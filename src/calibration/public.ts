export type { DownloadProgress } from '../platform/index.js';
export type { Bridge, BridgeRow } from './analysis/bridge.js';
export { collectResults, type ListedStudy, listStudies } from './analysis/collect.js';
export {
  type EqualComparison,
  type EqualReading,
  noClearWinner,
  type Pair,
  type UtilityDifference,
} from './analysis/compare-curves.js';
export type {
  ComparedPair,
  Conclusions,
  Gap,
  MechanismConclusions,
  Reconstruction,
} from './analysis/conclusions.js';
export { type Curve, type CurveSource, leakageCurve, type Point, utilityCurve } from './analysis/curves.js';
export type { EqualCosine, EqualCosineReading } from './analysis/equal-cosine.js';
export {
  compareAtEqualLeakage,
  type EqualLeakage,
  type EqualLeakageReading,
  type OrderBySettings,
  type UtilityName,
} from './analysis/equal-leakage.js';
export type { GenieConclusion, GenieVerdict } from './analysis/genie.js';
export type { NoiseRatio, NoiseRatioReading } from './analysis/noise-ratio.js';
export type { ConclusiveOutcome, CurveOutcome, CurvePoint } from './analysis/outcomes.js';
export {
  type Answers,
  type AtEpsilon,
  type AttackAnswer,
  answer,
  type LeakageLimit,
  type LimitAnswer,
  type LimitedMeasure,
  type MechanismAnswer,
  type Question,
  type SituationAnswer,
  withQuestion,
} from './analysis/question.js';
export type { CurveReading, Place, Range } from './analysis/readings.js';
export type {
  AboutAttack,
  AboutMechanism,
  Behaviour,
  Comparison,
  ComputedWith,
  Estimate,
  ExposedRecord,
  Leakage,
  Level,
  LevelGuarantee,
  LevelRecords,
  LevelResults,
  LevelRoc,
  PlanResults,
  RepeatedNames,
  SetSize,
  SharedGuarantee,
  StatedEpsilon,
  StudyResults,
  TuningResults,
  Utility,
  Verdict,
} from './analysis/results.js';
export { type Difference, differencesOf } from './statement/differences.js';
export type { Figures } from './statement/figures-of.js';
export { type Statement, type StatementLevel, statementOf, statementText } from './statement/statement.js';
export { describeLevel } from './study/levels.js';
export type {
  AttackSettings,
  Study,
  StudyAttacks,
  StudyControl,
  StudyData,
  StudyPlan,
  StudySharing,
  StudyTraining,
  StudyTuning,
  Tunable,
} from './study/study.js';
export { bundledStudies, readStudy, studyFromYaml, studyToYaml } from './study/study-file.js';
export type { TunedSettings } from './study/tuning.js';
export { type RunOptions, runStudy, type StudyProgress, type StudyRun } from './trials/run-study.js';
