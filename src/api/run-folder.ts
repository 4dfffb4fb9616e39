// The folder of a fine-tuning run: run.json (its settings), ledger and checkpoint, metrics.jsonl, the model, result.json.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ArgumentError, FileError, option, say, setting } from '../checks/index.js';
import type { Plan } from '../mechanisms/index.js';
import type { Model } from '../models/index.js';
import { appendPrivate, readJsonObject, writePrivateJson } from '../platform/index.js';
import { differing, type TrainOptions, usualWarmup } from '../training/index.js';
import type { FineTuneOptions, FineTuneRun } from './fine-tune-options.js';
import type { TrainedOn } from './trained-on.js';

interface RunFolder {
  readonly trainOptions: Pick<TrainOptions, 'run' | 'record'>;
  readonly finish: (run: FineTuneRun) => Promise<void>;
}

/** Opens the folder of a run; without `folder`, nothing is written. Refuses a folder that holds a run already, except to resume it. */
export async function openRunFolder(
  settings: FineTuneOptions,
  model: Model,
  trainedOn: TrainedOn,
  plan: Plan,
): Promise<RunFolder> {
  const { folder, resume = false, checkpointEvery } = settings;
  if (folder === undefined) return { trainOptions: {}, finish: async () => {} };
  const description = join(folder, 'run.json');
  if (!resume && existsSync(description)) {
    throw new ArgumentError(
      say`${folder} holds a run already: continue it with ${setting('resume', true)}, or choose another ${option('folder')}`,
    );
  }
  const configuration = configurationOf(settings, model, trainedOn);
  // Names may be written differently: digests of weights and data decide whether they are the same.
  const { model: _, data: __, dataOptions: ___, ...deciding } = configuration;
  if (existsSync(description)) await expectSameRun(description, deciding);
  // The digest of the data stays out of the configuration, which is saved with every checkpoint.
  if (!existsSync(description)) await writePrivateJson(description, { ...configuration, train: trainedOn.train });
  // Every line of a private run's metrics says that the guarantee does not cover it.
  const note = plan.event === undefined ? {} : { note: 'not private, do not publish' };
  const append = (line: object) =>
    appendPrivate(join(folder, 'metrics.jsonl'), `${JSON.stringify({ ...note, ...line })}\n`);
  return {
    trainOptions: {
      run: { folder, resume, configuration: deciding, ...(checkpointEvery !== undefined && { checkpointEvery }) },
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

/** Found before anything is computed; ledger and checkpoint are compared too when they are opened. */
async function expectSameRun(path: string, now: object): Promise<void> {
  const { model: _, data: __, dataOptions: ___, train: ____, ...saved } = await readJsonObject(path);
  const changed = differing(flattened(saved), flattened(JSON.parse(JSON.stringify(now))));
  if (changed === undefined) return;
  const [key, before, after] = changed;
  throw new FileError(
    say`${path}: the run was started with ${option(key)} = ${before ?? 'its default'}, this one has ${after ?? 'its default'}: use the same value, or start a new run in another ${option('folder')}`,
  );
}

/** The options of privacy among the others, so that a message names the one that differs. */
const flattened = ({ privacy, ...rest }: Readonly<Record<string, unknown>>): object => ({
  ...(privacy as object),
  ...rest,
});

/** Everything that decides what the run computes, as plain data. */
function configurationOf(settings: FineTuneOptions, model: Model, { data, dataOptions, holdOut }: TrainedOn) {
  const { folder, resume, checkpointEvery, diagnostics, onProgress, signal, microBatchSize, ...deciding } = settings;
  const { share } = holdOut;
  const { schedule, warmup, dropout, dropoutFrozen } = deciding;
  const own = { ...deciding, model: model.name, data, dataOptions, weights: model.digest };
  // Absent at their defaults, so that runs of versions without these options can be resumed.
  return {
    ...own,
    holdOut: share > 0 ? share : undefined,
    schedule: schedule === 'linear' ? undefined : schedule,
    warmup: warmup === usualWarmup ? undefined : warmup,
    dropout: dropout === 0 ? undefined : dropout,
    dropoutFrozen: dropoutFrozen === true ? true : undefined,
  };
}

/** Figures of a run that come from the data without noise. */
const unaccounted = ['scores', 'trainTestGap', 'privacy.nonFinite', 'privacy.zero'] as const;

/** A run as plain data: without the model, but with the names of its classes, and with what the guarantee does not cover. */
export const describeRun = ({ model, ...run }: FineTuneRun) => ({
  classes: model.classes,
  ...(run.privacy.guarantee && {
    notAccounted: {
      fields: unaccounted,
      note: 'These figures were computed from the data without noise: the guarantee does not cover them, do not publish them.',
    },
  }),
  ...run,
});
