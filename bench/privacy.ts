// The speed of accounting and of the noise of private training, and what directional noise costs compared with normal noise.

import { drawDirection, drawDirectionSum } from '../src/mechanisms/index.js';
import { dpSgd, pldAccountant, rdpAccountant } from '../src/privacy/index.js';
import { cryptographicSource, fillNormal } from '../src/random/index.js';
import { type Case, median, timings } from './case.js';

/** The number of parameters of BERT-base's pooler and classifier, and the batch size. */
const [dimension, examples] = [592_130, 128];
/** A concentration between pure noise and hardly any. */
const concentration = dimension;

const setting = dpSgd({ sampleRate: 0.01, noiseMultiplier: 1, steps: 10_000 });

const accounting: Case = async () => {
  const rdp = await timings(async () => rdpAccountant().compose(setting).epsilon(1e-5), 101);
  const pld = await timings(async () => pldAccountant().compose(setting).epsilon(1e-5), 21);
  const { lower = Number.NaN, upper = Number.NaN } = pldAccountant().compose(setting).epsilon(1e-5);
  return [
    { what: 'RDP epsilon, 10,000 steps', value: median(rdp), unit: 'ms', reach: '< 2' },
    { what: 'PLD epsilon, 10,000 steps', value: median(pld), unit: 'ms', reach: '< 100' },
    { what: 'PLD epsilon, upper - lower', value: 1e3 * (upper - lower), unit: '1e-3', reach: '< 1' },
  ];
};

/** The time of each in milliseconds, taken in turns so that a busy moment affects all of them. */
async function interleaved(runs: readonly (() => Promise<unknown>)[], rounds: number): Promise<number[]> {
  const times = runs.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, run] of runs.entries()) times[index]?.push(...(await timings(run, 1)));
  }
  return times.map(median);
}

const noise: Case = async () => {
  const source = cryptographicSource();
  const numbers = new Float32Array(dimension);
  const direction = new Float32Array(dimension).fill(1 / Math.sqrt(dimension));
  const into = new Float32Array(dimension);
  // Unrelated directions, as gradients of unrelated texts; their products with the noise are prepared and cost nothing.
  const gram = new Float64Array(examples * examples);
  for (let i = 0; i < examples; i++) gram[i * examples + i] = 1;
  const products = fillNormal(source, new Float64Array(examples));
  const sumOptions = { dimension, concentration, gram, products: () => products };
  const [normals = 0, sum = 0] = await interleaved(
    [
      async () => fillNormal(source, numbers),
      () => drawDirectionSum(source, { ...sumOptions, noise: fillNormal(source, into) }),
    ],
    15,
  );
  const one = median(await timings(async () => drawDirection(source, direction, concentration, into), 15));
  return [
    { what: 'normal number, cryptographic, one core', value: (1e6 * normals) / dimension, unit: 'ns', reach: '<= 25' },
    { what: 'normal vector, K = 592,130', value: normals, unit: 'ms' },
    { what: 'von Mises-Fisher draw, K = 592,130', value: one, unit: 'ms' },
    { what: 'sum of 128 von Mises-Fisher draws', value: sum, unit: 'ms' },
    { what: 'sum of 128 draws / normal vector', value: sum / normals, unit: '', reach: '<= 1.3' },
  ];
};

export const privacy: Readonly<Record<string, Case>> = { accounting, noise };
