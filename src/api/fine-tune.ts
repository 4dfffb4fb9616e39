// Fine-tuning a classifier from end to end: data, model, plan, training, the trained model. The command `epsilens train` runs this.

import {
  ArgumentError,
  nonNegativeInteger,
  option,
  positive,
  positiveInteger,
  readOptions,
  say,
} from '../checks/index.js';
import type { DataSet } from '../data/index.js';
import {
  type Adapter,
  dropoutRates,
  expectSavable,
  loadModel,
  loraOptions,
  type Model,
  mergeAdapter,
  replaceParameters,
  selectParameters,
  withAdapter,
} from '../models/index.js';
import {
  adamW,
  type DropoutSettings,
  encodeWithNotes,
  expectDropoutActs,
  groupsByLayer,
  type Optimizer,
  scheduleOf,
  sgd,
  trainClassifier,
  usualWarmup,
} from '../training/index.js';
import { cancellable } from './cancel.js';
import { openDataSet } from './data-set.js';
import { type FineTuneLora, type FineTuneOptions, type FineTuneRun, fineTuneKeys } from './fine-tune-options.js';
import { holdOutOf } from './hold-out.js';
import { expectKind, expectOptions } from './known-options.js';
import { type LanguageModel, languageModel, recordFor } from './language-model.js';
import { originOf } from './origin.js';
import { mechanismFrom, planFor } from './plan.js';
import { type PrivacyRecord, recordOf } from './privacy-record.js';
import { countNumbers, figuresOf } from './run-figures.js';
import { openRunFolder } from './run-folder.js';
import { describeData, rememberTraining } from './trained-on.js';

/**
 * Fine-tunes a classifier, with differential privacy if `privacy` is set: `{ epsilon: 8 }` finds the noise for that ε. With `folder`,
 * every step is in the ledger before its noise is drawn. `run.privacy.statement` says what is promised.
 */
export const fineTune = (options: FineTuneOptions = {}): Promise<FineTuneRun> =>
  cancellable(
    options.signal,
    () => runFineTuning(options),
    ({ finished }) => finished,
  );

/** The same, but returns a run with `finished: false` if the signal stops it. */
export async function runFineTuning(options: FineTuneOptions = {}): Promise<FineTuneRun> {
  const start = performance.now();
  const { lora, ...given } = readSettings(options);
  const { seed, onProgress } = given;
  onProgress?.({ stage: 'data' });
  const whole = await openDataSet(given.data);
  // Before anything else: sampler, plan and accountant see only the examples that are trained on.
  const { dataSet, record: holdOut } = holdOutOf(whole, given.holdOut, seed);
  expectLikelyLabels(whole);
  onProgress?.({ stage: 'model' });
  const plain = await openModel(given, dataSet);
  const model = lora === undefined ? plain : withAdapter(plain, { ...lora.adapter, seed });
  const settings = { ...given, trainable: given.trainable ?? usualTrainable(model) };
  const { data, notes } = encodeWithNotes(dataSet, model, { maxTokens: settings.maxTokens });
  const names = selectParameters(model, settings.trainable);
  if (!lora?.merge) expectSavable(model, names);
  const dropout = dropoutOf(settings, model, names);
  onProgress?.({ stage: 'plan' });
  const plan = planFor(settings, data.train.inputIds.length, () => groupsByLayer(model, names));
  const optimizer = makeOptimizer(settings, plan.steps);
  // Before the long work: a record that cannot be read is an error.
  const before = await recordBefore(settings.model, model);
  const trainedOn = { ...describeData(whole), trainable: settings.trainable, maxTokens: settings.maxTokens, holdOut };
  const run = await openRunFolder({ ...settings, ...(lora && { lora: lora.given }) }, model, trainedOn, plan);
  const { insecureSeed } = settings.privacy ?? {};
  const result = await trainClassifier({
    model,
    trainable: names,
    data,
    plan,
    optimizer,
    seed,
    ...(dropout && { dropout }),
    ...(insecureSeed !== undefined && { insecureSeed }),
    ...(settings.diagnostics && { diagnose: true }),
    ...(settings.microBatchSize !== undefined && { microBatchSize: settings.microBatchSize }),
    ...run.trainOptions,
    ...(onProgress && { onProgress }),
    ...(settings.signal && { signal: settings.signal }),
  });
  const adapted = nameTrained(replaceParameters(model, result.parameters));
  const trained = lora?.merge ? await mergeAdapter(adapted) : adapted;
  const figures = figuresOf(result, plan);
  const privacy = recordOf(result.privacy, plan, figures.private, before);
  const facts = { classes: dataSet.classes, maxTokens: settings.maxTokens, privacy };
  const finished = {
    model: languageModel(trained, facts),
    ...figures,
    privacy: { ...figures.privacy, statement: privacy.statement },
    trainable: { selection: settings.trainable, names, parameters: countNumbers(model, names) },
    newlyInitialized: model.newlyInitialized,
    ...(dropout && { dropout: { rates: dropout.rates, frozen: dropout.frozen ?? false } }),
    ...(trained.adapter && { adapter: describeAdapter(trained.adapter) }),
    holdOut,
    dataNotes: notes,
    seconds: (performance.now() - start) / 1000,
  };
  rememberTraining(finished.model, trainedOn);
  await run.finish(finished);
  return finished;
}

/**
 * Class names are saved with the model and treated as public. Where nearly every row has a label of its own, the labels are more likely
 * private texts in the wrong column.
 */
function expectLikelyLabels(dataSet: DataSet): void {
  const { name, classes, splits } = dataSet;
  const rows = splits.train?.length ?? 0;
  const isListed = originOf(dataSet)?.options.classes !== undefined;
  if (rows < 20 || classes.length <= rows / 2 || isListed) return;
  throw new ArgumentError(
    say`${name}: ${classes.length} different labels in ${rows} training rows: class names become public with the model, so check ${option('labelColumn', 'loadDataSet')}, or list the classes in ${option('classes', 'loadDataSet')} if they are meant`,
  );
}

type Settings = Omit<ReturnType<typeof readSettings>, 'lora'>;

function readSettings(options: FineTuneOptions) {
  expectOptions(options, fineTuneKeys, 'fineTune');
  mechanismFrom(options.privacy);
  for (const key of ['resume', 'checkpointEvery', 'diagnostics'] as const) {
    if (options[key] !== undefined && options.folder === undefined) {
      throw new ArgumentError(say`${option(key)} needs ${option('folder')}, which holds the run`);
    }
  }
  if (options.dropoutFrozen && !options.dropout) {
    throw new ArgumentError(say`${option('dropoutFrozen')} needs ${option('dropout')}`);
  }
  const settings = {
    model: 'bundled:bert-mini',
    data: 'bundled:mail',
    epochs: 5,
    learningRate: 1e-3,
    schedule: 'linear',
    warmup: usualWarmup,
    optimizer: 'adamw',
    maxTokens: 128,
    seed: 1,
    newHead: false,
    ...withoutUndefined(options),
  } as const;
  const { epochs, maxTokens, learningRate, seed } = settings;
  positiveInteger({ epochs, maxTokens });
  positive({ learningRate });
  nonNegativeInteger({ seed });
  return { ...settings, lora: readLora(options.lora) };
}

/** The adapter's options, and whether it is merged when the model is saved. */
function readLora(given: FineTuneLora | undefined) {
  if (given === undefined) return undefined;
  const { merge = false, ...adapter } = given;
  expectKind('merge', merge);
  readOptions(loraOptions, adapter);
  return { given, merge, adapter };
}

const describeAdapter = ({ rank, alpha, layers }: Adapter) => ({ rank, alpha, layers });

const usualTrainable = ({ adapter }: Model): string => (adapter === undefined ? 'pooler+classifier' : 'lora');

/** An option that is undefined has its default. */
const withoutUndefined = (options: FineTuneOptions): FineTuneOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

async function openModel({ model, newHead, seed }: Settings, { name, classes }: DataSet): Promise<Model> {
  // `encodeDataSet` refuses data without classes, with the reason.
  const numLabels = Math.max(2, classes.length);
  if (typeof model === 'string') return loadModel(model, { numLabels, newHead, seed });
  if (newHead) throw new ArgumentError('newHead needs the model by name: load it with { newHead: true } otherwise');
  if (model.config.numLabels === classes.length) return model;
  throw new ArgumentError(
    `${model.name}: expected a classifier of ${classes.length} classes for ${name}, got ${model.config.numLabels}: load it with { numLabels: ${classes.length} }`,
  );
}

/** Dropout as the settings ask for it; undefined if nothing is dropped. Throws if it would change nothing. */
function dropoutOf(
  { dropout, dropoutFrozen }: Settings,
  model: Model,
  trainable: readonly string[],
): DropoutSettings | undefined {
  const rates = dropoutRates(model, dropout);
  if (rates === undefined) return undefined;
  const settings = { rates, ...(dropoutFrozen && { frozen: true }) };
  expectDropoutActs(model, trainable, settings);
  return settings;
}

const optimizers = {
  adamw: adamW,
  sgd: (options: { learningRate: (step: number) => number }) => sgd({ ...options, momentum: 0.9 }),
} as const;

function makeOptimizer({ optimizer, learningRate, schedule, warmup }: Settings, steps: number): Optimizer {
  if (!Object.hasOwn(optimizers, optimizer)) {
    throw new ArgumentError(
      say`invalid ${option('optimizer')}: expected ${Object.keys(optimizers).join(' or ')}, got ${optimizer}`,
    );
  }
  return optimizers[optimizer]({ learningRate: scheduleOf(schedule, learningRate, { steps, warmup }) });
}

/** The privacy record of the model that training starts from; a plain model is named by the folder that it was loaded from. */
const recordBefore = async (given: string | Model, model: Model): Promise<PrivacyRecord | undefined> =>
  typeof given === 'string'
    ? recordFor(given, model)
    : ((given as Partial<LanguageModel>).privacy ?? recordFor(given.name, model));

/** Names a trained model after the one it started from, once however often it is trained further. */
const nameTrained = (model: Model): Model => ({
  ...model,
  name: `${model.name.replace(/ \(fine-tuned\)$/, '')} (fine-tuned)`,
});
