// What a model is and has, from its configuration and the headers of its weights files: quick, however large they are.

import { assembleModel, type Model, type Task } from './model.js';
import { classNames } from './predictor.js';

/** A model without its weights. */
export interface InspectedModel {
  /** Its sizes, names and shapes. It has no digest, and its weights are not checked: load it to compute with it. */
  readonly model: Model;
  /** Numbers in its files. */
  readonly parameters: number;
  /** The language-model head that it has: one that fills gaps, or one that continues text. */
  readonly languageHead?: 'masked' | 'causal';
  /** The classes of its classifier; absent if the checkpoint has none, or only a part of one. */
  readonly classes?: readonly string[];
}

/** Inspects the model in a folder. Throws if it is of a kind that cannot be loaded. */
export async function inspectModel(folder: string, source = folder): Promise<InspectedModel> {
  let parameters = 0;
  const model = await assembleModel({ source, folder }, {}, async (opened) => {
    const tensors = [...opened.tensors.values()];
    parameters = tensors.reduce((sum, { shape }) => sum + shape.reduce((size, length) => size * length, 1), 0);
    const places = tensors.map(({ name, file, offset }) => [name, { path: file.path, offset }] as const);
    return { digests: [], places: new Map(places) };
  });
  const has = (task: Task) => isComplete(model, task);
  const isTrained = has(model.head) && model.newlyInitialized.length === 0;
  return {
    model,
    parameters,
    ...(has('lm') && { languageHead: model.layout.attention === 'causal' ? 'causal' : 'masked' }),
    ...(isTrained && { classes: classNames(model) }),
  };
}

/** Whether all parameters of a task are in the checkpoint, or may be new. */
function isComplete(model: Model, task: Task): boolean {
  try {
    return model.parametersOf(task).length > 0;
  } catch {
    return false;
  }
}
