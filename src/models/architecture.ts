// The contract of a kind of model: how it is built, how its parameters are named, which of them are the head. All other code
// is shared between models.

import type { Value } from '../engine/index.js';
import type { ModelConfig, RawConfig } from './config.js';
import type { DropoutRates } from './dropout.js';
import type { ModelGraph, ModelInput } from './graph.js';
import type { HeadName } from './heads.js';
import type { Layers } from './layers.js';
import type { ModelLayout } from './layout.js';

/** A kind of model, such as BERT: its graph and the names of its parameters. */
export interface Architecture {
  /** Begins most parameter names in checkpoints with a head; checkpoints of the bare model leave it out. */
  readonly prefix: string;
  /** Names that never have the prefix. */
  readonly unprefixed: RegExp;
  /** Parameters that are newly initialized if the checkpoint lacks them. */
  readonly optional: RegExp;
  /** Named sets of parameters: `head` is the classifier alone, `pooler+classifier` adds what lies between it and the blocks. */
  readonly selections: Readonly<Record<'head' | 'pooler+classifier', RegExp> & Record<string, RegExp>>;
  /** Hugging Face's names of the model with a classifier of texts, and of tokens. */
  readonly classNames: Readonly<Record<HeadName, string>>;
  /** Reads the probabilities of dropout from config.json; absent where they are not known. */
  readonly readDropout?: (config: RawConfig) => DropoutRates;
  /** Reads the sizes from config.json. */
  readonly open: (config: RawConfig) => OpenArchitecture;
}

/** An architecture with the sizes of one model. */
export interface OpenArchitecture {
  readonly config: ModelConfig;
  /** Which classifier it has. */
  readonly head: HeadName;
  /** The id of the padding token, where the graph depends on it: the tokenizer must have the same. */
  readonly padding?: number;
  readonly layout: ModelLayout;
  readonly build: (layers: Layers, source: ModelInput, mask: Value) => ModelGraph;
}
