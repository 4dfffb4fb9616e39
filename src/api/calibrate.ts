// A whole study: noise levels, training, attacks, results. The command `epsilens calibrate` runs this.

import { join } from 'node:path';
import type { SituationName } from '../attacks/index.js';
import {
  absoluteSource,
  checkQuestion,
  collectResults,
  inSituations,
  parseStudy,
  type Question,
  readStudy,
  runStudy,
  type Study,
  type StudyDescription,
  type StudyPlan,
  type StudyProgress,
  type StudyResults,
  type StudyRun,
  usualQuestion,
  withQuestion,
} from '../calibration/index.js';
import { ArgumentError } from '../checks/index.js';
import type { DataSet, LoadOptions } from '../data/index.js';
import type { Model } from '../models/index.js';
import type { DownloadProgress } from '../platform/index.js';
import { cancellable } from './cancel.js';
import { loadKeys } from './data-set.js';
import { expectOptions } from './known-options.js';
import { originOf } from './origin.js';
import { studyUnder } from './study-plan.js';

/** Options of `calibrate`. All of them may be left out. */
export interface CalibrateOptions {
  /** Instead of the study's model: a folder, `bundled:NAME`, `hf:owner/name`, or a model that `loadModel` returned. */
  readonly model?: string | Model;
  /** Instead of the study's data: a file, a folder, `bundled:NAME`, `hf:owner/name`, or a data set that `loadDataSet` returned. */
  readonly data?: string | DataSet;
  /** How the data are read, in place of the keys in the study's section `data`: the options of `loadDataSet`. */
  readonly dataOptions?: LoadOptions;
  /**
   * The training that the study stands for, in place of the study's `plan`: the folder of a run of `fineTune` or of a saved model, a YAML
   * file, or an object with the keys of a study's `plan`. Examples, batch size, epochs, δ and what else is known are taken from it.
   */
  readonly plan?: string | StudyPlan;
  /** Folder for the store and artefacts. Trials that are done there are not run again. Default: `out/NAME`. */
  readonly folder?: string;
  /** Number of child processes, one core each. Default: one per core, at most 8. */
  readonly jobs?: number;
  /** Runs only trials of these names (`features`, `tuning`, `train`, or an attack) and those they need. Default: all. */
  readonly only?: readonly string[];
  /** What the reader wants to know: what an ε means here, and which noise keeps leakage below a limit. Default: what ε = 8 means. */
  readonly question?: Question;
  /** Who is taken to see what: only attacks that are possible in these situations are run. Default: those of the study, or all. */
  readonly situations?: readonly SituationName[];
  /** Runs trials again even if they are done. Default: false. */
  readonly force?: boolean;
  readonly onProgress?: (progress: StudyProgress) => void;
  /** Called while models and data of the Hub are downloaded. */
  readonly onDownload?: (progress: DownloadProgress) => void;
  /** Stops the trials under way; the call then rejects with the signal's reason, and the same call resumes. */
  readonly signal?: AbortSignal;
}

const known = [
  'model',
  'data',
  'dataOptions',
  'plan',
  'folder',
  'jobs',
  'only',
  'question',
  'situations',
  'force',
  'onProgress',
  'onDownload',
  'signal',
] as const satisfies readonly (keyof CalibrateOptions)[];

/**
 * Trains and attacks at every noise level of a study, and draws the conclusions: what noise costs, what it prevents, which mechanism
 * keeps more utility at equal leakage. `study` is a YAML file, the name of a bundled study, or an object with the keys of a study file. A trial that
 * fails is listed in `failures` and does not stop the others. Pass the results to `writeReport`.
 */
export async function calibrate(
  study: string | StudyDescription = 'quick',
  options: CalibrateOptions = {},
): Promise<StudyResults> {
  const { results } = await cancellable(
    options.signal,
    () => runCalibration(study, options),
    ({ run }) => run.left === 0,
  );
  return results;
}

/** The results of a study, and what this run of it did. */
export interface Calibration {
  readonly results: StudyResults;
  readonly run: StudyRun;
  readonly folder: string;
}

/** The same, but returns the results so far if the signal stops it. */
export async function runCalibration(
  source: string | StudyDescription,
  options: CalibrateOptions = {},
): Promise<Calibration> {
  expectOptions(options, known, 'calibrate');
  const { model, data, dataOptions, plan, folder: given, question = usualQuestion, situations, ...running } = options;
  checkQuestion(question);
  if (dataOptions !== undefined) expectOptions(dataOptions, loadKeys, 'dataOptions');
  const written = typeof source === 'string' ? await readStudy(source) : parseStudy(source, 'the study');
  const own = overridden(situations ? inSituations({ ...written, situations }, written.name) : written, {
    model,
    data,
    dataOptions,
  });
  const study = plan === undefined ? own : await studyUnder(own, plan);
  const folder = given ?? usualFolder(study.name);
  const run = await runStudy({ study, folder, ...running });
  return { results: withQuestion(await collectResults(folder, study.name), question), run, folder };
}

/** The default folder for the store and report of a study. */
export const usualFolder = (study: string): string => join('out', study);

type Overrides = { readonly [Key in 'model' | 'data' | 'dataOptions']: CalibrateOptions[Key] };

function overridden(study: Study, { model, data, dataOptions = {} }: Overrides): Study {
  const { maxTokens, limit, split } = study.data;
  // Columns of the study are those of its own data.
  const own = { maxTokens, ...(limit !== undefined && { limit }), ...(split !== undefined && { split }) };
  const given = Object.fromEntries(Object.entries(dataOptions).filter(([, value]) => value !== undefined));
  return {
    ...study,
    ...(model !== undefined && { model: modelSource(model) }),
    data: { ...(data === undefined ? study.data : { ...dataSource(data), ...own }), ...given },
  };
}

/** Trials run in processes of their own, which must find the model and the data again. */
function modelSource(model: string | Model): string {
  const source = typeof model === 'string' ? model : originOf(model)?.source;
  if (source !== undefined) return absoluteSource(source);
  throw new ArgumentError('model: a study needs a model that can be found again: save it and give its folder');
}

function dataSource(data: string | DataSet): Pick<Study['data'], 'source'> {
  const origin = typeof data === 'string' ? { source: data, options: {} } : originOf(data);
  if (origin === undefined) {
    throw new ArgumentError('data: a study needs data that can be found again: write them to a file and give its path');
  }
  return { source: absoluteSource(origin.source), ...origin.options };
}
