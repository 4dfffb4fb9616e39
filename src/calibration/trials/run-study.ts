// Runs the missing trials of a study. Finished trials are not run again; a failure is recorded and does not stop the others.

import { join } from 'node:path';
import { type DownloadProgress, defaultJobs, lockFile, makePrivateFolder, writePrivate } from '../../platform/index.js';
import { openStudyInputs } from '../study/inputs.js';
import { checkDropout, checkPlans, levelsOf } from '../study/levels.js';
import { pinStudy } from '../study/pin.js';
import type { Study } from '../study/study.js';
import { studyToYaml } from '../study/study-file.js';
import { type InputsSummary, summaryOf } from '../study/summary.js';
import { choose, forget } from './choice.js';
import { expandStudy } from './expand.js';
import { artefactsOf, isWhole, storePath } from './folder.js';
import { openStore, type RecordedTrial, type Store } from './store.js';
import { type Trial, taskOf } from './trial.js';
import { openTrialPool, type TrialPool } from './trial-pool.js';
import { checkAttacks } from './work/attack.js';
import type { WorkerAnswer, WorkerTask } from './worker.js';

/** Which study to run, and how. */
export interface RunOptions {
  readonly study: Study;
  /** Holds the store and the artefacts, private text among them. Several studies may share it. */
  readonly folder: string;
  /** Number of child processes; 0 runs the trials in this process. Default: one per core, at most 8. */
  readonly jobs?: number;
  /** Run only trials of these names (features, tuning, train, or an attack), and those they need. Default: all. */
  readonly only?: readonly string[];
  /** Run them again even if they are done. Default: false. */
  readonly force?: boolean;
  readonly onProgress?: (progress: StudyProgress) => void;
  /** Called while models and data of the Hub are downloaded. */
  readonly onDownload?: (progress: DownloadProgress) => void;
  /** Stops the run; trials under way are lost, finished ones are kept. */
  readonly signal?: AbortSignal;
}

/** How far a study has come, in trials. */
export interface StudyProgress {
  readonly done: number;
  readonly all: number;
  readonly failed: number;
  /** Titles of the trials under way. */
  readonly running: readonly string[];
  /** Estimated from the trials done so far; absent until there are some. */
  readonly secondsLeft?: number;
}

/** What a run of a study did, in numbers of trials. */
export interface StudyRun {
  /** All trials of the study. */
  readonly trials: number;
  /** Trials that were done before. */
  readonly reused: number;
  readonly ran: number;
  readonly failed: number;
  /** Trials that did not run because the run was stopped or a trial that they need failed. */
  readonly left: number;
  /** Trials that `only` left out. */
  readonly skipped: number;
  /** Whether the folder holds a study of this name on another model or other data, whose report this one replaces. */
  readonly replaces?: true;
}

/**
 * Runs a study: trains and attacks at every noise level, and records results in the folder. An interrupted study resumes, and a
 * changed one reuses what did not change. `collectResults` then reads the results.
 */
export async function runStudy(options: RunOptions): Promise<StudyRun> {
  const { folder, jobs = defaultJobs(), onProgress, signal } = options;
  const study = await pinStudy(options.study, options.onDownload);
  // Errors in the study are found before anything is written.
  const inputs = await openStudyInputs(study);
  const levels = levelsOf(inputs);
  checkPlans(inputs, levels);
  checkDropout(inputs, levels);
  const trials = expandStudy(inputs, levels);
  const wanted = choose(trials, options.only);
  checkAttacks(wanted, inputs);
  // It will hold private text, so only its owner may read it.
  await makePrivateFolder(folder);
  const unlock = await lockFile(join(folder, 'lock'));
  let store: Store | undefined;
  const pool = openTrialPool(jobs);
  try {
    store = openStore(storePath(folder));
    const summary = summaryOf(inputs, levels);
    const replaces = isAnother(summary, store.studies().findLast(({ name }) => name === study.name)?.inputs);
    store.addStudy(study, summary, trials);
    await writePrivate(join(folder, `study-${study.name}.yaml`), studyToYaml(study));
    if (options.force) await forget(store, folder, trials, wanted);
    const origin = { weights: inputs.weights, data: inputs.data };
    const run = await work({ study, origin, folder, trials, wanted, store, pool, onProgress, signal });
    return { ...run, ...(replaces && { replaces }) };
  } finally {
    await pool.close();
    store?.close();
    await unlock();
  }
}

const isAnother = ({ model, data }: InputsSummary, earlier: unknown): boolean => {
  const before = earlier as InputsSummary | undefined;
  return before !== undefined && (before.model.digest !== model.digest || before.data.digest !== data.digest);
};

interface WorkOptions {
  readonly study: Study;
  readonly origin: WorkerTask['origin'];
  readonly folder: string;
  readonly trials: readonly Trial[];
  readonly wanted: readonly Trial[];
  readonly store: Store;
  readonly pool: TrialPool;
  readonly onProgress: RunOptions['onProgress'];
  readonly signal: AbortSignal | undefined;
}

/** Keeps the pool busy with trials whose needs are met, until none is left or the signal stops it. */
async function work(options: WorkOptions): Promise<StudyRun> {
  const { folder, trials, wanted, store, pool, signal } = options;
  const recorded = store.done();
  const done = new Set(trials.filter((trial) => recorded.has(trial.id) && isWhole(folder, trial)).map(({ id }) => id));
  const open = new Set(wanted.filter(({ id }) => !done.has(id)));
  const running = new Map<Trial, Promise<void>>();
  const counts = { reused: wanted.length - open.size, ran: 0, failed: 0 };
  // Answers that arrive after the end are not recorded: the store is closed by then.
  let over = false;
  const record = (trial: Trial, answer: WorkerAnswer) => {
    if (over || (signal?.aborted && 'error' in answer)) return;
    if ('error' in answer) {
      store.recordFailed(trial, answer.error, answer.seconds);
      counts.failed++;
    } else {
      store.recordDone(trial, answer.outcome, answer.seconds);
      done.add(trial.id);
      counts.ran++;
    }
  };
  const start = (trial: Trial) => {
    open.delete(trial);
    const promise = pool
      .work(taskFor(trial, options))
      .then((answer) => record(trial, answer))
      .finally(() => running.delete(trial));
    running.set(trial, promise);
  };
  const stopped = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  try {
    while (!signal?.aborted) {
      for (const trial of open) {
        if (running.size >= pool.size) break;
        if (trial.needs.every((id) => done.has(id))) start(trial);
      }
      show(options, counts, [...open], [...running.keys()]);
      if (running.size === 0) break;
      await Promise.race([...running.values(), stopped]);
    }
  } finally {
    over = true;
  }
  return { trials: trials.length, ...counts, left: open.size + running.size, skipped: trials.length - wanted.length };
}

function taskFor(trial: Trial, { study, origin, folder, store }: WorkOptions): WorkerTask {
  const needs = Object.fromEntries(
    trial.needs.map((id) => {
      const { measurements, details } = store.find(id) as RecordedTrial;
      return [id, { folder: artefactsOf(folder, id), outcome: { measurements, details } }];
    }),
  );
  return { study, trial, origin, folder: artefactsOf(folder, trial.id), needs };
}

function show(
  { onProgress, wanted, store, pool }: WorkOptions,
  { reused, ran, failed }: Pick<StudyRun, 'reused' | 'ran' | 'failed'>,
  open: readonly Trial[],
  running: readonly Trial[],
): void {
  const left = secondsLeft(open, running, store.pace(), pool.size);
  onProgress?.({
    done: reused + ran,
    all: wanted.length,
    failed,
    running: running.map(({ title }) => title),
    ...(left !== undefined && { secondsLeft: left }),
  });
}

/** Estimated by the mean time of each kind so far; undefined until there is one. */
function secondsLeft(
  open: readonly Trial[],
  running: readonly Trial[],
  pace: ReadonlyMap<string, number>,
  size: number,
): number | undefined {
  if (pace.size === 0) return undefined;
  const usual = [...pace.values()].reduce((sum, seconds) => sum + seconds, 0) / pace.size;
  const of = (trial: Trial) => pace.get(taskOf(trial)) ?? usual;
  const total =
    open.reduce((sum, trial) => sum + of(trial), 0) + running.reduce((sum, trial) => sum + of(trial) / 2, 0);
  return total / size;
}
