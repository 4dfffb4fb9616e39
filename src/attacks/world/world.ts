// A world of models: the target of a membership attack and others like it, trained from one plan, each on examples of its own. All work on one
// open data set, so that on cached features a model takes seconds; and what a model says of all examples is kept on disk, so that every attack
// and noise level that needs the same model finds it.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ArgumentError, option, say } from '../../checks/index.js';
import { type Model, readNumbers, writeNumbers } from '../../models/index.js';
import { cacheFolder, makePrivateFolder } from '../../platform/index.js';
import { seededSource } from '../../random/index.js';
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
import type { InsightNeed } from '../attack.js';
import type { Sides } from '../evaluation/membership.js';
import { marginsOf } from '../membership/margins.js';
import type { Insight } from '../view.js';
import type { ModelExamples } from './assignment.js';
import { observeTraining } from './insight.js';

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
  /** `done` has a fraction while the training of a model is watched. */
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
  /** What its parameters and training show of its members and others; absent if nobody asked. */
  readonly insight?: Sides<Insight>;
}

/** A world that is ready to train models; close it when done. */
export interface World {
  /** Trains these models, as far as they are not in the cache. With `need` it also looks at their parameters and training. */
  readonly ask: (models: readonly WorldModel[], need?: InsightNeed) => Promise<ModelSays[]>;
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
  const known = new Map<string, Promise<Answers>>();
  let [trainer, frozen]: [Promise<Trainer> | undefined, string | undefined] = [undefined, undefined];
  const open = async ({ seed, plan }: WorldModel): Promise<Trainer> => {
    const { onProgress, signal } = options;
    return openTrainer({
      model: await modelFor(seed),
      trainable,
      data: { train: data },
      batchSize: plan.batchSize,
      ...(signal && { signal }),
      onProgress: (progress) => {
        if (progress.stage === 'features') onProgress?.({ stage: 'features', done: progress.done, all: progress.all });
      },
    });
  };
  const answersOf = async (one: WorldModel, need: InsightNeed | undefined, onShare: OnShare): Promise<Answers> => {
    const model = await modelFor(one.seed);
    const key = keyOf({
      model: model.digest,
      trainable,
      data: digest,
      training,
      ...one,
      // Who is a candidate decides what is seen of them.
      ...(need && { watched: { steps: need.steps, others: one.others } }),
    });
    const answers = known.get(key) ?? answer(key, model, one, need, onShare);
    known.set(key, answers);
    return answers;
  };
  const answer = async (
    key: string,
    model: Model,
    one: WorldModel,
    need: InsightNeed | undefined,
    onShare: OnShare,
  ): Promise<Answers> => {
    const candidates = need ? one.members.length + one.others.length : 0;
    const answers: Answers = {
      logits: new Float32Array(data.inputIds.length * model.config.numLabels),
      ...(need && { norms: new Float32Array(candidates), evidence: new Float32Array(candidates) }),
    };
    const path = join(folder, `${key}.safetensors`);
    const values = Object.values(answers).map((numbers: Float32Array) => ({ shape: [numbers.length], data: numbers }));
    if (await readNumbers(path, key, values)) {
      counts.found++;
      return answers;
    }
    frozen ??= model.frozenDigest(trainable);
    if (frozen !== model.frozenDigest(trainable)) {
      throw new ArgumentError(
        say`${model.name}: ${model.newlyInitialized.join(', ')} are drawn anew for each model, so ${option('trainable')} must contain them`,
      );
    }
    trainer ??= open(one);
    await trainOne(await trainer, one, await readParameters(model, trainable), { ...options, answers, need, onShare });
    await makePrivateFolder(folder);
    await writeNumbers(path, key, values);
    counts.trained++;
    return answers;
  };
  return {
    ask: async (models, need) => {
      const says: ModelSays[] = [];
      for (const one of models) {
        options.signal?.throwIfAborted();
        const onShare: OnShare = (share) =>
          options.onProgress?.({ stage: 'models', done: says.length + share, all: models.length });
        onShare(0);
        says.push(sayingsOf(await answersOf(one, need, onShare), data.labels, one.members.length));
      }
      options.onProgress?.({ stage: 'models', done: models.length, all: models.length });
      return says;
    },
    counts: () => ({ ...counts }),
    close: async () => (await trainer?.catch(() => undefined))?.close(),
  };
}

/** Hears how much of the training of a model was watched. */
type OnShare = (share: number) => void;

/** What is kept of a model: logits of all examples of the world and, if asked for, what it shows of its members and others, in this order. */
interface Answers {
  readonly logits: Float32Array;
  readonly norms?: Float32Array;
  readonly evidence?: Float32Array;
}

interface Asked extends WorldOptions {
  readonly answers: Answers;
  readonly need: InsightNeed | undefined;
  readonly onShare: OnShare;
}

/** Trains one model, and fills in its answers. */
async function trainOne(
  trainer: Trainer,
  { members, others, plan, seed }: WorldModel,
  start: Arrays,
  { training, signal, answers, need, onShare }: Asked,
): Promise<void> {
  const { learningRate, schedule, warmup } = training;
  const candidates = [...members, ...others];
  const random = seededSource(seed).stream('candidates');
  const observer = need && observeTraining({ trainer, plan, need, candidates, random });
  const { parameters, finished } = await trainer.train({
    examples: members,
    plan,
    start,
    optimizer: adamW({ learningRate: scheduleOf(schedule, learningRate, { steps: plan.steps, warmup }) }),
    seed,
    insecureSeed: `world ${seed}`,
    ...(observer && {
      onRelease: async (release) => {
        await observer.onRelease(release);
        if (need && need.steps > 0) onShare((release.step + 1) / plan.steps);
      },
    }),
    ...(signal && { signal }),
  });
  if (!finished) signal?.throwIfAborted();
  answers.logits.set(await trainer.logits('train', parameters));
  if (observer === undefined) return;
  const { gradientNorms, evidence } = await observer.insight(parameters);
  answers.norms?.set(gradientNorms);
  answers.evidence?.set(evidence);
}

/** Changes of what is computed, so that numbers of older versions are not taken for new ones. */
const version = 4;

function keyOf({ members, others: _, plan, ...rest }: WorldModel & Readonly<Record<string, unknown>>): string {
  const what = { version, plan: essentialPlan(plan), members: Array.from(members), ...rest };
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 40);
}

function sayingsOf({ logits, norms, evidence }: Answers, labels: readonly number[], members: number): ModelSays {
  const classes = logits.length / labels.length;
  const largest = (example: number) => {
    const row = logits.subarray(example * classes, (example + 1) * classes);
    return row.indexOf(row.reduce((a, b) => Math.max(a, b)));
  };
  const shown = (from: number, to?: number): Insight => ({
    gradientNorms: Float64Array.from(norms?.subarray(from, to) ?? []),
    evidence: Float64Array.from(evidence?.subarray(from, to) ?? []),
  });
  return {
    margins: marginsOf(logits, labels, classes),
    correct: labels.map((label, example) => largest(example) === label),
    ...(norms && { insight: { members: shown(0, members), others: shown(members) } }),
  };
}
