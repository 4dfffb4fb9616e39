// How a model was fine-tuned, for attacks on it: from the run that made it, or from run.json beside its folder.

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type DataSet, digestExamples } from '../data/index.js';
import type { Model } from '../models/index.js';
import { isHubSource, readJsonObject } from '../platform/index.js';
import { originOf } from './origin.js';

/** What an attack on a fine-tuned model may rely on. */
export interface TrainedOn {
  /** The data, as it was named, and the options it was read with. */
  readonly data: string;
  readonly dataOptions: Readonly<Record<string, unknown>>;
  /** The selection of trainable parameters. */
  readonly trainable: string;
  /** Tokens to which texts were cut. */
  readonly maxTokens: number;
  /** The share of the split train that was held out, and the seed that chose it. */
  readonly holdOut: { readonly share: number; readonly seed: number };
  /** Number and digest of the examples of the split train; unknown for runs of older versions. */
  readonly train?: { readonly examples: number; readonly digest: string };
}

/** The facts about a data set that a run remembers: its name, and number and digest of the examples of the split train. */
export function describeData(dataSet: DataSet): Pick<TrainedOn, 'data' | 'dataOptions' | 'train'> {
  const { source, options = {} } = originOf(dataSet) ?? { source: dataSet.name };
  const { train = [] } = dataSet.splits;
  return { data: source, dataOptions: options, train: { examples: train.length, digest: digestExamples(train) } };
}

const runs = new WeakMap<object, TrainedOn>();

/** Notes how a model was fine-tuned. */
export const rememberTraining = (model: object, trainedOn: TrainedOn): void => void runs.set(model, trainedOn);

/** How a model was fine-tuned; undefined if neither this process nor run.json beside the model's folder knows. */
export async function trainingOf(model: string | Model): Promise<TrainedOn | undefined> {
  if (typeof model !== 'string' && runs.has(model)) return runs.get(model);
  const folder = typeof model === 'string' ? model : originOf(model)?.source;
  if (folder === undefined || folder.startsWith('bundled:') || isHubSource(folder)) return undefined;
  const path = join(dirname(resolve(folder)), 'run.json');
  return existsSync(path) ? readRun(await readJsonObject(path)) : undefined;
}

/** The parts of run.json that matter here; undefined if the file is not that of a run. */
function readRun(run: Readonly<Record<string, unknown>>): TrainedOn | undefined {
  const { data, dataOptions, trainable, maxTokens, seed, holdOut = 0, train } = run;
  if (typeof data !== 'string' || typeof trainable !== 'string') return undefined;
  if (typeof maxTokens !== 'number' || typeof seed !== 'number' || typeof holdOut !== 'number') return undefined;
  const known = isTrain(train) ? { train } : {};
  const options = typeof dataOptions === 'object' && dataOptions !== null ? { ...dataOptions } : {};
  return { data, dataOptions: options, trainable, maxTokens, holdOut: { share: holdOut, seed }, ...known };
}

const isTrain = (value: unknown): value is NonNullable<TrainedOn['train']> =>
  typeof value === 'object' &&
  value !== null &&
  'examples' in value &&
  typeof value.examples === 'number' &&
  'digest' in value &&
  typeof value.digest === 'string';
