// A world of models: the target of a membership attack and others like it, trained from one plan, each on examples of its own. All work on one
// open data set, so that on cached features a model takes seconds; and what a model says of all examples is kept on disk, so that every attack
// and noise level that needs the same model finds it.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ArgumentError, option, say } from '../../checks/index.js';
import { type Model, readNumbers, writeNumbers } from '../../models/index.js';
import { cacheFolder, makePrivateFolder } from '../../platform/index.js';
import {
  type Arrays,
  adamW,
  digestTrainingData,
  essentialPlan,
  type LabelledExamples,
  openTrainer,
  type Plan,
  readParameters,
  type ScheduleName,
  scheduleOf,
  type Trainer,
} from '../../training/index.js';
import { marginsOf } from '../membership/margins.js';
import type { ModelExamples } from './assignment.js';

/** How the models of a world are trained. */
export interface WorldTraining {
  readonly learningRate: number;
  readonly schedule: ScheduleName;
  readonly warmup: number;
}

/** Model, data and training of a world. */
export interface WorldOptions {
  /** The model with a head drawn by this seed; only trainable parameters may differ between seeds. */
  readonly modelFor: (seed: number) => Promise<Model>;
  readonly trainable: readonly string[];
  /** All examples of the world. */
  readonly data: LabelledExamples;
  readonly training: WorldTraining;
  /** Folder for what the models say. Default: in the cache. */
  readonly folder?: string;
  readonly onProgress?: (progress: WorldProgress) => void;
  readonly signal?: AbortSignal;
}

/** How far a world has come. */
export type WorldProgress =
  | { readonly stage: 'queries'; readonly done: number; readonly all: number }
  | { readonly stage: 'features'; readonly done: number; readonly all: number }
  | { readonly stage: 'models'; readonly done: number; readonly all: number };

/** One model to train. */
export interface WorldModel extends ModelExamples {
  readonly plan: Plan;
  /** Seeds its head, the order of its batches and, in a private plan, its noise: the models of a world are not for release. */
  readonly seed: number;
}

/** What one model says of every example of the world. */
export interface ModelSays {
  /** Log-odds of each example's own label. */
  readonly margins: Float64Array;
  /** Whether each example is classified correctly. */
  readonly correct: readonly boolean[];
}

/** A world that is ready to train models; close it when done. */
export interface World {
  /** Trains these models, as far as they are not in the cache. */
  readonly ask: (models: readonly WorldModel[]) => Promise<ModelSays[]>;
  /** Models trained so far, and those that were found in the cache. */
  readonly counts: () => { readonly trained: number; readonly found: number };
  readonly close: () => Promise<void>;
}

/** Opens a world; its data set is opened when the first model has to be trained. */
export function openWorld(options: WorldOptions): World {
  const { modelFor, trainable, data, training } = options;
  const folder = options.folder ?? join(cacheFolder(), 'worlds');
  const digest = digestTrainingData(data);
  const counts = { trained: 0, found: 0 };
  const known = new Map<string, Float32Array>();
  let [trainer, frozen]: [Promise<Trainer> | undefined, string | undefined] = [undefined, undefined];
  const open = async (seed: number): Promise<Trainer> => {
    const { onProgress, signal } = options;
    return openTrainer({
      model: await modelFor(seed),
      trainable,
      data: { train: data },
      ...(signal && { signal }),
      onProgress: (progress) => {
        if (progress.stage === 'features') onProgress?.({ stage: 'features', done: progress.done, all: progress.all });
      },
    });
  };
  const logitsOf = async (one: WorldModel): Promise<Float32Array> => {
    const model = await modelFor(one.seed);
    const key = keyOf({ model: model.digest, trainable, data: digest, training, ...one });
    const before = known.get(key);
    if (before !== undefined) return before;
    const logits = new Float32Array(data.inputIds.length * model.config.numLabels);
    known.set(key, logits);
    const path = join(folder, `${key}.safetensors`);
    const values = [{ shape: [logits.length], data: logits }];
    if (await readNumbers(path, key, values)) {
      counts.found++;
      return logits;
    }
    frozen ??= model.frozenDigest(trainable);
    if (frozen !== model.frozenDigest(trainable)) {
      throw new ArgumentError(
        say`${model.name}: ${model.newlyInitialized.join(', ')} are drawn anew for each model, so ${option('trainable')} must contain them`,
      );
    }
    trainer ??= open(one.seed);
    logits.set(await trainOne(await trainer, one, await readParameters(model, trainable), options));
    await makePrivateFolder(folder);
    await writeNumbers(path, key, values);
    counts.trained++;
    return logits;
  };
  return {
    ask: async (models) => {
      const says: ModelSays[] = [];
      for (const one of models) {
        options.signal?.throwIfAborted();
        options.onProgress?.({ stage: 'models', done: says.length, all: models.length });
        says.push(sayingsOf(await logitsOf(one), data.labels));
      }
      options.onProgress?.({ stage: 'models', done: models.length, all: models.length });
      return says;
    },
    counts: () => ({ ...counts }),
    close: async () => (await trainer?.catch(() => undefined))?.close(),
  };
}

/** Trains one model, and returns its logits of all examples of the world. */
async function trainOne(
  trainer: Trainer,
  { members, plan, seed }: WorldModel,
  start: Arrays,
  { training: { learningRate, schedule, warmup }, signal }: WorldOptions,
): Promise<Float32Array> {
  const { parameters, finished } = await trainer.train({
    examples: members,
    plan,
    start,
    optimizer: adamW({ learningRate: scheduleOf(schedule, learningRate, { steps: plan.steps, warmup }) }),
    seed,
    insecureSeed: `world ${seed}`,
    ...(signal && { signal }),
  });
  if (!finished) signal?.throwIfAborted();
  return trainer.logits('train', parameters);
}

/** Changes of what is computed, so that numbers of older versions are not taken for new ones. */
const version = 1;

function keyOf({ members, others: _, plan, ...rest }: WorldModel & Readonly<Record<string, unknown>>): string {
  const what = { version, plan: essentialPlan(plan), members: Array.from(members), ...rest };
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 40);
}

function sayingsOf(logits: Float32Array, labels: readonly number[]): ModelSays {
  const classes = logits.length / labels.length;
  const largest = (example: number) => {
    const row = logits.subarray(example * classes, (example + 1) * classes);
    return row.indexOf(row.reduce((a, b) => Math.max(a, b)));
  };
  return {
    margins: marginsOf(logits, labels, classes),
    correct: labels.map((label, example) => largest(example) === label),
  };
}
