// From recorded trials to results.

import { readFileSync } from 'node:fs';
import { ArgumentError, FileError } from '../checks/index.js';
import { seededSource } from '../random/index.js';
import { aboutAttacks, aboutMechanisms, noiseLengthAt } from './analysis/about.js';
import { behavioursOf } from './analysis/behaviour.js';
import { conclude } from './analysis/conclusions.js';
import { equalLeakagesOf } from './analysis/equal-leakage.js';
import { sameLevel } from './analysis/level.js';
import type { Leakage, LevelResults, StudyResults } from './analysis/results.js';
import { expandStudy } from './expand.js';
import { guaranteeOf, membershipOf, reconstructionOf, utilityOf } from './figures.js';
import { artefactsOf, isWhole, storePath } from './folder.js';
import { describeLevel } from './levels.js';
import { openStore, type RecordedStudy, type RecordedTrial, type Store } from './store.js';
import type { InputsSummary } from './summary.js';
import type { Trial } from './trial.js';

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
  const results: LevelResults[] = [];
  for (const level of levels) {
    const trained = trials.filter((trial) => trial.kind === 'train' && sameLevel(trial.settings.level, level));
    const runs = trained.flatMap((trial) => done(trial) ?? []);
    const members = trained.flatMap(
      (trial) => done(trials.find(({ kind, needs }) => kind === 'membership' && needs[0] === trial.id)) ?? [],
    );
    const leakage: Record<string, Leakage> = {};
    for (const kind of ['span', 'decepticons'] as const) {
      const attack = trials.find((trial) => trial.kind === kind && sameLevel(trial.settings.level, level));
      const scored = attack && trials.find((trial) => trial.kind === 'score' && trial.needs[0] === attack.id);
      const [one, scores] = [done(attack), done(scored)];
      if (attack && one && scores) leakage[kind] = await reconstructionOf(one, scores, artefactsOf(folder, attack.id));
    }
    if (members.length > 0) leakage.membership = membershipOf(members);
    const guarantee = guaranteeOf(runs[0]);
    results.push({
      level,
      ...(runs.length > 0 && { utility: utilityOf(runs) }),
      ...(guarantee && { guarantee }),
      ...noiseLengthAt(level, study, about.shared),
      leakage,
    });
  }
  const found = { ...about, mechanisms: aboutMechanisms(study), attacks: aboutAttacks(study), levels: results };
  const equalLeakage = equalLeakagesOf(seededSource('equal leakage'), found);
  return {
    study,
    ...found,
    behaviours: behavioursOf(seededSource('behaviour'), found),
    equalLeakage,
    conclusions: conclude({ ...found, equalLeakage }),
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

export interface ListedStudy {
  readonly name: string;
  readonly started: string;
  /** Another version of the same name was run later. */
  readonly replaced: boolean;
  /** The first name of the folder: its report is report.html, those of others carry their name. */
  readonly first: boolean;
  readonly trials: number;
  readonly done: number;
  readonly levels: readonly string[];
}

/** For lists: what is there of each study, the latest last. */
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
