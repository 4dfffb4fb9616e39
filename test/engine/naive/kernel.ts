import type { Node } from '../../../src/engine/value.js';
import type { NdArray } from './array.js';

/** One operator by plain loops: arrays in, arrays out; the node is there for its attributes and element types. */
export type Kernel = (inputs: readonly NdArray[], node: Node) => NdArray[];

export const first = (inputs: readonly NdArray[]): NdArray => inputs[0] as NdArray;
export const second = (inputs: readonly NdArray[]): NdArray => inputs[1] as NdArray;
