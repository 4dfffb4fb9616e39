/** Trained parameters by layer: a block of the transformer is one part, and so is whatever stands outside. */
export function groupsByLayer(names: readonly string[]): string[][] {
  const parts = new Map<string, string[]>();
  for (const name of names) {
    const layer = /^(?:encoder\.layer|h)\.\d+|^[^.]+/.exec(name)?.[0] ?? name;
    parts.set(layer, [...(parts.get(layer) ?? []), name]);
  }
  return [...parts.values()];
}
