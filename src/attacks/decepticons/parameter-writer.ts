// Writes the parameters that a server sends in place of a model's own.

import { ArgumentError } from '../../checks/index.js';
import type { Shape } from '../../engine/index.js';
import type { LinearLayout, ModelCore } from '../../models/index.js';

export type ParameterWriter = ReturnType<typeof makeParameterWriter>;

/** New arrays for parameters, zero until written. Linear maps are written by output and input, however they are stored. */
export function makeParameterWriter(target: ModelCore) {
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
  const sizesOf = ({ weight, transposed }: LinearLayout) => {
    const [rows, columns] = shapeOf(weight) as [number, number];
    return transposed ? { outputs: rows, inputs: columns } : { outputs: columns, inputs: rows };
  };
  const offsetOf = (dense: LinearLayout) => ((dense.third ?? 0) * sizesOf(dense).outputs) / 3;
  const weight = (dense: LinearLayout, output: number, from: number, number: number) => {
    const { outputs, inputs } = sizesOf(dense);
    const row = offsetOf(dense) + output;
    arrayOf(dense.weight)[dense.transposed ? row * inputs + from : from * outputs + row] = number;
  };
  return {
    arrays,
    set: (name: string, numbers: Float32Array) => arrayOf(name).set(numbers),
    fill: (name: string, number: number) => arrayOf(name).fill(number),
    weight,
    bias: (dense: LinearLayout, output: number, number: number) => {
      arrayOf(dense.bias)[offsetOf(dense) + output] = number;
    },
    diagonal: (dense: LinearLayout, number: number) => {
      const { inputs } = sizesOf(dense);
      for (let i = 0; i < inputs; i++) weight(dense, i, i, number);
    },
    /** Sends the map even if nothing is written to it; what is not written is 0. */
    clear: (dense: LinearLayout) => {
      arrayOf(dense.weight);
      arrayOf(dense.bias);
    },
  };
}
