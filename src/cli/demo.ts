// `epsilens demo`: a few steps of plain and of private training of the bundled model. It answers two questions: does the
// engine work on this machine, and how fast is it?

import { measureProductRate, type RuntimeInfo, runtimeInfo, sizeOf } from '../engine/index.js';
import { loadModel, type Model, selectParameters } from '../models/index.js';
import { adamW, encodeDataSet, makePlan, type Plan, trainClassifier } from '../training/index.js';
import { type Command, wholeNumber } from './command.js';
import { addExamples } from './examples.js';
import { type Progress, progressLine } from './progress.js';
import { hang, wrap } from './wrap.js';

interface DemoFlags {
  readonly steps: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export interface DemoResult {
  readonly model: string;
  readonly parameters: number;
  readonly examples: number;
  readonly steps: number;
  readonly runtime: RuntimeInfo;
  readonly productGflops: number;
  readonly plain: DemoTraining;
  readonly private: DemoTraining & { readonly noiseMultiplier: number };
}

interface DemoTraining {
  readonly firstLoss: number;
  readonly lastLoss: number;
  readonly examplesPerSecond: number;
}

const modelName = 'bundled:bert-mini';
const noiseMultiplier = 1;

const judgements = [
  ['good', 'clever', 'funny', 'moving'],
  ['bad', 'dull', 'weak', 'boring'],
] as const;
const subjects = ['film', 'book', 'play', 'song'];

/** 32 short reviews with two labels; every step trains on all of them. */
const reviews = judgements.flatMap((words, label) =>
  words.flatMap((word) => subjects.map((subject) => ({ text: `we thought the ${subject} was really ${word}`, label }))),
);

export function addDemo(program: Command): void {
  const command = program
    .command('demo')
    .description(
      'train the bundled model for some steps, without and with privacy, to show that the engine works and how fast it is',
    )
    .option('--steps <count>', 'training steps of each kind', wholeNumber(2), 20)
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (flags: DemoFlags) => {
      const result = await runDemo(flags);
      process.stdout.write(flags.json ? `${JSON.stringify(result, null, 2)}\n` : describe(result));
    });
  addExamples(command, 'epsilens demo', 'epsilens demo --steps 5 --json');
}

async function runDemo({ steps, quiet = false }: DemoFlags): Promise<DemoResult> {
  const progress = progressLine(quiet);
  try {
    progress.show('loading the model …');
    const model = await loadModel(modelName, { numLabels: 2 });
    const trainable = selectParameters(model, 'all');
    const productGflops = await measureProductRate({ rows: 1024, inner: 1024, columns: 1024 });
    const sizes = { examples: reviews.length, batchSize: reviews.length, epochs: steps };
    const train = (plan: Plan) => trainDemo(model, trainable, plan, progress);
    return {
      model: modelName,
      parameters: trainable.reduce((sum, name) => sum + sizeOf(model.parameters.get(name)?.shape ?? [0]), 0),
      examples: reviews.length,
      steps,
      runtime: await runtimeInfo(),
      productGflops,
      plain: await train(makePlan({ mechanism: 'none', ...sizes })),
      private: { ...(await train(makePlan({ mechanism: 'gaussian', ...sizes, noiseMultiplier }))), noiseMultiplier },
    };
  } finally {
    progress.end();
  }
}

async function trainDemo(
  model: Model,
  trainable: readonly string[],
  plan: Plan,
  progress: Progress,
): Promise<DemoTraining> {
  const data = encodeDataSet({ name: 'demo', classes: ['good', 'bad'], splits: { train: reviews } }, model);
  const losses: number[] = [];
  const times: number[] = [];
  await trainClassifier({
    model,
    trainable,
    data,
    plan,
    optimizer: adamW({ learningRate: 1e-4 }),
    seed: 1,
    onStep: ({ step, loss = Number.NaN }) => {
      losses.push(loss);
      times.push(performance.now());
      progress.show(`${plan.mechanism}: step ${step}/${plan.steps}  loss ${loss.toFixed(3)}`, {
        share: step / plan.steps,
        stage: plan.mechanism,
      });
    },
  });
  const milliseconds = (times.at(-1) as number) - (times[0] as number); // the first step also compiles
  return {
    firstLoss: losses[0] as number,
    lastLoss: losses.at(-1) as number,
    examplesPerSecond: (1000 * (times.length - 1) * reviews.length) / milliseconds,
  };
}

/** What `epsilens demo` prints. */
export function describe(result: DemoResult): string {
  const { model, parameters, examples, steps, plain, private: noisy, runtime, productGflops } = result;
  const row = ({ firstLoss, lastLoss, examplesPerSecond }: DemoTraining) =>
    `loss ${firstLoss.toFixed(3)} → ${lastLoss.toFixed(3)}, ${examplesPerSecond.toFixed(0)} examples/s`;
  const slower = (plain.examplesPerSecond / noisy.examplesPerSecond).toFixed(2);
  const cost = `(clipping and Gaussian noise with σ = ${noisy.noiseMultiplier} take ${slower} × the time of a plain step; ${examples} examples are far too few to learn from under noise)`;
  return `${[
    ...wrap(
      `${model}, all ${parameters.toLocaleString('en')} parameters, ${steps} steps over ${examples} short reviews:`,
    ),
    '',
    `  plain       ${row(plain)}`,
    `  private     ${row(noisy)}`,
    ...hang(' '.repeat(14), cost),
    ...hang('  engine      ', `ONNX Runtime ${runtime.version}, ${runtime.name} interface`),
    ...(runtime.fallbackReason === undefined ? [] : hang('  fallback    ', runtime.fallbackReason)),
    ...hang('  machine     ', `${productGflops.toFixed(0)} GFLOPS in a plain matrix product (1024²)`),
    '',
    'The engine works here. Next: epsilens calibrate quick.',
  ].join('\n')}\n`;
}
