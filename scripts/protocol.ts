// npm run protocol: utility at every noise level by the paper's protocol (head only): CoLA and SST-2, Gaussian and
// directional noise, three seeds. Rows are kept in .cache/protocol, so that an interrupted study goes on; the tables of
// docs/results.md are printed at the end.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadDataSet, paperSplit } from '../src/data/index.js';
import { loadModel, type Model, selectParameters } from '../src/models/index.js';
import { seededSource } from '../src/random/index.js';
import { adamW, linearSchedule, makePlan, type Plan, trainClassifier } from '../src/training/index.js';
import { type ProtocolRow, printTables } from './protocol-tables.js';

const { values } = parseArgs({
  options: {
    shared: { type: 'string', default: join('..', 'shared') },
    rows: { type: 'string', default: join('.cache', 'protocol', 'rows.jsonl') },
    only: { type: 'string', default: '' },
  },
});

const tasks = {
  CoLA: { folder: 'cola', epochs: 10, tokens: 40, paperRate: 5e-6 },
  'SST-2': { folder: 'sst2', epochs: 4, tokens: 66, paperRate: 2e-5 },
} as const;
const sources = { 'bert-mini': 'bundled:bert-mini', 'minilm-l6': join(values.shared, 'models', 'minilm-l6') } as const;
const levels = [
  { mechanism: 'none', level: Number.POSITIVE_INFINITY },
  ...[1, 10, 100, 1e4].map((level) => ({ mechanism: 'gaussian' as const, level })),
  ...[1e2, 1e3, 1e4, 1e5, 1e6].map((level) => ({ mechanism: 'directional' as const, level })),
] as const;
const seeds = [1, 2, 3];
const batchSize = 128;

mkdirSync(join(values.rows, '..'), { recursive: true });
const read = (): ProtocolRow[] =>
  existsSync(values.rows)
    ? readFileSync(values.rows, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ProtocolRow)
    : [];
const keyOf = (row: Omit<ProtocolRow, 'figures'>) =>
  JSON.stringify([row.task, row.model, row.mechanism, `${row.level}`, row.rate, row.seed]);
const done = new Set(read().map(keyOf));

for (const [task, { folder, epochs, tokens, paperRate }] of Object.entries(tasks)) {
  const all = await loadDataSet(join(values.shared, 'data', folder));
  const { dataSet } = paperSplit(all, seededSource('protocol'));
  for (const [name, source] of Object.entries(sources)) {
    for (const rate of [1e-3, paperRate]) {
      for (const seed of seeds) {
        for (const { mechanism, level } of levels) {
          // The paper's own rate hardly moves the head of a small model: one look is enough.
          if (rate === paperRate && (seed > 1 || mechanism !== 'none')) continue;
          const row = { task, model: name, mechanism, level: `${level}`, rate, seed };
          if (done.has(keyOf(row)) || !keyOf(row).includes(values.only)) continue;
          const model = await loadModel(source, { numLabels: 2, newHead: true, seed });
          const figures = await run(model, dataSet, { mechanism, level, epochs, tokens, rate, seed });
          appendFileSync(values.rows, `${JSON.stringify({ ...row, figures })}\n`);
          process.stderr.write(
            `${keyOf(row)} ${(100 * figures.accuracy).toFixed(1)} % ${figures.seconds.toFixed(1)} s\n`,
          );
        }
      }
    }
  }
}
process.stdout.write(printTables(read()));
process.exit(0);

interface RunOptions {
  readonly mechanism: 'none' | 'gaussian' | 'directional';
  readonly level: number;
  readonly epochs: number;
  readonly tokens: number;
  readonly rate: number;
  readonly seed: number;
}

async function run(
  model: Model,
  { splits: parts }: Awaited<ReturnType<typeof loadDataSet>>,
  { mechanism, level, epochs, tokens, rate, seed }: RunOptions,
): Promise<ProtocolRow['figures']> {
  const start = performance.now();
  const encode = (part: 'train' | 'validation' | 'test') => ({
    inputIds: (parts[part] ?? []).map(({ text }) => model.tokenizer.encode(text, { maxTokens: tokens })),
    labels: (parts[part] ?? []).map(({ label }) => label as number),
  });
  const train = encode('train');
  const sizes = { examples: train.inputIds.length, epochs, batchSize };
  const plan: Plan =
    mechanism === 'none'
      ? makePlan({ mechanism, ...sizes })
      : mechanism === 'directional'
        ? makePlan({ mechanism, ...sizes, concentration: level })
        : makePlan({ mechanism, ...sizes, epsilon: level, delta: 1 / train.inputIds.length, accountant: 'rdp' });
  let [cosine, cosineToGradient, steps] = [0, 0, 0];
  const result = await trainClassifier({
    model,
    trainable: selectParameters(model, 'pooler+classifier'),
    data: { train, validation: encode('validation'), test: encode('test') },
    optimizer: adamW({ learningRate: linearSchedule(rate, { warmup: Math.ceil(plan.steps / 20), steps: plan.steps }) }),
    plan,
    seed,
    ...(mechanism !== 'none' && { insecureSeed: seed }),
    ...(seed === 1 && mechanism !== 'none' && { diagnose: true }),
    onStep: ({ diagnostics }) => {
      cosine += diagnostics?.cosineToSum ?? 0;
      cosineToGradient += diagnostics?.cosineToGradient ?? 0;
      steps++;
    },
  });
  const { test, train: own } = result;
  return {
    accuracy: test?.accuracy ?? Number.NaN,
    matthews: test?.matthews ?? Number.NaN,
    macroF1: test?.macroF1 ?? Number.NaN,
    trainAccuracy: own.accuracy,
    ...('noiseMultiplier' in plan && { noiseMultiplier: plan.noiseMultiplier }),
    ...(result.privacy.guarantee && { epsilon: result.privacy.guarantee.epsilon }),
    ...(seed === 1 && mechanism !== 'none' && { cosine: cosine / steps, cosineToGradient: cosineToGradient / steps }),
    examples: sizes.examples,
    parameters: selectParameters(model, 'pooler+classifier').reduce(
      (sum, one) => sum + (model.parameters.get(one)?.shape ?? []).reduce((product, size) => product * size, 1),
      0,
    ),
    seconds: (performance.now() - start) / 1000,
  };
}
