// Merges equal nodes (same operator, attributes and inputs: common sub-expressions) and equal small constants.

import type { Node, Value } from '../value.js';
import { rewrite } from './rewrite.js';

const smallConstant = 64;

export function mergeEqual(outputs: readonly Value[]): Value[] {
  const nodes = new Map<string, readonly Value[]>();
  const leaves = new Map<string, Value>();
  return rewrite(
    outputs,
    (node) => firstOf(nodes, keyOfNode(node), node.outputs),
    (value) => {
      const key = keyOfLeaf(value);
      return key === undefined ? value : firstOf(leaves, key, value);
    },
  );
}

function firstOf<T>(known: Map<string, T>, key: string, value: T): T {
  const first = known.get(key);
  if (first === undefined) known.set(key, value);
  return first ?? value;
}

const keyOfNode = ({ op, inputs, attributes }: Node): string =>
  `${op.name}(${inputs.map(({ id }) => id).join()})${JSON.stringify(attributes, exactly)}`;

/** JSON has no infinities. */
const exactly = (_: string, value: unknown) =>
  typeof value === 'number' && !Number.isFinite(value) ? `${value}` : value;

function keyOfLeaf({ dtype, shape, source }: Value): string | undefined {
  const type = `${dtype}[${shape}]`;
  if (source?.kind === 'file') return `${type} ${source.path} ${source.offset} ${source.stamp}`;
  if (source?.kind !== 'constant' || source.data.length > smallConstant) return undefined;
  // Bits, not numbers: 0 and −0 differ.
  return `${type} ${Buffer.from(source.data.buffer, source.data.byteOffset, source.data.byteLength).toString('hex')}`;
}
