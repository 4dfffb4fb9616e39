export type { MechanismName } from '../mechanisms/index.js';
export { behavioursOf, leakageOf } from './behaviour.js';
export { collectResults, type ListedStudy, listStudies } from './collect.js';
export {
  compareAtEqualLeakage,
  type EqualLeakage,
  type EqualLeakageReading,
  type UtilityDifference,
  type UtilityName,
  type Winner,
} from './equal-leakage.js';
export { describeLevel } from './levels.js';
export { defaultJobs } from './pool.js';
export type {
  AttackName,
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
} from './results.js';
export { type RunOptions, runStudy, type StudyProgress, type StudyRun } from './run-study.js';
export type { Study } from './study.js';
export {
  absoluteSource,
  bundledStudies,
  isPath,
  neededBy,
  readStudy,
  studyFromYaml,
  studyToYaml,
} from './study-file.js';
export { type TrialKind, trialKinds } from './trial.js';
