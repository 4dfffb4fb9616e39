// The parameters of a model: where their numbers come from, and which of them are inputs of a graph.

import { ArgumentError, FileError } from '../checks/index.js';
import { input, type Shape, type Value } from '../engine/index.js';
import { type Layers, makeLayers } from './layers.js';

export interface ModelParameter {
  readonly shape: Shape;
  /** A copy of its numbers. */
  readonly read: () => Promise<Float32Array>;
  /** Its numbers as a constant of a graph; they stay in their file. */
  readonly constant: () => Value;
  /** Its numbers where they are in memory rather than in a file. */
  readonly numbers?: Float32Array;
}

export type ModelParameters = ReadonlyMap<string, ModelParameter>;

/** The numbers of one parameter: those of `changed` where they are given there, otherwise the model's own. */
export async function readParameter(
  { parameters }: { readonly parameters: ModelParameters },
  name: string,
  changed: Readonly<Record<string, Float32Array>> = {},
): Promise<Float32Array> {
  const numbers = changed[name] ?? (await parameters.get(name)?.read());
  if (numbers === undefined) throw new ArgumentError(`the model has no parameter ${name}`);
  return numbers;
}

/** Layers whose parameters are inputs of the graph where they are trainable, and constants otherwise. */
export function openLayers(
  parameters: ModelParameters,
  names: Iterable<string>,
): { layers: Layers; trainable: Readonly<Record<string, Value>> } {
  const wanted = new Set(names);
  const stranger = [...wanted].find((name) => !parameters.has(name));
  if (stranger !== undefined) throw new ArgumentError(`unknown parameter ${stranger}: the model has no such tensor`);
  const trainable: Record<string, Value> = {};
  const layers = makeLayers((name, shape) => {
    const parameter = parameters.get(name);
    if (parameter === undefined) throw new FileError(`tensor ${name} is missing: the model has no such head`);
    if (!wanted.has(name)) return parameter.constant();
    trainable[name] = input(name, shape);
    return trainable[name];
  });
  return { layers, trainable };
}
