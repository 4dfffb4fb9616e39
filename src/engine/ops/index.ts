import type { Op } from '../value.js';
import { activations } from './activation.js';
import { elementwise } from './elementwise.js';
import { indexing } from './indexing.js';
import { linear } from './linear.js';
import { movement } from './movement.js';
import { reductions } from './reduction.js';

/** Every operator by its ONNX name. */
export const ops = {
  ...elementwise,
  ...movement,
  ...reductions,
  ...linear,
  ...activations,
  ...indexing,
} satisfies Record<string, Op>;
export type OpName = keyof typeof ops;
