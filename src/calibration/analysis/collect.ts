// Computes results from recorded trials.

import { attacks } from '../../attacks/index.js';
import { ArgumentError, FileError } from '../../checks/index.js';
import { seededSource } from '../../random/index.js';
import { describeLevel } from '../study/levels.js';
import type { InputsSummary } from '../study/summary.js';
import { expandStudy, tunedLevels } from '../trials/expand.js';
import { artefactsOf, isWhole, storePath } from '../trials/folder.js';
import { openStore, type RecordedStudy, type RecordedTrial, type Store } from '../trials/store.js';
import { isTuningRun, type Trial } from '../trials/trial.js';
import { packageVersion } from '../trials/versions.js';
import { readRecords } from '../trials/work/ranks.js';
import { aboutAttacks, aboutMechanisms, noiseLengthAt } from './about.js';
import { behavioursOf } from './behaviour.js';
import { bridgesOf } from './bridge.js';
import { conclude } from './conclusions.js';
import { equalCosinesOf } from './equal-cosine.js';
import { equalLeakagesOf } from './equal-leakage.js';
import {
  computedBy,
  guaranteeOf,
  leakageOf,
  plannedOf,
  settingsOf,
  stepsOf,
  testedBy,
  tuningAt,
  utilityOf,
} from './figures.js';
import { sharedGuaranteeOf } from './guarantees.js';
import { sameLevel } from './level.js';
import { noiseRatiosOf } from './noise-ratio.js';
import { answer } from './question.js';
import { readLevelRecords } from './records.js';
import type { Leakage, Level, LevelResults, StudyResults } from './results.js';

/** Reads the results of a study so far. Default for the name: the latest study of the folder. */
export const collectResults = (folder: string, name?: string): Promise<StudyResults> =>
  collectChosen(folder, (known) => {
    const found = known.filter((one) => name === undefined || one.name === name).at(-1);
    if (found !== undefined) return found;
    const names = [...new Set(known.map((one) => one.name))].join(', ') || 'none';
    throw new ArgumentError(`${folder}: expected a study${name === undefined ? '' : ` called ${name}`}, got ${names}`);
  });

/** Reads the results of one of the studies that a folder holds, the latest last. */
export async function collectChosen(
  folder: string,
  choose: (known: readonly RecordedStudy[]) => RecordedStudy,
): Promise<StudyResults> {
  const store = openStore(storePath(folder), { mustExist: true });
  try {
    return await collect(store, folder, choose(store.studies()));
  } finally {
    store.close();
  }
}

async function collect(
  store: Store,
  folder: string,
  { study, inputs, started, trials: recorded }: RecordedStudy,
): Promise<StudyResults> {
  const { levels, ...about } = inputs as InputsSummary;
  const trials = expandStudy({ study, weights: about.model.digest, data: about.data.digest }, levels);
  if (trials.some(({ id }, place) => id !== recorded[place])) {
    throw new FileError(`${folder}: written by another version of epsilens: run calibrate again`);
  }
  const records = new Map(trials.map((trial) => [trial.id, isWhole(folder, trial) ? store.find(trial.id) : undefined]));
  const done = (trial: Trial | undefined): RecordedTrial | undefined => {
    const record = trial && records.get(trial.id);
    return record?.state === 'done' ? record : undefined;
  };
  // Tuning runs see the training data too.
  const isCounted = study.training.tuning === undefined || study.training.tuning.accounted === true;
  const studyRecords = await readRecords(artefactsOf(folder, trials[0]?.id ?? ''), about.data.digest);
  const results: LevelResults[] = [];
  const tested = new Map<Level, Float64Array>();
  for (const level of levels) {
    const trained = trials.filter(
      (trial) => trial.kind === 'train' && !isTuningRun(trial) && sameLevel(trial.settings.level, level),
    );
    const runs = trained.flatMap((trial) => done(trial) ?? []);
    const [guarantee, planned] = [guaranteeOf(runs[0]), plannedOf(runs[0])];
    const [settings, steps] = [settingsOf(runs[0]), stepsOf(runs[0])];
    const leakage: Record<string, Leakage> = {};
    for (const attack of attacks.filter(({ name }) => name in study.attacks)) {
      const own = attackTrials(trials, attack.name, level, trained).filter((trial) => done(trial));
      const found = await leakageOf(
        attack,
        own.map((trial) => done(trial) as RecordedTrial),
        folder,
        isCounted ? guarantee : undefined,
      );
      const records =
        attack.sees === 'gradient' ? undefined : await readLevelRecords(attack, own, folder, studyRecords);
      if (found) leakage[attack.name] = { ...found, ...(records && { records }) };
    }
    const shares = testedBy(runs, about.data.test);
    if (shares) tested.set(level, shares);
    results.push({
      level,
      ...(runs.length > 0 && { utility: utilityOf(runs) }),
      ...(settings && { settings }),
      ...(steps !== undefined && { steps }),
      ...(guarantee && { guarantee }),
      ...sharedGuaranteeOf({ study, ...about }, level),
      ...(planned && { planned }),
      ...noiseLengthAt(level, study, about.shared),
      leakage,
    });
  }
  const tuning = tunedLevels(study, levels).flatMap((level) => {
    const runs = trials.filter(
      (trial) => isTuningRun(trial) && trial.kind === 'train' && sameLevel(trial.settings.level, level),
    );
    return (
      tuningAt(
        level,
        runs.flatMap((trial) => done(trial) ?? []),
      ) ?? []
    );
  });
  const found = { ...about, mechanisms: aboutMechanisms(study), attacks: aboutAttacks(study), levels: results, tuning };
  const testedAt = (level: Level) => tested.get(level);
  const computedWith = computedBy([...records.values()]);
  const equalLeakage = equalLeakagesOf(seededSource('equal leakage'), found, testedAt);
  return {
    study,
    ...found,
    behaviours: behavioursOf(seededSource('behaviour'), found),
    equalLeakage,
    equalCosine: equalCosinesOf(seededSource('equal cosine'), found, testedAt),
    noiseRatios: noiseRatiosOf({ ...found, study }),
    conclusions: conclude({ ...found, equalLeakage }),
    answers: answer({ ...found, study }),
    bridges: bridgesOf({ ...found, study }),
    failures: trials.flatMap(({ id, title }) => {
      const record = records.get(id);
      return record?.state === 'failed' ? [{ trial: id, what: title, error: record.error ?? '' }] : [];
    }),
    missing: trials.filter(({ id }) => records.get(id) === undefined).length,
    version: packageVersion,
    ...(computedWith.length > 0 && { computedWith }),
    finished:
      [...records.values()].reduce((latest, one) => (one && one.finished > latest ? one.finished : latest), '') ||
      started,
  };
}

/** The trials of an attack at one level: a single one on shared gradients, or one per model that was trained there, or per world. */
const attackTrials = (
  trials: readonly Trial[],
  attack: string,
  level: Level,
  trained: readonly Trial[],
): readonly Trial[] =>
  trials.filter(({ kind, settings, needs }) => {
    if (kind !== 'attack' || settings.attack !== attack) return false;
    return settings.sees === 'losses' ? trained.some(({ id }) => needs.includes(id)) : sameLevel(settings.level, level);
  });

/** A study of a folder, in brief. */
export interface ListedStudy {
  readonly name: string;
  /** When it was last run, as an ISO time. */
  readonly started: string;
  /** Whether another version of the same name was run later. */
  readonly replaced: boolean;
  /** Whether it is the folder's first study, whose report is report.html; other reports carry the study's name. */
  readonly first: boolean;
  readonly trials: number;
  readonly done: number;
  /** Its noise levels, for people. */
  readonly levels: readonly string[];
}

/** Lists the studies of a folder, the latest last. */
export function listStudies(folder: string): ListedStudy[] {
  const store = openStore(storePath(folder), { mustExist: true });
  try {
    const done = store.done();
    const studies = store.studies();
    const [oldest] = studies.toSorted((a, b) => a.id - b.id);
    return studies.map(({ name, started, trials, inputs }, place) => ({
      name,
      started,
      replaced: studies.slice(place + 1).some((other) => other.name === name),
      first: name === oldest?.name,
      trials: trials.length,
      done: trials.filter((id) => done.has(id)).length,
      levels: (inputs as InputsSummary).levels.map(describeLevel),
    }));
  } finally {
    store.close();
  }
}
