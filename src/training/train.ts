// Plain training of a classifier: shuffled lots, mean gradient, optimizer. No privacy.

import { shuffledLots } from '../data/index.js';
import { positiveInteger } from '../math/index.js';
import { type ClassificationScores, scoreClasses } from '../metrics/index.js';
import type { Model } from '../models/index.js';
import { seededSource } from '../random/index.js';
import type { Configuration } from './checkpoint.js';
import { type Classifier, type LabelledRows, openClassifier } from './classifier.js';
import { runLoop } from './loop.js';
import type { Arrays, Optimizer } from './optimizers.js';

export interface TrainOptions {
  readonly model: Model;
  readonly trained: readonly string[];
  readonly data: {
    readonly train: LabelledRows;
    readonly validation?: LabelledRows;
    readonly test?: LabelledRows;
  };
  readonly optimizer: Optimizer;
  readonly epochs: number;
  readonly lotSize: number;
  /** Of the order of the examples. */
  readonly seed: number | string;
  readonly checkpoint?: { readonly path: string; readonly resume: boolean; readonly configuration: Configuration };
  readonly onProgress?: (progress: TrainProgress) => void;
  readonly onEpoch?: (report: EpochReport) => void | Promise<void>;
  readonly signal?: AbortSignal;
  readonly physicalBatch?: number;
}

export type TrainProgress =
  | { readonly stage: 'features'; readonly part: string; readonly done: number; readonly all: number }
  | { readonly stage: 'training'; readonly step: number; readonly steps: number; readonly loss: number };

export interface Scores extends ClassificationScores {
  readonly loss: number;
}

export interface EpochReport {
  readonly epoch: number;
  readonly step: number;
  readonly validation?: Scores;
}

export interface TrainResult {
  readonly parameters: Arrays;
  readonly finished: boolean;
  readonly steps: number;
  /** Whether it ran on kept features of the frozen part. */
  readonly cached: boolean;
  readonly train: Scores;
  readonly validation?: Scores;
  readonly test?: Scores;
}

export async function trainClassifier(options: TrainOptions): Promise<TrainResult> {
  const { model, trained, data, optimizer, epochs, lotSize, seed, signal, onProgress, onEpoch } = options;
  positiveInteger({ epochs, lotSize });
  const opened: Classifier[] = [];
  const open = async (part: string, rows: LabelledRows): Promise<Classifier> => {
    const progress = (done: number, all: number) => onProgress?.({ stage: 'features', part, done, all });
    const features = { onProgress: progress, ...(signal && { signal }) };
    const { physicalBatch } = options;
    const made = await openClassifier({
      model,
      trained,
      data: rows,
      features,
      ...(physicalBatch && { physicalBatch }),
    });
    opened.push(made);
    return made;
  };
  try {
    const classifier = await open('train', data.train);
    const validation = data.validation && (await open('validation', data.validation));
    const test = data.test && (await open('test', data.test));
    const parameters: Record<string, Float32Array> = {};
    for (const name of trained) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
    const score = async (part: Classifier, { labels }: LabelledRows) =>
      scoreLogits(await part.logits(parameters), labels, model.config.labels);

    const lotsPerEpoch = Math.ceil(classifier.examples / lotSize);
    const steps = epochs * lotsPerEpoch;
    let lots: { epoch: number; members: number[][] } | undefined;
    const result = await runLoop({
      parameters,
      optimizer,
      steps,
      compute: async (step) => {
        const epoch = Math.floor(step / lotsPerEpoch);
        if (lots?.epoch !== epoch) {
          const order = seededSource(seed).stream(`epoch ${epoch}`);
          lots = { epoch, members: shuffledLots(classifier.examples, lotSize, order) };
        }
        const members = lots.members[step % lotsPerEpoch] as number[];
        const { loss, gradients } = await classifier.sums(parameters, members);
        scale(gradients, 1 / members.length);
        return { loss: loss / members.length, gradients };
      },
      ...(options.checkpoint && { checkpoint: { ...options.checkpoint, every: lotsPerEpoch } }),
      onStep: async ({ step, loss }) => {
        onProgress?.({ stage: 'training', step, steps, loss });
        if (step % lotsPerEpoch !== 0) return;
        const scores = validation && (await score(validation, data.validation as LabelledRows));
        await onEpoch?.({ epoch: step / lotsPerEpoch, step, ...(scores && { validation: scores }) });
      },
      ...(signal && { signal }),
    });
    return {
      parameters,
      finished: result.finished,
      steps: result.step,
      cached: classifier.cached,
      train: await score(classifier, data.train),
      ...(validation && { validation: await score(validation, data.validation as LabelledRows) }),
      ...(test && { test: await score(test, data.test as LabelledRows) }),
    };
  } finally {
    for (const one of opened) await one.close();
  }
}

function scale(arrays: Arrays, factor: number): void {
  for (const array of Object.values(arrays)) {
    for (let i = 0; i < array.length; i++) array[i] = (array[i] as number) * factor;
  }
}

/** Mean cross-entropy and the scores of the largest logit. */
export function scoreLogits(logits: Float32Array, labels: readonly number[], classes: number): Scores {
  let loss = 0;
  const predicted = labels.map((label, example) => {
    const row = logits.subarray(example * classes, (example + 1) * classes);
    const top = row.reduce((best, logit, index) => (logit > (row[best] as number) ? index : best), 0);
    const largest = row[top] as number;
    const sum = row.reduce((total, logit) => total + Math.exp(logit - largest), 0);
    loss += largest + Math.log(sum) - (row[label] as number);
    return top;
  });
  return { loss: loss / labels.length, ...scoreClasses(labels, predicted, classes) };
}
