// `epsilens train`: fine-tunes a classifier on a data set and saves it in the Hugging Face layout.

import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeJson } from '../data/index.js';
import { ArgumentError } from '../math/index.js';
import { loadModel, type Model, saveModel, selectParameters } from '../models/index.js';
import { adamW, linearSchedule, type Scores, sgd, type TrainResult, trainClassifier } from '../training/index.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { addDataFlags, type DataFlags, dataForms, encodeParts, loadData } from './data-options.js';
import { bar, progressLine, stopOnInterrupt } from './progress.js';

interface TrainFlags extends DataFlags {
  readonly model: string;
  readonly data: string;
  readonly out: string;
  readonly train: string;
  readonly epochs: number;
  readonly batch: number;
  readonly learningRate: number;
  readonly optimizer: string;
  readonly maxTokens: number;
  readonly seed: number;
  readonly newHead?: boolean;
  readonly resume?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addTrain(program: Command): void {
  const command = program
    .command('train')
    .description('fine-tune a classifier, without privacy so far; training with differential privacy comes next')
    .option(
      '--model <model>',
      'a folder in the Hugging Face layout, or bundled:bert-mini, bundled:gpt2-mini',
      'bundled:bert-mini',
    )
    .option('--data <data>', dataForms, 'bundled:mail')
    .requiredOption('--out <folder>', 'where the model, its checkpoint and its metrics go')
    .option('--train <parameters>', 'head, paper (pooler+classifier, norm+score), all, or names with *', 'paper')
    .option('--epochs <count>', 'passes over the training data', wholeNumber(1), 5)
    .option('--batch <count>', 'examples a step', wholeNumber(1), 32)
    .option('--learning-rate <rate>', 'highest rate; it falls in a straight line to 0', positiveNumber, 1e-3)
    .option('--optimizer <name>', 'adamw or sgd', 'adamw')
    .option('--max-tokens <count>', 'texts are cut to this many tokens', wholeNumber(3), 128)
    .option('--seed <number>', 'of the order of examples and of a new head', wholeNumber(0), 1)
    .option('--new-head', 'begin with a new classifier even where the model has one')
    .option('--resume', 'go on where an interrupted run in the same folder stopped');
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

interface TrainReport {
  readonly model: string;
  readonly data: string;
  readonly out: string;
  readonly classes: readonly string[];
  readonly trained: { readonly selection: string; readonly parameters: number; readonly drawn: readonly string[] };
  readonly private: false;
  readonly finished: boolean;
  readonly steps: number;
  readonly cachedFeatures: boolean;
  readonly seconds: number;
  readonly scores: { readonly train: Scores; readonly validation?: Scores; readonly test?: Scores };
}

async function train(flags: TrainFlags): Promise<TrainReport> {
  const start = performance.now();
  const progress = progressLine((flags.quiet || flags.json) ?? false);
  const stop = stopOnInterrupt();
  try {
    progress.show('reading the data …');
    const dataSet = await loadData(flags.data, flags);
    progress.show('loading the model …');
    const model = await loadModel(flags.model, {
      labels: dataSet.classes.length,
      newHead: flags.newHead ?? false,
      seed: flags.seed,
    });
    const { train: rows, ...others } = encodeParts(dataSet, model, Math.min(flags.maxTokens, model.config.positions));
    if (rows === undefined) throw new ArgumentError(`${flags.data}: expected labelled examples to train on, got none`);
    const trained = selectParameters(model, flags.train);
    const steps = flags.epochs * Math.ceil(rows.rows.length / flags.batch);
    const optimizer = makeOptimizer(flags, steps);
    const configuration = await prepareFolder(flags, model);
    const metrics = join(flags.out, 'metrics.jsonl');
    const result = await trainClassifier({
      model,
      trained,
      data: { train: rows, ...others },
      optimizer,
      epochs: flags.epochs,
      lotSize: flags.batch,
      seed: flags.seed,
      checkpoint: { path: join(flags.out, 'checkpoint.safetensors'), resume: flags.resume ?? false, configuration },
      signal: stop.signal,
      onProgress: (now) =>
        progress.show(
          now.stage === 'features'
            ? `${bar(now.done / now.all)} frozen part, ${now.part}: ${now.done}/${now.all} examples`
            : `${bar(now.step / now.steps)} step ${now.step}/${now.steps}  loss ${now.loss.toFixed(3)}`,
        ),
      onEpoch: (report) => appendFile(metrics, `${JSON.stringify(report)}\n`),
    });
    await saveModel(join(flags.out, 'model'), model, { parameters: result.parameters, classes: dataSet.classes });
    const report = summarize(flags, model, trained, dataSet.classes, result, (performance.now() - start) / 1000);
    await writeJson(join(flags.out, 'result.json'), report);
    return report;
  } finally {
    stop.end();
    progress.end();
  }
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
  return make({ learningRate: linearSchedule(learningRate, { warmup: Math.ceil(steps / 20), steps }) });
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

function summarize(
  { model: name, data, out, train: selection }: TrainFlags,
  model: Model,
  trained: readonly string[],
  classes: readonly string[],
  { finished, steps, cached, train: own, validation, test }: TrainResult,
  seconds: number,
): TrainReport {
  const parameters = trained.reduce((sum, one) => {
    const shape = model.parameters.get(one)?.shape ?? [];
    return sum + shape.reduce((product, size) => product * size, 1);
  }, 0);
  return {
    model: name,
    data,
    out,
    classes,
    trained: { selection, parameters, drawn: model.drawn },
    private: false,
    finished,
    steps,
    cachedFeatures: cached,
    seconds,
    scores: { train: own, ...(validation && { validation }), ...(test && { test }) },
  };
}

function describe({
  model,
  data,
  out,
  trained,
  finished,
  steps,
  seconds,
  scores,
  cachedFeatures,
}: TrainReport): string {
  const head = finished
    ? `Trained ${trained.parameters.toLocaleString('en')} parameters (${trained.selection}) of ${model} on ${data}: ${steps} steps, ${seconds.toFixed(1)} s.`
    : `Stopped after step ${steps}: give --resume to go on.`;
  const rows = Object.entries(scores).map(
    ([part, { loss, accuracy, matthews, macroF1 }]: [string, Scores]) =>
      `  ${part.padEnd(12)}${loss.toFixed(3).padStart(7)}${(100 * accuracy).toFixed(1).padStart(10)} %${matthews.toFixed(3).padStart(11)}${macroF1.toFixed(3).padStart(11)}`,
  );
  const notes = [
    trained.drawn.length > 0 ? `The model had no ${trained.drawn.join(', ')}: started at random.` : '',
    cachedFeatures ? 'The frozen part ran once; its features are kept for the next run.' : '',
    'Not private: no noise was added. Dropout is off.',
  ].filter((note) => note !== '');
  return `${head}

  ${''.padEnd(12)}${'loss'.padStart(7)}${'accuracy'.padStart(12)}${'Matthews'.padStart(11)}${'macro F1'.padStart(11)}
${rows.join('\n')}

${notes.join('\n')}
Saved in ${join(out, 'model')} (Hugging Face layout).
`;
}
