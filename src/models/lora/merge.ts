// Merges an adapter into the weights of its model: W + scale·(B·A), or its transpose where W is stored as [inputs, outputs].

import { ArgumentError } from '../../checks/index.js';
import type { Model } from '../model.js';
import { readParameter } from '../parameters.js';
import { replaceParameters } from '../replace-parameters.js';
import { type Adapter, adapterNames, isAdapterParameter, isTransposed, scaleOf, widthsOf } from './adapter.js';

/** The model without adapter that computes the same, up to rounding: the adapter's maps are added to the weights that they adapt. */
export async function mergeAdapter(model: Model): Promise<Model> {
  const { adapter } = model;
  if (adapter === undefined) throw new ArgumentError(`${model.name} has no adapter to merge`);
  const numbers: Record<string, Float32Array> = {};
  for (const name of changedBeside(model, adapter)) numbers[name] = await readParameter(model, name);
  for (const layer of adapter.layers) numbers[`${layer}.weight`] = await mergedWeight(model, adapter, layer);
  return { ...replaceParameters(adapter.base, numbers), name: model.name };
}

/** Parameters outside the adapter with other numbers than the base model's. */
export const changedBeside = ({ parameters }: Model, { base }: Adapter): string[] =>
  [...parameters.keys()].filter(
    (name) => !isAdapterParameter(name) && parameters.get(name) !== base.parameters.get(name),
  );

/** In float64 before it is rounded once. */
async function mergedWeight(model: Model, adapter: Adapter, layer: string): Promise<Float32Array> {
  const { a, b } = adapterNames(layer);
  const [inputs, outputs] = widthsOf(adapter.base, layer);
  const [weight, down, up] = await Promise.all([`${layer}.weight`, a, b].map((name) => readParameter(model, name)));
  const [scale, transposed] = [scaleOf(adapter), isTransposed(adapter.base, layer)];
  for (let output = 0; output < outputs; output++) {
    const row = new Float64Array(inputs);
    for (let place = 0; place < adapter.rank; place++) {
      const factor = scale * (up?.[output * adapter.rank + place] as number);
      const part = (down as Float32Array).subarray(place * inputs, (place + 1) * inputs);
      for (const [input, number] of part.entries()) row[input] = (row[input] as number) + factor * number;
    }
    for (const [input, change] of row.entries()) {
      const at = transposed ? output * inputs + input : input * outputs + output;
      (weight as Float32Array)[at] = (weight?.[at] as number) + change;
    }
  }
  return weight as Float32Array;
}
