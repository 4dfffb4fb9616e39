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
export type {
  AboutAttack,
  AboutMechanism,
  Behaviour,
  Comparison,
  Estimate,
  Leakage,
  Level,
  LevelGuarantee,
  LevelResults,
  SetSize,
  StudyResults,
  TuningResults,
  Utility,
  Verdict,
} from './analysis/results.js';
export { describeLevel } from './study/levels.js';
export type {
  AttackSettings,
  Study,
  StudyAttacks,
  StudyData,
  StudySharing,
  StudyTraining,
  StudyTuning,
  Tunable,
} from './study/study.js';
export { bundledStudies, readStudy, studyFromYaml, studyToYaml } from './study/study-file.js';
export type { TunedSettings } from './study/tuning.js';
export { type RunOptions, runStudy, type StudyProgress, type StudyRun } from './trials/run-study.js';
