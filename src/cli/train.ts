// `epsilens train`: fine-tunes a classifier on a data set and saves it in the Hugging Face layout.

import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import { loadModel, type Model, saveModel, selectParameters } from '../models/index.js';
import { writeJson } from '../platform/index.js';
import { writeNumber } from '../privacy/index.js';
import {
  adamW,
  encodeDataSet,
  groupsByLayer,
  linearSchedule,
  sgd,
  type TrainProgress,
  trainClassifier,
} from '../training/index.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { addDataFlags, type DataFlags, dataForms, loadData } from './data-options.js';
import { bar, duration, type Progress, progressLine, stopOnInterrupt } from './progress.js';
import { refuseRenamed, renamedFlags } from './renamed-flags.js';
import { addPlanFlags, type PlanFlags, type PlanRequest, planRequest } from './train-plan.js';
import { describe, summarize, type TrainReport } from './train-report.js';

interface TrainFlags extends DataFlags, PlanFlags {
  readonly model: string;
  readonly data: string;
  readonly out: string;
  readonly trainable: string;
  readonly epochs: number;
  readonly batchSize?: number;
  readonly learningRate: number;
  readonly optimizer: string;
  readonly maxTokens: number;
  readonly seed: number;
  readonly newHead?: boolean;
  readonly resume?: boolean;
  readonly checkpointEvery?: number;
  readonly diagnostics?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addTrain(program: Command): void {
  const command = program
    .command('train')
    .description('fine-tune a classifier, with differential privacy where a mechanism is given')
    .option(
      '--model <model>',
      'a folder in the Hugging Face layout, or bundled:bert-mini, bundled:gpt2-mini',
      'bundled:bert-mini',
    )
    .option('--data <data>', dataForms, 'bundled:mail')
    .requiredOption('--out <folder>', 'where the model, its checkpoint and its metrics go')
    .option(
      '--trainable <parameters>',
      'head, pooler+classifier (GPT-2: norm and score), all, or names with *',
      'pooler+classifier',
    )
    .option('--epochs <count>', 'passes over the training data', wholeNumber(1), 5)
    .option('--batch-size <count>', 'examples a step (a batch): 32 unless given, 128 with a mechanism', wholeNumber(1))
    .option('--learning-rate <rate>', 'highest rate; it falls in a straight line to 0', positiveNumber, 1e-3)
    .option('--optimizer <name>', 'adamw or sgd', 'adamw')
    .option('--max-tokens <count>', 'texts are cut to this many tokens', wholeNumber(3), 128)
    .option('--seed <number>', 'of the order of examples and of a new head', wholeNumber(0), 1)
    .option('--new-head', 'begin with a new classifier even where the model has one')
    .option('--resume', 'go on where an interrupted run in the same folder stopped')
    .option('--checkpoint-every <steps>', 'every step with a mechanism, every epoch without', wholeNumber(1))
    .option('--diagnostics', 'write norm and cosines of every release to metrics.jsonl: not private, do not publish');
  addPlanFlags(command);
  refuseRenamed(command, renamedFlags.train);
  addDataFlags(command)
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (flags: TrainFlags) => {
      const { json = false } = flags;
      const report = await train(flags);
      process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
      if (!report.finished) process.exitCode = 1;
    });
}

async function train(flags: TrainFlags): Promise<TrainReport> {
  const request = planRequest(flags);
  const start = performance.now();
  const progress = progressLine((flags.quiet || flags.json) ?? false);
  const stop = stopOnInterrupt();
  try {
    progress.show('reading the data …');
    const dataSet = await loadData(flags.data, flags);
    progress.show('loading the model …');
    const model = await loadModel(flags.model, {
      numLabels: dataSet.classes.length,
      newHead: flags.newHead ?? false,
      seed: flags.seed,
    });
    const data = encodeDataSet(dataSet, model, { maxTokens: flags.maxTokens });
    const { length: examples } = data.train.inputIds;
    const trained = selectParameters(model, flags.trainable);
    const batchSize = Math.min(flags.batchSize ?? (request.isPrivate ? 128 : 32), examples);
    progress.show('finding the noise …');
    const layers = groupsByLayer(model, trained);
    const plan = request.planFor({ examples, epochs: flags.epochs, batchSize, layers });
    const optimizer = makeOptimizer(flags, plan.steps);
    if (flags.insecureSeed !== undefined) warnInsecure();
    const configuration = await prepareFolder(flags, model);
    const appendMetrics = (line: object) => appendFile(join(flags.out, 'metrics.jsonl'), `${JSON.stringify(line)}\n`);
    const result = await trainClassifier({
      model,
      trainable: trained,
      data,
      optimizer,
      plan,
      seed: flags.seed,
      ...(flags.insecureSeed !== undefined && { insecureSeed: flags.insecureSeed }),
      ...(flags.diagnostics && { diagnose: true }),
      run: {
        folder: flags.out,
        resume: flags.resume ?? false,
        configuration,
        ...(flags.checkpointEvery && { checkpointEvery: flags.checkpointEvery }),
      },
      signal: stop.signal,
      onProgress: makeShow(progress),
      onStep: (report) => appendMetrics({ ...notPrivate(request), ...report }),
      onEpoch: (report) => appendMetrics({ ...notPrivate(request), ...report }),
    });
    await saveModel(join(flags.out, 'model'), model, { parameters: result.parameters, classes: dataSet.classes });
    const seconds = (performance.now() - start) / 1000;
    const report = summarize({ flags, model, trained, classes: dataSet.classes, plan, seconds }, result);
    await writeJson(join(flags.out, 'result.json'), report);
    return report;
  } finally {
    stop.end();
    progress.end();
  }
}

/** Every line of a private run's metrics says that it is not covered by the guarantee. */
const notPrivate = ({ isPrivate }: PlanRequest) => (isPrivate ? { note: 'not private, do not publish' } : {});

const warnInsecure = () =>
  process.stderr.write(
    'warning: --insecure-seed: the noise can be repeated by whoever knows the seed: the guarantee is void, do not release the model\n',
  );

/** One line: loss, ε so far, examples a second, time left. */
function makeShow(progress: Progress): (now: TrainProgress) => void {
  let begun: { time: number; step: number; examples: number } | undefined;
  let spent = { at: Number.NEGATIVE_INFINITY, text: '' };
  return (now) => {
    if (now.stage === 'features') {
      progress.show(`${bar(now.done / now.all)} frozen part, ${now.part}: ${now.done}/${now.all} examples`);
      return;
    }
    const time = performance.now();
    const { step, steps, loss, examples } = now;
    begun ??= { time, step, examples };
    // Accounting takes milliseconds: once a second is enough.
    if (time - spent.at > 1000) {
      const guarantee = now.guarantee();
      spent = { at: time, text: guarantee ? `  ε ${writeNumber(guarantee.epsilon, 3, 'up')}` : '' };
    }
    const seconds = (time - begun.time) / 1000;
    const rate = seconds > 0 ? (examples - begun.examples) / seconds : 0;
    const left = step > begun.step ? (seconds / (step - begun.step)) * (steps - step) : 0;
    progress.show(
      `${bar(step / steps)} step ${step}/${steps}  loss ${loss.toFixed(3)}${spent.text}  ${Math.round(rate)} examples/s  ${duration(left)} left`,
    );
  };
}

const optimizers = {
  adamw: adamW,
  sgd: (options: { learningRate: (step: number) => number }) => sgd({ ...options, momentum: 0.9 }),
} as const;

function makeOptimizer({ optimizer, learningRate }: TrainFlags, steps: number) {
  const make = Object.hasOwn(optimizers, optimizer) ? optimizers[optimizer as keyof typeof optimizers] : undefined;
  if (make === undefined) {
    throw new ArgumentError(`invalid optimizer: expected ${Object.keys(optimizers).join(' or ')}, got ${optimizer}`);
  }
  return make({ learningRate: linearSchedule(learningRate, { steps }) });
}

/** A folder that holds a run already is only entered to resume it. */
async function prepareFolder(flags: TrainFlags, model: Model) {
  const { out, resume = false, json, quiet, ...settings } = flags;
  if (!resume && existsSync(join(out, 'run.json'))) {
    throw new ArgumentError(`${out} holds a run already: give --resume to go on with it, or another folder`);
  }
  const configuration = { ...settings, weights: model.digest };
  if (!existsSync(join(out, 'run.json'))) {
    await writeJson(join(out, 'run.json'), configuration);
  }
  return configuration;
}
