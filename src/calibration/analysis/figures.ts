// Figures of one level from its trials: means over seeds and sentences, with intervals.

import { type Attack, genieResult, isRecovered, type KindTest, recoveryThreshold } from '../../attacks/index.js';
import { bootstrapIntervals, studentInterval } from '../../metrics/index.js';
import { seededSource } from '../../random/index.js';
import { bySettings, chooseSettings, type TunedSettings } from '../study/tuning.js';
import { artefactsOf } from '../trials/folder.js';
import type { RecordedTrial } from '../trials/store.js';
import { tuningRunOf } from '../trials/work/chosen-settings.js';
import { shareOfCorrect } from '../trials/work/correct-answers.js';
import { readRecovered } from '../trials/work/recovered.js';
import type { TextDetails } from '../trials/work/text-measurements.js';
import type {
  Comparison,
  ComputedWith,
  Estimate,
  Leakage,
  Level,
  LevelGuarantee,
  TuningResults,
  Utility,
} from './results.js';
import { rocOf } from './roc.js';

const valuesOf = (records: readonly RecordedTrial[], name: string): number[] =>
  records.flatMap(({ measurements }) => measurements.filter((one) => one.name === name).map(({ value }) => value));

/** Cuts Student's interval to the range of the measure (at most 1, at least `least`), which two or three seeds may exceed. */
function overSeeds(values: readonly number[], least = 0): Estimate {
  const { mean, lower, upper } = studentInterval(values);
  return { mean, lower: Math.min(mean, Math.max(least, lower)), upper: Math.max(mean, Math.min(1, upper)), values };
}

/** Mean over sentences with a bootstrap interval; resamples are the same in every process. */
function overSentences(values: readonly number[]): Estimate {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < 2) return { mean, lower: mean, upper: mean, values };
  const [interval] = bootstrapIntervals(seededSource('sentences'), [values.length], ([drawn]) => [
    (drawn as Uint32Array).reduce((sum, item) => sum + (values[item] as number), 0) / values.length,
  ]);
  return { mean, lower: interval?.lower ?? mean, upper: interval?.upper ?? mean, values };
}

export function utilityOf(runs: readonly RecordedTrial[]): Utility {
  const of = (name: string, least?: number) => overSeeds(valuesOf(runs, name), least);
  const noisy = valuesOf(runs, 'cosineToSum').length > 0;
  const total = (name: string) => valuesOf(runs, name).reduce((sum, value) => sum + value, 0);
  const visits = total('exampleVisits');
  return {
    accuracy: of('accuracy'),
    matthews: of('matthews', -1),
    macroF1: of('macroF1'),
    gap: of('gap', -1),
    ...(noisy && { cosineToSum: of('cosineToSum', -1), cosineToGradient: of('cosineToGradient', -1) }),
    ...(valuesOf(runs, 'expectedCosine').length > 0 && { expectedCosine: of('expectedCosine', -1) }),
    ...(valuesOf(runs, 'sumNorm').length > 0 && { sumNorm: lengthOf(valuesOf(runs, 'sumNorm')) }),
    ...(visits > 0 && { uniformShare: total('uniformDraws') / visits }),
  };
}

/** A length may be above 1, so its interval is not cut there. */
const lengthOf = (values: readonly number[]): Estimate => {
  const { mean, lower, upper } = studentInterval(values);
  return { mean, lower: Math.max(0, lower), upper, values };
};

/** The share of runs that classify each test example correctly; undefined if there is no run. */
export const testedBy = (runs: readonly RecordedTrial[], examples: number): Float64Array | undefined =>
  runs.length === 0
    ? undefined
    : shareOfCorrect(
        runs.map(({ details }) => details.correct as string),
        examples,
      );

/** The settings of training that were used at a level. */
export const settingsOf = (run: RecordedTrial | undefined): TunedSettings | undefined =>
  run?.details.settings as TunedSettings | undefined;

/** Steps of a training run. */
export const stepsOf = (run: RecordedTrial | undefined): number | undefined => run?.details.steps as number | undefined;

/** What computed these trials, each combination once, in a fixed order. Trials of older versions do not say. */
export function computedBy(records: readonly (RecordedTrial | undefined)[]): ComputedWith[] {
  const known = new Map<string, ComputedWith>();
  for (const record of records) {
    const found = record?.details.computedWith as ComputedWith | undefined;
    if (found) known.set(JSON.stringify(found), found);
  }
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** What was tried at a level, from its tuning runs; undefined if none of them is done. */
export function tuningAt(level: Level, runs: readonly RecordedTrial[]): TuningResults | undefined {
  if (runs.length === 0) return undefined;
  const tried = bySettings(runs.map(tuningRunOf));
  const chosen = chooseSettings(tried);
  const isAtEnd = (key: keyof TunedSettings) => {
    const values = [...new Set(tried.map(({ settings }) => settings[key]))].sort((a, b) => a - b);
    return values.length > 1 && (chosen[key] === values[0] || chosen[key] === values.at(-1));
  };
  return {
    level,
    tried: tried.map(({ settings, accuracies }) => ({
      settings,
      accuracy: overSeeds(accuracies),
      isChosen: settings === chosen,
    })),
    atEdge: (['learningRate', 'epochs'] as const).filter(isAtEnd),
  };
}

/** A guarantee as trials record it: with ε as text, because JSON has no infinity. */
interface RecordedGuarantee {
  readonly guarantee?: Omit<LevelGuarantee, 'epsilon' | 'statement'> & { readonly epsilon: string };
  readonly statement?: readonly string[];
}

/** The guarantee of a run. */
export const guaranteeOf = (run: RecordedTrial | undefined): LevelGuarantee | undefined =>
  readGuarantee(run?.details ?? {});

/** The guarantee of the training that a run stands for; undefined if it stands for itself. */
export const plannedOf = (run: RecordedTrial | undefined): LevelGuarantee | undefined =>
  readGuarantee((run?.details.planned as RecordedGuarantee | undefined) ?? {});

function readGuarantee({ guarantee, statement }: RecordedGuarantee): LevelGuarantee | undefined {
  if (guarantee === undefined || statement === undefined) return undefined;
  const { delta, neighbours, unit, accountant, bound } = guarantee;
  return {
    epsilon: Number(guarantee.epsilon),
    delta,
    neighbours,
    ...(unit !== undefined && { unit }),
    accountant,
    bound,
    statement,
  };
}

const notMeasures = [
  'floor',
  'priorFloor',
  'searchFailed',
  'geniePlaces',
  'genieRight',
  'genieByChance',
  'aucLower',
  'aucUpper',
  'sharedCosine',
  'readCosine',
];

function measuresOf(records: readonly RecordedTrial[], estimate: (values: readonly number[]) => Estimate) {
  const names = new Set(records.flatMap(({ measurements }) => measurements.map(({ name }) => name)));
  const kept = [...names].filter((name) => !notMeasures.includes(name));
  return Object.fromEntries(kept.map((name) => [name, estimate(valuesOf(records, name))]));
}

/** What an attack got at one level; undefined if none of its trials is done. `guarantee` is that of the study's models, if it is whole. */
export async function leakageOf(
  attack: Attack,
  records: readonly RecordedTrial[],
  folder: string,
  guarantee?: LevelGuarantee,
): Promise<Leakage | undefined> {
  const [first] = records;
  if (first === undefined) return undefined;
  return attack.sees === 'gradient'
    ? reconstructionOf(attack, first, artefactsOf(folder, first.id))
    : membershipOf(attack, records, guarantee);
}

async function reconstructionOf({ measure }: Attack, record: RecordedTrial, folder: string): Promise<Leakage> {
  const measures = measuresOf([record], overSentences);
  const sentences = await readRecovered(folder);
  const lcsRatio = valuesOf([record], 'lcsRatio');
  const floor = valuesOf([record], 'floor');
  const priorFloor = valuesOf([record], 'priorFloor');
  const threshold = recoveryThreshold(floor, priorFloor);
  const comparisons: Comparison[] = sentences.map(({ index: _, ...one }, item) => ({
    ...one,
    lcsRatio: lcsRatio[item] ?? 0,
    ...(threshold !== undefined && { recovered: isRecovered(lcsRatio[item] ?? 0, threshold) }),
  }));
  const cosine = (name: string) => overSentences(valuesOf([record], name));
  return {
    main: measures[measure.key] as Estimate,
    measures,
    floor: Math.max(meanOr0(floor), meanOr0(priorFloor)),
    ...(priorFloor.length > 0 && { priorFloor: meanOr0(priorFloor) }),
    ...likelihoodMeasures(record),
    cosine: cosine('sharedCosine'),
    cosineRead: cosine('readCosine'),
    comparisons,
  };
}

const meanOr0 = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** What is measured beside the scores; trials of older versions have none of it. */
function likelihoodMeasures(record: RecordedTrial): Pick<Leakage, 'reliability' | 'search' | 'genie' | 'notes'> {
  const { reliability, notes } = record.details as TextDetails;
  const of = (name: string) => valuesOf([record], name);
  const [failed, places, right, byChance] = [
    of('searchFailed'),
    of('geniePlaces'),
    of('genieRight'),
    of('genieByChance'),
  ];
  const tallies = places.map((one, text) => ({ places: one, right: right[text] ?? 0, byChance: byChance[text] ?? 0 }));
  const genie = genieResult(seededSource('genie'), tallies);
  return {
    ...(reliability && { reliability }),
    ...(failed.length > 0 && { search: { failed: failed.filter((one) => one === 1).length, texts: failed.length } }),
    ...(genie && { genie }),
    ...(notes && { notes }),
  };
}

/** Both seeds and examples make it uncertain, so the wider of their two intervals is taken. */
function membershipOf(
  { measure: { key, chance = 0 } }: Attack,
  records: readonly RecordedTrial[],
  guarantee?: LevelGuarantee,
): Leakage {
  const measures = measuresOf(records, (values) => ({ ...studentInterval(values), values }));
  const seeds = measures[key] as Estimate;
  const mean = (name: string) => overSeeds(valuesOf(records, name)).mean;
  const main = {
    ...seeds,
    lower: Math.max(0, Math.min(seeds.lower, mean(`${key}Lower`))),
    upper: Math.min(1, Math.max(seeds.upper, mean(`${key}Upper`))),
  };
  // All seeds compare the same texts. Trials of older versions did not test their kind.
  const { kind } = (records[0]?.details ?? {}) as { readonly kind?: KindTest };
  const notes = records.flatMap(({ details }) => (details as Pick<Leakage, 'notes'>).notes ?? []);
  const roc = rocOf(
    records.map(({ details }) => details),
    guarantee,
  );
  return {
    main,
    measures: { ...measures, [key]: main },
    floor: chance,
    comparisons: [],
    ...(kind && { kind }),
    ...(roc && { roc }),
    ...(notes.length > 0 && { notes: [...new Set(notes)] }),
  };
}
