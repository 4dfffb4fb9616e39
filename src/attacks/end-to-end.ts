// Tensors that lie end to end in one array: a gradient that is bounded and noised as one vector then need not be copied.

import type { Arrays } from '../training/index.js';

/** New tensors of these names, as long as those of `like`. */
export function endToEnd(like: Arrays, names: readonly string[] = Object.keys(like)): Record<string, Float32Array> {
  const lengthOf = (name: string) => (like[name] as Float32Array).length;
  const all = new Float32Array(names.reduce((sum, name) => sum + lengthOf(name), 0));
  let start = 0;
  return Object.fromEntries(
    names.map((name) => {
      start += lengthOf(name);
      return [name, all.subarray(start - lengthOf(name), start)];
    }),
  );
}
