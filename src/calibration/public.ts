export { collectResults, type ListedStudy, listStudies } from './analysis/collect.js';
export type {
  ComparedPair,
  Conclusions,
  Gap,
  MechanismConclusions,
  Reconstruction,
} from './analysis/conclusions.js';
export { type Curve, type CurveSource, leakageCurve, type Point, utilityCurve } from './analysis/curves.js';
export {
  compareAtEqualLeakage,
  type EqualLeakage,
  type EqualLeakageReading,
  noClearWinner,
  type Pair,
  type UtilityDifference,
  type UtilityName,
} from './analysis/equal-leakage.js';
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
} from './study/study.js';
export { bundledStudies, readStudy, studyFromYaml, studyToYaml } from './study/study-file.js';
export { type RunOptions, runStudy, type StudyProgress, type StudyRun } from './trials/run-study.js';
