// The parameters of a model: where their numbers are stored, and which of them are inputs of a graph.

import { ArgumentError, FileError } from '../checks/index.js';
import { input, type Shape, type Value } from '../engine/index.js';
import { type DropoutPlace, type DropoutScope, dropNothing, openDropout } from './dropout.js';
import { type Layers, makeLayers } from './layers.js';

/** One parameter of a model. */
export interface ModelParameter {
  readonly shape: Shape;
  /** Reads a copy of its numbers. */
  readonly read: () => Promise<Float32Array>;
  /** The parameter as a constant of a graph; stored numbers stay in their file. */
  readonly constant: () => Value;
  /** Its numbers where they are in memory rather than in a file. */
  readonly numbers?: Float32Array;
}

/** Parameters by name. */
export type ModelParameters = ReadonlyMap<string, ModelParameter>;

/** The numbers of one parameter: those in `changed` if it has them, otherwise the model's own. */
export async function readParameter(
  { parameters }: { readonly parameters: ModelParameters },
  name: string,
  changed: Readonly<Record<string, Float32Array>> = {},
): Promise<Float32Array> {
  const numbers = changed[name] ?? (await parameters.get(name)?.read());
  if (numbers === undefined) throw new ArgumentError(`the model has no parameter ${name}`);
  return numbers;
}

/** Layers whose trainable parameters are inputs of the graph and whose other parameters are constants; with dropout if it is given. */
export function openLayers(
  parameters: ModelParameters,
  names: Iterable<string>,
  dropout?: DropoutScope,
): { layers: Layers; trainable: Readonly<Record<string, Value>>; dropoutPlaces: readonly DropoutPlace[] } {
  const wanted = new Set(names);
  const unknown = [...wanted].find((name) => !parameters.has(name));
  if (unknown !== undefined) throw new ArgumentError(`unknown parameter ${unknown}: the model has no such tensor`);
  const trainable: Record<string, Value> = {};
  const { drop, places } = dropout ? openDropout(dropout, trainable) : { drop: dropNothing, places: [] };
  const layers = makeLayers((name, shape) => {
    const parameter = parameters.get(name);
    if (parameter === undefined)
      throw new FileError(`tensor ${name} is missing: the model lacks the head for this task`);
    if (!wanted.has(name)) return parameter.constant();
    trainable[name] = input(name, shape);
    return trainable[name];
  }, drop);
  return { layers, trainable, dropoutPlaces: places };
}
