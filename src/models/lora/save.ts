// Saves an adapter in PEFT's layout: the adapter's own tensors, and the modules beside it that were trained or started at random, such
// as the classifier. The base model is named, not copied.

import { ArgumentError, option, say } from '../../checks/index.js';
import type { Model } from '../model.js';
import { readParameter } from '../parameters.js';
import type { TensorToWrite } from '../safetensors-writer.js';
import { type Adapter, adapterNames, isAdapterParameter } from './adapter.js';
import { peftPrefix } from './files.js';
import { changedBeside } from './merge.js';
import { describePeftConfig } from './peft-config.js';

/** Tensors and adapter_config.json of an adapted model. */
export async function describeAdapter(model: Model, adapter: Adapter, dtype: NonNullable<TensorToWrite['dtype']>) {
  const { base } = adapter;
  const { prefix, unprefixed, selections } = base.architecture;
  const beside = parametersBeside(model, adapter);
  expectSavable(model, beside);
  const names = [...adapter.layers.flatMap((layer) => Object.values(adapterNames(layer))), ...beside];
  const tensors: Record<string, TensorToWrite> = {};
  for (const name of names) {
    const { shape = [] } = model.parameters.get(name) ?? {};
    const data = await readParameter(model, name);
    tensors[`${peftPrefix}${unprefixed.test(name) ? name : `${prefix}${name}`}`] = { shape, data, dtype };
  }
  // PEFT saves the head as one module, whatever is in it.
  const moduleOf = (name: string) => {
    if (selections.head.test(name)) return name.slice(0, name.indexOf('.'));
    return `${unprefixed.test(name) ? '' : prefix}${name.slice(0, name.lastIndexOf('.'))}`;
  };
  const config = describePeftConfig(model, adapter, base.name.replace(/ \(fine-tuned\)$/, ''), [
    ...new Set(beside.map(moduleOf)),
  ]);
  return { tensors, config };
}

/** What the base model on disk does not have: whole modules of which something was trained or started at random. */
function parametersBeside(model: Model, adapter: Adapter): string[] {
  const { base } = adapter;
  const inMemory = [...base.parameters].flatMap(([name, { numbers }]) => (numbers === undefined ? [] : [name]));
  const moduleOf = (name: string) => name.slice(0, name.lastIndexOf('.'));
  const changed = new Set([...changedBeside(model, adapter), ...base.newlyInitialized, ...inMemory].map(moduleOf));
  return [...model.parameters.keys()].filter((name) => !isAdapterParameter(name) && changed.has(moduleOf(name)));
}

/** Throws if one of these parameters belongs to an adapted layer: PEFT's layout has no place for it. */
export function expectSavable({ adapter, name }: Model, names: readonly string[]): void {
  const wrong = names.find((one) =>
    adapter?.layers.some((layer) => one === `${layer}.weight` || one === `${layer}.bias`),
  );
  if (wrong === undefined) return;
  throw new ArgumentError(
    say`${name}: ${wrong} is adapted, so its own numbers must stay those of the base model: choose other ${option('trainable')} parameters, such as lora, or merge the adapter first`,
  );
}
