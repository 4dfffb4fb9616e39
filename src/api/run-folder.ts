// The folder of a fine-tuning run: run.json (its settings), ledger and checkpoint, metrics.jsonl, the model, result.json.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import type { DataSet } from '../data/index.js';
import type { Plan } from '../mechanisms/index.js';
import type { Model } from '../models/index.js';
import { appendPrivate, writePrivateJson } from '../platform/index.js';
import type { TrainOptions } from '../training/index.js';
import type { FineTuneOptions, FineTuneRun } from './fine-tune-options.js';
import { originOf } from './origin.js';

interface RunFolder {
  readonly trainOptions: Pick<TrainOptions, 'run' | 'record'>;
  readonly finish: (run: FineTuneRun) => Promise<void>;
}

/** Opens the folder of a run; without `folder`, nothing is written. Refuses a folder that holds a run already, except to resume it. */
export async function openRunFolder(
  settings: FineTuneOptions,
  model: Model,
  dataSet: DataSet,
  plan: Plan,
): Promise<RunFolder> {
  const { folder, resume = false, checkpointEvery } = settings;
  if (folder === undefined) return { trainOptions: {}, finish: async () => {} };
  const description = join(folder, 'run.json');
  if (!resume && existsSync(description)) {
    throw new ArgumentError(`${folder} holds a run already: resume it, or choose another folder`);
  }
  const configuration = configurationOf(settings, model, dataSet);
  if (!existsSync(description)) await writePrivateJson(description, configuration);
  // Every line of a private run's metrics says that the guarantee does not cover it.
  const note = plan.event === undefined ? {} : { note: 'not private, do not publish' };
  const append = (line: object) =>
    appendPrivate(join(folder, 'metrics.jsonl'), `${JSON.stringify({ ...note, ...line })}\n`);
  return {
    trainOptions: {
      run: { folder, resume, configuration, ...(checkpointEvery !== undefined && { checkpointEvery }) },
      record: append,
    },
    finish: async (run) => {
      await run.model.save(join(folder, 'model'));
      await writePrivateJson(join(folder, 'result.json'), {
        model: configuration.model,
        data: configuration.data,
        out: folder,
        ...describeRun(run),
      });
    },
  };
}

/** Everything that decides what the run computes, as plain data. */
function configurationOf(settings: FineTuneOptions, model: Model, dataSet: DataSet) {
  const { folder, resume, checkpointEvery, diagnostics, onProgress, signal, microBatchSize, ...deciding } = settings;
  const { source, options = {} } = originOf(dataSet) ?? { source: dataSet.name };
  return { ...deciding, model: model.name, data: source, dataOptions: options, weights: model.digest };
}

/** A run as plain data: without the model, but with the names of its classes. */
export const describeRun = ({ model, ...run }: FineTuneRun) => ({ classes: model.classes, ...run });
