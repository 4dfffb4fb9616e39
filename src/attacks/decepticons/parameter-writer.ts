// Parameters to be sent instead of a model's own.

import { ArgumentError } from '../../checks/index.js';
import type { Shape } from '../../engine/index.js';
import type { Dense, Target } from './layout.js';

export type ParameterWriter = ReturnType<typeof makeParameterWriter>;

/** New arrays for parameters, zero until written; linear maps are written by output and input, however they are stored. */
export function makeParameterWriter(target: Target) {
  const arrays: Record<string, Float32Array> = {};
  const shapeOf = (name: string): Shape => {
    const shape = target.parameters.get(name)?.shape;
    if (shape === undefined) throw new ArgumentError(`the model has no parameter ${name}`);
    return shape;
  };
  const arrayOf = (name: string): Float32Array => {
    arrays[name] ??= new Float32Array(shapeOf(name).reduce((product, size) => product * size, 1));
    return arrays[name];
  };
  const sizesOf = ({ weight, transposed }: Dense) => {
    const [rows, columns] = shapeOf(weight) as [number, number];
    return transposed ? { outputs: rows, inputs: columns } : { outputs: columns, inputs: rows };
  };
  const offsetOf = (dense: Dense) => ((dense.third ?? 0) * sizesOf(dense).outputs) / 3;
  const weight = (dense: Dense, output: number, from: number, number: number) => {
    const { outputs, inputs } = sizesOf(dense);
    const row = offsetOf(dense) + output;
    arrayOf(dense.weight)[dense.transposed ? row * inputs + from : from * outputs + row] = number;
  };
  return {
    arrays,
    set: (name: string, numbers: Float32Array) => arrayOf(name).set(numbers),
    fill: (name: string, number: number) => arrayOf(name).fill(number),
    weight,
    bias: (dense: Dense, output: number, number: number) => {
      arrayOf(dense.bias)[offsetOf(dense) + output] = number;
    },
    diagonal: (dense: Dense, number: number) => {
      const { inputs } = sizesOf(dense);
      for (let i = 0; i < inputs; i++) weight(dense, i, i, number);
    },
    /** Makes sure that it is there; what is not written is 0. */
    clear: (dense: Dense) => {
      arrayOf(dense.weight);
      arrayOf(dense.bias);
    },
  };
}
