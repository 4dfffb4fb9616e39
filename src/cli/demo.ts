// `epsilens demo`: trains a small transformer on generated text. It shows that the engine works on this machine, and
// how fast.

import { measureProductRate } from '../engine/index.js';
import { type RandomSource, seededSource } from '../random/index.js';
import { adam } from '../training/index.js';
import { type Command, wholeNumber } from './command.js';
import { buildClassifier, type Classifier, sizes, stepFlops } from './demo-model.js';
import { encode, type Review, writeReview } from './demo-text.js';
import { bar, progressLine } from './progress.js';

interface DemoOptions {
  readonly steps: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

interface DemoResult {
  readonly steps: number;
  readonly parameters: number;
  readonly trainLoss: number;
  readonly testLoss: number;
  readonly testAccuracy: number;
  readonly examplesPerSecond: number;
  readonly gflops: number;
  readonly productGflops: number;
  readonly share: number;
}

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('train a small transformer classifier on generated text and measure the engine')
    .option('--steps <count>', 'training steps', wholeNumber(1), 300)
    .option('--seed <number>', 'seed of data and initial weights (this run is not private)', wholeNumber(0), 1)
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (options: DemoOptions) => {
      const result = await runDemo(options);
      process.stdout.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : describe(result));
    });
}

async function runDemo({ steps, seed, json = false, quiet = false }: DemoOptions): Promise<DemoResult> {
  const { batch } = sizes;
  const progress = progressLine(quiet || json);
  const random = seededSource(seed);
  progress.show('measuring the matrix product …');
  const productGflops = await measureProductRate({ rows: 1024, inner: 1024, columns: 1024 });
  progress.show('compiling …');
  const classifier = await buildClassifier(random.stream('weights'));
  const { train, test, parameters } = classifier;
  try {
    const optimizer = adam({ learningRate: 1e-3 });
    const state = optimizer.init(parameters);
    const buffers = Object.fromEntries(
      Object.entries(parameters).map(([name, x]) => [name, new Float32Array(x.length)]),
    );
    const source = random.stream('training');
    let [trainLoss, engineTime] = [0, 0];
    const start = performance.now();
    for (let step = 1; step <= steps; step++) {
      const feeds = { ...parameters, ...makeBatch(source) };
      const before = performance.now();
      const { loss, accuracy } = await train.run(feeds, buffers);
      engineTime += performance.now() - before;
      optimizer.update(parameters, buffers, state);
      trainLoss = Number(loss?.[0]);
      const left = ((performance.now() - start) / step / 1000) * (steps - step);
      progress.show(
        `${bar(step / steps)} step ${step}/${steps}  loss ${trainLoss.toFixed(3)}  accuracy ${Number(accuracy?.[0]).toFixed(2)}  ${left.toFixed(0)} s left`,
      );
    }
    const elapsed = (performance.now() - start) / 1000;
    const { loss, accuracy } = await evaluateClassifier(classifier, random.stream('test'));
    const gflops = (steps * stepFlops) / engineTime / 1e6;
    return {
      steps,
      parameters: Object.values(parameters).reduce((sum, { length }) => sum + length, 0),
      trainLoss,
      testLoss: loss,
      testAccuracy: accuracy,
      examplesPerSecond: (steps * batch) / elapsed,
      gflops,
      productGflops,
      share: gflops / productGflops,
    };
  } finally {
    progress.end();
    await train.close();
    await test.close();
  }
}

async function evaluateClassifier({ test, parameters }: Classifier, source: RandomSource) {
  const batches = 16;
  let [loss, accuracy] = [0, 0];
  for (let index = 0; index < batches; index++) {
    const result = await test.run({ ...parameters, ...makeBatch(source) });
    loss += Number(result.loss[0]) / batches;
    accuracy += Number(result.accuracy[0]) / batches;
  }
  return { loss, accuracy };
}

function makeBatch(source: RandomSource): { ids: BigInt64Array; labels: BigInt64Array } {
  const { batch, tokens } = sizes;
  const reviews: Review[] = Array.from({ length: batch }, () => writeReview(source, tokens));
  return {
    ids: BigInt64Array.from(
      reviews.flatMap(({ text }) => encode(text, tokens)),
      BigInt,
    ),
    labels: BigInt64Array.from(reviews, ({ label }) => BigInt(label)),
  };
}

const describe = (
  result: DemoResult,
): string => `A transformer of ${result.parameters.toLocaleString('en')} parameters, trained for ${result.steps} steps of ${sizes.batch} generated reviews.

  loss        ${result.trainLoss.toPrecision(2)} in training, ${result.testLoss.toPrecision(2)} on ${16 * sizes.batch} unseen reviews
  accuracy    ${(100 * result.testAccuracy).toFixed(1)} % on unseen reviews (guessing: 50 %)
  speed       ${result.examplesPerSecond.toFixed(0)} reviews a second
  engine      ${result.gflops.toFixed(0)} GFLOPS forward and backward, ${result.share.toFixed(2)} of the ${result.productGflops.toFixed(0)} GFLOPS
              that a plain matrix product (1024²) reaches on this machine

Not private: no noise was added. epsilens train --mechanism gaussian adds it; epsilens attack shows what leaks.
`;
