// The engine: matrix products, transformer layers forward and backward, gradient matching, and the cost of one run.

import {
  add,
  compile,
  div,
  gradients,
  input,
  measureProductRate,
  mul,
  type ProductSizes,
  reduceL2,
  reduceSum,
  square,
  sub,
  type Value,
} from '../src/engine/index.js';
import { blockFlops } from '../src/models/index.js';
import { base, classifierLoss, encoder, makeParameters, randomArray } from './bert.js';
import { type Case, median, peakMegabytes, type Row, timings } from './case.js';

const [batch, tokens] = [16, 64];
const rows = batch * tokens;
const { hidden, intermediateSize: inner } = base;

/** The matrix products of one layer's step and how often each occurs: forward, and the gradients of inputs and weights. */
const products: readonly (readonly [ProductSizes, number])[] = [
  [{ rows, inner: hidden, columns: hidden }, 8],
  [{ rows, inner: hidden, columns: inner }, 2],
  [{ rows, inner, columns: hidden }, 2],
  [{ rows: hidden, inner: rows, columns: hidden }, 4],
  [{ rows: hidden, inner: rows, columns: inner }, 1],
  [{ rows: inner, inner: rows, columns: hidden }, 1],
];

/** ONNX Runtime's rate over all products of a layer's step: their operations divided by the time they take one by one. */
async function productRate(): Promise<number> {
  let [operations, time] = [0, 0];
  for (const [sizes, count] of products) {
    const flops = count * 2 * sizes.rows * sizes.inner * sizes.columns;
    operations += flops;
    time += flops / (await measureProductRate(sizes, 0.3));
  }
  return operations / time;
}

const matrixProducts: Case = async () => {
  const table: Row[] = [];
  for (const size of [512, 1024, 2048]) {
    const rate = await measureProductRate({ rows: size, inner: size, columns: size }, 1);
    table.push({ what: `matrix product ${size}²`, value: rate, unit: 'GFLOPS' });
  }
  return [...table, { what: 'matrix products of a layer', value: await productRate(), unit: 'GFLOPS' }];
};

const layersCase =
  (layers: number): Case =>
  async () => {
    const { parameter, values, arrays } = makeParameters('inputs');
    const x = input('x', [batch, tokens, hidden]);
    const y = encoder(x, layers, parameter);
    const loss = reduceSum(square(y));
    const feeds = { ...arrays, x: randomArray('x', x.shape, 1) };
    const flops = layers * blockFlops(batch, tokens, base);
    const name = `${layers} layers`;

    const forward = await compile({ y });
    const forwardTime = median(await timings(() => forward.run(feeds), 7));
    await forward.close();

    const start = performance.now();
    const slopes = gradients(loss, [x, ...Object.values(values)]);
    const named = Object.fromEntries(slopes.map((slope, index) => [`${index}`, slope]));
    const step = await compile({ loss, ...named });
    const compileTime = performance.now() - start;
    const buffers = Object.fromEntries(
      slopes.map(({ shape }, index) => [`${index}`, new Float32Array(shape.reduce((a, b) => a * b, 1))]),
    );
    // The machine is shared: its rate is measured before and after, and the step in between is compared with that.
    const before = await productRate();
    const stepTime = median(await timings(() => step.run(feeds, buffers), 9));
    const machine = (before + (await productRate())) / 2;
    await step.close();
    const rate = (3 * flops) / stepTime / 1e6;
    return [
      { what: `${name}, forward`, value: forwardTime, unit: 'ms' },
      { what: `${name}, forward`, value: flops / forwardTime / 1e6, unit: 'GFLOPS' },
      { what: `${name}, forward + backward`, value: stepTime, unit: 'ms' },
      { what: `${name}, forward + backward`, value: rate, unit: 'GFLOPS' },
      {
        what: `${name}, forward + backward / matrix products`,
        value: rate / machine,
        unit: '',
        reach: '>= 0.95 (AVX-512: 0.65)',
      },
      { what: `${name}, compile`, value: compileTime, unit: 'ms' },
      { what: `${name}, peak memory`, value: peakMegabytes(), unit: 'MB' },
    ];
  };

/** One step of gradient inversion: the gradient of Σ (1 − cos(g, g*)) over all tensors with respect to the embeddings. */
const matching =
  (layers: number, length: number): Case =>
  async () => {
    const { parameter, values } = makeParameters('constants');
    const words = input('words', [1, length, hidden]);
    const labels = input('labels', [1], 'i64');
    const loss = classifierLoss(words, layers, parameter, labels);
    const start = performance.now();
    const slopes = gradients(loss, Object.values(values));
    const targets = slopes.map(({ shape }, index) => input(`target ${index}`, shape));
    const distance = slopes
      .map((slope, index) => sub(1, cosine(slope, targets[index] as Value)))
      .reduce((a, b) => add(a, b));
    const step = await compile({ distance, slope: gradients(distance, [words])[0] as Value });
    const compileTime = performance.now() - start;
    const feeds = {
      ...Object.fromEntries(
        slopes.map(({ shape }, index) => [`target ${index}`, randomArray(`target ${index}`, shape, 1)]),
      ),
      words: randomArray('words', words.shape, 1),
      labels: BigInt64Array.of(1n),
    };
    const stepTime = median(await timings(() => step.run(feeds), 7));
    const { nodes } = step;
    await step.close();
    const name = `gradient matching, ${layers} layers, 1 × ${length}`;
    return [
      { what: `${name}, step`, value: stepTime, unit: 'ms', reach: '<= 2/3 of PyTorch' },
      { what: `${name}, compile`, value: compileTime, unit: 'ms', reach: '< 5000' },
      { what: `${name}, operators`, value: nodes, unit: '' },
      { what: `${name}, peak memory`, value: peakMegabytes(), unit: 'MB' },
    ];
  };

const cosine = (a: Value, b: Value): Value => div(reduceSum(mul(a, b)), mul(reduceL2(a), reduceL2(b)));

const oneRun: Case = async () => {
  const x = input('x', [1]);
  const program = await compile({ y: mul(x, 2) });
  const feeds = { x: Float32Array.of(1) };
  const times = await timings(() => program.run(feeds), 2000);
  await program.close();
  return [{ what: 'one run of a trivial graph', value: 1000 * median(times), unit: 'µs', reach: '< 100' }];
};

export const engine: Readonly<Record<string, Case>> = {
  products: matrixProducts,
  run: oneRun,
  layers4: layersCase(4),
  layers12: layersCase(12),
  matching12: matching(12, 24),
};
