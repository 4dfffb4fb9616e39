import { ArgumentError } from '../checks/index.js';
import type { ModelCore } from '../models/index.js';

/**
 * Groups parameters by the layer of the model that they belong to, in the order of the names. Pass the result as `layers` to
 * `makePlan` for mechanisms that treat layers separately.
 */
export function groupsByLayer({ layout }: Pick<ModelCore, 'layout'>, names: readonly string[]): string[][] {
  const layerOf = new Map(layout.parameterGroups.flatMap((group, layer) => group.map((name) => [name, layer])));
  const groups = new Map<number, string[]>();
  for (const name of names) {
    const layer = layerOf.get(name);
    if (layer === undefined) throw new ArgumentError(`unknown parameter ${name}: the model has no such tensor`);
    groups.set(layer, [...(groups.get(layer) ?? []), name]);
  }
  return [...groups.values()];
}
