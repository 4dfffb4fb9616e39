// From recorded trials to results: means over seeds and sentences with intervals, behaviours, examples.

import { readFileSync } from 'node:fs';
import { ArgumentError, FileError } from '../math/index.js';
import { bootstrapIntervals, studentInterval } from '../metrics/index.js';
import { seededSource } from '../random/index.js';
import { behavioursOf } from './behaviour.js';
import { compareAtEqualLeakage } from './equal-leakage.js';
import { expandStudy } from './expand.js';
import { describeLevel } from './levels.js';
import type {
  Comparison,
  Estimate,
  Leakage,
  Level,
  LevelGuarantee,
  LevelResults,
  StudyResults,
  Utility,
} from './results.js';
import { artefactsOf, type GroundsSummary, isWhole, storePath } from './run-study.js';
import { openStore, type RecordedStudy, type RecordedTrial, type Store } from './store.js';
import type { Trial } from './trial.js';
import { readRecovered } from './work/recovery.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The latest study of a folder, or the one of this name. */
export async function collectResults(folder: string, name?: string): Promise<StudyResults> {
  const store = openStore(storePath(folder), { mustExist: true });
  try {
    const known = store.studies();
    const found = known.filter((one) => name === undefined || one.name === name).at(-1);
    if (found === undefined) {
      const names = [...new Set(known.map((one) => one.name))].join(', ') || 'none';
      throw new ArgumentError(
        `${folder}: expected a study${name === undefined ? '' : ` called ${name}`}, got ${names}`,
      );
    }
    return await collect(store, folder, found);
  } finally {
    store.close();
  }
}

async function collect(
  store: Store,
  folder: string,
  { study, grounds, started, trials: recorded }: RecordedStudy,
): Promise<StudyResults> {
  const { levels, ...about } = grounds as GroundsSummary;
  const trials = expandStudy({ study, weights: about.model.digest, data: about.data.digest }, levels);
  if (trials.some(({ id }, place) => id !== recorded[place])) {
    throw new FileError(`${folder}: written by another version of epsilens: run calibrate again`);
  }
  const records = new Map(trials.map((trial) => [trial.id, isWhole(folder, trial) ? store.find(trial.id) : undefined]));
  const done = (trial: Trial | undefined): RecordedTrial | undefined => {
    const record = trial && records.get(trial.id);
    return record?.state === 'done' ? record : undefined;
  };
  const results: LevelResults[] = [];
  for (const level of levels) {
    const trained = trials.filter((trial) => trial.kind === 'train' && sameLevel(trial.settings.level, level));
    const runs = trained.flatMap((trial) => done(trial) ?? []);
    const members = trained.flatMap(
      (trial) => done(trials.find(({ kind, needs }) => kind === 'membership' && needs[0] === trial.id)) ?? [],
    );
    const leakage: Partial<Record<string, Leakage>> = {};
    for (const kind of ['span', 'decepticons'] as const) {
      const attack = trials.find((trial) => trial.kind === kind && sameLevel(trial.settings.level, level));
      const scored = attack && trials.find((trial) => trial.kind === 'score' && trial.needs[0] === attack.id);
      const [one, scores] = [done(attack), done(scored)];
      if (attack && one && scores) leakage[kind] = await reconstruction(one, scores, artefactsOf(folder, attack.id));
    }
    if (members.length > 0) leakage.membership = membership(members);
    const guarantee = guaranteeOf(runs[0]);
    results.push({
      level,
      ...(runs.length > 0 && { utility: utility(runs) }),
      ...(guarantee && { guarantee }),
      leakage,
    });
  }
  return {
    study,
    ...about,
    levels: results,
    behaviours: behavioursOf(seededSource('behaviour'), results),
    equalLeakage: attackNames.flatMap(
      (attack) => compareAtEqualLeakage(seededSource('equal leakage'), results, attack) ?? [],
    ),
    failures: trials.flatMap(({ id, title }) => {
      const record = records.get(id);
      return record?.state === 'failed' ? [{ trial: id, what: title, error: record.error ?? '' }] : [];
    }),
    missing: trials.filter(({ id }) => records.get(id) === undefined).length,
    version,
    finished: [...records.values()].reduce(
      (latest, one) => (one && one.finished > latest ? one.finished : latest),
      started,
    ),
  };
}

const attackNames = ['span', 'decepticons', 'membership'] as const;

const sameLevel = (a: Level, b: Level): boolean => a.mechanism === b.mechanism && a.noise === b.noise;

const valuesOf = (records: readonly RecordedTrial[], name: string): number[] =>
  records.flatMap(({ measurements }) => measurements.filter((one) => one.name === name).map(({ value }) => value));

const overSeeds = (values: readonly number[]): Estimate => ({ ...studentInterval(values), values });

/** Means of sentences: bootstrap, the same resamples in every process. */
function overSentences(values: readonly number[]): Estimate {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < 2) return { mean, lower: mean, upper: mean, values };
  const [interval] = bootstrapIntervals(seededSource('sentences'), [values.length], ([drawn]) => [
    (drawn as Uint32Array).reduce((sum, item) => sum + (values[item] as number), 0) / values.length,
  ]);
  return { mean, lower: interval?.lower ?? mean, upper: interval?.upper ?? mean, values };
}

function utility(runs: readonly RecordedTrial[]): Utility {
  const of = (name: string) => overSeeds(valuesOf(runs, name));
  const noisy = valuesOf(runs, 'cosineToSum').length > 0;
  return {
    accuracy: of('accuracy'),
    matthews: of('matthews'),
    macroF1: of('macroF1'),
    gap: of('gap'),
    ...(noisy && { cosineToSum: of('cosineToSum'), cosineToGradient: of('cosineToGradient') }),
  };
}

function guaranteeOf(run: RecordedTrial | undefined): LevelGuarantee | undefined {
  const { guarantee, statement } = (run?.details ?? {}) as {
    guarantee?: Omit<LevelGuarantee, 'epsilon' | 'statement'> & { epsilon: string };
    statement?: readonly string[];
  };
  if (guarantee === undefined || statement === undefined) return undefined;
  const { delta, neighbours, accountant, bound } = guarantee;
  return { epsilon: Number(guarantee.epsilon), delta, neighbours, accountant, bound, statement };
}

const notMeasures = ['floor', 'aucLower', 'aucUpper', 'sharedCosine', 'readCosine'];

function measuresOf(records: readonly RecordedTrial[], estimate: (values: readonly number[]) => Estimate) {
  const names = new Set(records.flatMap(({ measurements }) => measurements.map(({ name }) => name)));
  const kept = [...names].filter((name) => !notMeasures.includes(name));
  return Object.fromEntries(kept.map((name) => [name, estimate(valuesOf(records, name))]));
}

async function reconstruction(attack: RecordedTrial, scores: RecordedTrial, folder: string): Promise<Leakage> {
  const measures = measuresOf([scores], overSentences);
  const sentences = await readRecovered(folder);
  const rougeL = valuesOf([scores], 'rougeL');
  const comparisons: Comparison[] = sentences.map((one, item) => ({ ...one, rougeL: rougeL[item] ?? 0 }));
  const cosine = (name: string) => overSentences(valuesOf([attack], name));
  const floor = valuesOf([scores], 'floor');
  return {
    main: measures.rougeL as Estimate,
    measures,
    floor: floor.length > 0 ? overSentences(floor).mean : 0,
    cosine: cosine('sharedCosine'),
    cosineRead: cosine('readCosine'),
    comparisons,
  };
}

/** Seeds and examples both make it uncertain: the wider of the two intervals. */
function membership(records: readonly RecordedTrial[]): Leakage {
  const measures = measuresOf(records, overSeeds);
  const seeds = measures.auc as Estimate;
  const mean = (name: string) => overSeeds(valuesOf(records, name)).mean;
  const main = {
    ...seeds,
    lower: Math.min(seeds.lower, mean('aucLower')),
    upper: Math.max(seeds.upper, mean('aucUpper')),
  };
  return { main, measures: { ...measures, auc: main }, floor: 0.5, comparisons: [] };
}

/** For lists: what is there of each study. */
export function listStudies(folder: string): {
  readonly name: string;
  readonly started: string;
  readonly trials: number;
  readonly done: number;
  readonly levels: readonly string[];
}[] {
  const store = openStore(storePath(folder), { mustExist: true });
  try {
    const done = store.done();
    return store.studies().map(({ name, started, trials, grounds }) => ({
      name,
      started,
      trials: trials.length,
      done: trials.filter((id) => done.has(id)).length,
      levels: (grounds as GroundsSummary).levels.map(describeLevel),
    }));
  } finally {
    store.close();
  }
}
