// The models that are attacked: fine-tuned without noise, so that gradients are those of a real classifier.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type DataSet, type Example, loadDataSet, paperSplit, pick } from '../../src/data/index.js';
import { loadModel, type Model, saveModel, selectParameters } from '../../src/models/index.js';
import { readJsonObject, writeJson } from '../../src/platform/index.js';
import { permutation, seededSource } from '../../src/random/index.js';
import { adamW, encodeDataSet, linearSchedule, makePlan, trainClassifier } from '../../src/training/index.js';
import { batchSize, type ModelName, models, type TaskName, tasks } from './settings.js';

/** The paper's split, with as many training examples as the recipe says. */
export async function loadTask(task: TaskName, shared: string): Promise<DataSet> {
  const { folder, examples } = tasks[task];
  const { dataSet } = paperSplit(await loadDataSet(join(shared, 'data', folder)), seededSource('leakage'));
  const train = dataSet.splits.train as readonly Example[];
  const order = permutation(seededSource('leakage').stream('train'), train.length);
  return { ...dataSet, splits: { ...dataSet.splits, train: pick(train, order.subarray(0, examples)) } };
}

export interface FineTuned {
  readonly model: Model;
  /** Share of the test part that it classifies right. */
  readonly accuracy: number;
}

/** Trains once; afterwards the model comes from its folder. */
export async function fineTuned(
  name: ModelName,
  task: TaskName,
  data: DataSet,
  { shared, cache }: { readonly shared: string; readonly cache: string },
): Promise<FineTuned> {
  const { source, rate, frozen } = models[name];
  const { tokens, examples, epochs } = tasks[task];
  const path = source.startsWith('bundled:') ? source : join(shared, source);
  const start = await loadModel(path, { numLabels: 2, newHead: true, seed: 1 });
  const recipe = { weights: start.digest, rate, frozen, tokens, examples, epochs, batchSize };
  const digest = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 12);
  const folder = join(cache, 'models', `${name}-${task.toLowerCase()}-${digest}`);
  const result = join(folder, 'result.json');
  if (!existsSync(result)) {
    process.stderr.write(`fine-tuning ${name} on ${task} …\n`);
    const began = performance.now();
    const { train, test } = encodeDataSet(data, start, { maxTokens: tokens });
    const plan = makePlan({ mechanism: 'none', examples: train.inputIds.length, epochs, batchSize });
    const schedule = linearSchedule(rate, { warmup: Math.ceil(plan.steps / 20), steps: plan.steps });
    const trained = await trainClassifier({
      model: start,
      trainable: selectParameters(start, 'all').filter((one) => one !== frozen),
      data: { train, ...(test && { test }) },
      optimizer: adamW({ learningRate: schedule }),
      plan,
      seed: 1,
      microBatchSize: 16,
      onStep: ({ step, loss }) => {
        if (step % 50 === 0) process.stderr.write(`  step ${step}/${plan.steps}, loss ${loss?.toFixed(3)}\n`);
      },
    });
    await saveModel(folder, start, { parameters: trained.parameters });
    const accuracy = trained.test?.accuracy ?? Number.NaN;
    const seconds = (performance.now() - began) / 1000;
    await writeJson(result, { ...recipe, accuracy, trainAccuracy: trained.train.accuracy, seconds });
  }
  const { accuracy } = await readJsonObject(result);
  return { model: await loadModel(folder, { numLabels: 2 }), accuracy: Number(accuracy) };
}
