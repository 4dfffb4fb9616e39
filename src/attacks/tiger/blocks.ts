// The blocks that TIGER reads: those whose gradients show the inputs of every token. The class of a text is read from one token, so
// the last block's gradient lacks the others.

import type { Model } from '../../models/index.js';
import { projectionsOf } from '../span/first-block.js';

/** Numbers of the blocks of which query, key and value gradients are shared; `shared` undefined means all. */
export function readableBlocks(model: Pick<Model, 'layout'>, shared: readonly string[] | undefined): readonly number[] {
  const count = Math.max(1, model.layout.blocks.length - 1);
  return Array.from({ length: count }, (_, block) => block).filter((block) =>
    projectionsOf(model, block).every((name) => (shared ?? [name]).includes(name)),
  );
}
