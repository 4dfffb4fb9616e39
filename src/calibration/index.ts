export type { Bridge } from './analysis/bridge.js';
export { collectChosen, collectResults, type ListedStudy, listStudies } from './analysis/collect.js';
export { leastDifference, noClearWinner, type Pair, type UtilityDifference } from './analysis/compare-curves.js';
export {
  type Conclusions,
  conclude,
  type Gap,
  type MechanismConclusions,
  outcomeOf,
  reconstructionOutcome,
} from './analysis/conclusions.js';
export {
  type Curve,
  leakageCurve,
  measuredAttacks,
  type Point,
  pointsOf,
  triedMechanisms,
  utilityCurve,
} from './analysis/curves.js';
export { type EqualCosine, haveSameStart } from './analysis/equal-cosine.js';
export { type EqualLeakage, equalLeakagesOf, pairsOf } from './analysis/equal-leakage.js';
export { type GenieConclusion, genieVerdict } from './analysis/genie.js';
export { readsTrainedModel, recoversText } from './analysis/goals.js';
export { isNoiseless, isOnCurve, mechanismNamed, noiseAmount, resultsAt, sameLevel } from './analysis/level.js';
export type { NoiseRatio } from './analysis/noise-ratio.js';
export {
  type ConclusiveOutcome,
  type CurveOutcome,
  type CurvePoint,
  decidingPoint,
  isConclusive,
} from './analysis/outcomes.js';
export {
  type AttackAnswer,
  checkQuestion,
  type LeakageLimit,
  limitedMeasures,
  type MechanismAnswer,
  type Question,
  type SituationAnswer,
  usualQuestion,
  withQuestion,
} from './analysis/question.js';
export type { CurveReading } from './analysis/readings.js';
export { certainTokens, pooledReliability } from './analysis/reliability.js';
export type {
  AboutAttack,
  AboutMechanism,
  Behaviour,
  Comparison,
  Estimate,
  ExposedRecord,
  Leakage,
  Level,
  LevelGuarantee,
  LevelRecords,
  LevelResults,
  PlanResults,
  StatedEpsilon,
  StudyResults,
  TuningResults,
  Verdict,
} from './analysis/results.js';
export { type RocLevel, rocLevels } from './analysis/roc.js';
export { situationNamed, situations } from './analysis/situation.js';
export { isWeak, weakEpsilon } from './analysis/weak-guarantee.js';
export { checkPrivacy } from './statement/check-privacy.js';
export { chooseStated } from './statement/choose-stated.js';
export { countFigures, type Difference, differencesOf } from './statement/differences.js';
export { numberedClasses, publicStudy, sourceName } from './statement/public-study.js';
export {
  digestOfStatement,
  type Statement,
  statementFormat,
  statementKind,
  statementOf,
  statementText,
} from './statement/statement.js';
export { inSituations } from './study/situations.js';
export type { Study, StudyDescription, StudyPlan } from './study/study.js';
export {
  absoluteSource,
  bundledStudies,
  neededBy,
  readPlan,
  readStudy,
  studyFromYaml,
  studyToYaml,
} from './study/study-file.js';
export { parseStudy } from './study/study-schema.js';
export { isTuned, type TunedSettings, tuningSeeds } from './study/tuning.js';
export { storePath } from './trials/folder.js';
export { runStudy, type StudyProgress, type StudyRun } from './trials/run-study.js';
export { packageVersion } from './trials/versions.js';
