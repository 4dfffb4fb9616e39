// What a kind of model tells about itself: how it is built, how its parameters are called, which of them are the head. Everything
// else is the same code for all.

import type { Value } from '../engine/index.js';
import type { ModelConfig, RawConfig } from './config.js';
import type { ModelGraph, ModelInput } from './graph.js';
import type { Layers } from './layers.js';
import type { ModelLayout } from './layout.js';

export interface Architecture {
  /** Most parameter names begin with it in checkpoints with a head; bare models leave it out. */
  readonly prefix: string;
  /** Names that never have the prefix. */
  readonly unprefixed: RegExp;
  /** Parameters that a checkpoint may lack: they are then newly initialized. */
  readonly optional: RegExp;
  /** Sets of parameters by name; `head` is the classifier alone, `pooler+classifier` with what lies between it and the blocks. */
  readonly selections: Readonly<Record<'head' | 'pooler+classifier', RegExp> & Record<string, RegExp>>;
  /** What Hugging Face calls the model with a classifier. */
  readonly className: string;
  readonly open: (config: RawConfig) => OpenArchitecture;
}

/** An architecture of certain sizes. */
export interface OpenArchitecture {
  readonly config: ModelConfig;
  readonly layout: ModelLayout;
  readonly build: (layers: Layers, source: ModelInput, mask: Value) => ModelGraph;
}
