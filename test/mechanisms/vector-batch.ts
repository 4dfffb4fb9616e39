// A batch of gradients given as vectors, with the interface that training offers to mechanisms, computed one example at a time.

import {
  type BatchGradients,
  clipFactor,
  drawDirectionSum,
  type GradientSums,
  normOf,
  type ParameterGroups,
  type RandomDirections,
  scaleFactor,
  type Tensors,
} from '../../src/mechanisms/index.js';

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);

const weightedSum = (vectors: readonly Float32Array[], factors: ArrayLike<number>): Float32Array =>
  (vectors[0] as Float32Array).map((_, i) =>
    vectors.reduce((sum, vector, place) => sum + (factors[place] as number) * (vector[i] as number), 0),
  );

/** One tensor per name; all examples have the same names. */
export function batchOf(examples: readonly Tensors[], divisor: number): BatchGradients<GradientSums> {
  const names = Object.keys(examples[0] as Tensors);
  const flat = examples.map((example) =>
    Float32Array.from(names.flatMap((name) => [...(example[name] as Float32Array)])),
  );
  const weigh = (factorOf: (norm: number) => number): GradientSums => {
    const factors = flat.map((vector) => factorOf(normOf(vector)));
    const sums = names.map((name) => [
      name,
      weightedSum(
        examples.map((one) => one[name] as Float32Array),
        factors,
      ),
    ]);
    return { gradients: Object.fromEntries(sums) };
  };
  return {
    divisor,
    plain: async () => weigh(() => 1),
    clipped: async ({ kind, norm }) =>
      weigh((length) => (kind === 'clip' ? clipFactor(length, norm) : scaleFactor(length, norm))),
    directions: async ({ parameterGroups = [names], ...rest }) => ({
      gradients: Object.assign({}, ...(await drawGroups(examples, parameterGroups, rest))) as Tensors,
    }),
  };
}

function drawGroups(
  examples: readonly Tensors[],
  groups: ParameterGroups,
  { concentration, random }: Omit<RandomDirections, 'parameterGroups'>,
): Promise<Tensors[]> {
  return Promise.all(
    groups.map(async (group) => {
      const units = examples.map((example) => {
        const vector = Float32Array.from(group.flatMap((name) => [...(example[name] as Float32Array)]));
        return vector.map((x) => x / normOf(vector));
      });
      const { coefficients, noise, noiseScale } = await drawDirectionSum(random, {
        dimension: (units[0] as Float32Array).length,
        concentration,
        gram: Float64Array.from(units.flatMap((a, i) => units.map((b, j) => (i === j ? 1 : dot(a, b))))),
        products: (drawn) => units.map((unit) => dot(unit, drawn)),
      });
      const sum = weightedSum([...units, noise], [...coefficients, noiseScale]);
      let start = 0;
      const parts = group.map((name) => {
        const { length } = (examples[0] as Tensors)[name] as Float32Array;
        start += length;
        return [name, sum.slice(start - length, start)];
      });
      return Object.fromEntries(parts) as Tensors;
    }),
  );
}
