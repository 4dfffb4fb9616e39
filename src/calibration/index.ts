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
export type {
  AttackName,
  Behaviour,
  Comparison,
  Estimate,
  Leakage,
  Level,
  LevelGuarantee,
  LevelResults,
  MechanismName,
  SetSize,
  StudyResults,
  Utility,
  Verdict,
} from './results.js';
export { describeLevel } from './study/levels.js';
export type { Study } from './study/study.js';
export {
  absoluteSource,
  bundledStudies,
  isPath,
  neededBy,
  readStudy,
  studyFromYaml,
  studyToYaml,
} from './study/study-file.js';
export { type RunOptions, runStudy, type StudyProgress, type StudyRun } from './trials/run-study.js';
