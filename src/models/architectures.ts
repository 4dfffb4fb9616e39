// The models we know, each with what differs from the others: how it is built, how its parameters are called, which of them
// are the head. Everything else is the same code for all.

import { FileError } from '../checks/index.js';
import type { Value } from '../engine/index.js';
import { buildBert, parseBertConfig } from './bert.js';
import type { ModelConfig, RawConfig } from './config.js';
import { buildGpt2, parseGpt2Config } from './gpt2.js';
import type { ModelGraph, ModelInput } from './graph.js';
import type { Layers } from './layers.js';

export interface Architecture {
  /** Of most parameter names in checkpoints with a head; bare models leave it out. */
  readonly prefix: string;
  /** Names that never have the prefix. */
  readonly unprefixed: RegExp;
  /** Parameters that a checkpoint may lack: they are then drawn at random. */
  readonly drawable: RegExp;
  /** Sets of parameters by name; `head` is the classifier alone, `pooler+classifier` with what lies between it and the blocks. */
  readonly selections: Readonly<Record<'head' | 'pooler+classifier', RegExp> & Record<string, RegExp>>;
  /** What Hugging Face calls the model with a classifier. */
  readonly className: string;
  readonly open: (config: RawConfig) => OpenArchitecture;
}

export interface OpenArchitecture {
  readonly config: ModelConfig;
  readonly build: (layers: Layers, source: ModelInput, mask: Value) => ModelGraph;
}

const architectures: Readonly<Record<string, Architecture>> = {
  bert: {
    prefix: 'bert.',
    unprefixed: /^(classifier|cls)\./,
    drawable: /^(classifier|pooler)\./,
    selections: {
      head: /^classifier\./,
      'pooler+classifier': /^(pooler|classifier)\./,
    },
    className: 'BertForSequenceClassification',
    open: (raw) => {
      const config = parseBertConfig(raw);
      return { config, build: (...rest) => buildBert(config, ...rest) };
    },
  },
  gpt2: {
    prefix: 'transformer.',
    unprefixed: /^score\./,
    drawable: /^score\./,
    selections: { head: /^score\./, 'pooler+classifier': /^(ln_f|score)\./, 'norm+score': /^(ln_f|score)\./ },
    className: 'GPT2ForSequenceClassification',
    open: (raw) => {
      const config = parseGpt2Config(raw);
      return { config, build: (...rest) => buildGpt2(config, ...rest) };
    },
  },
};

export function findArchitecture(config: RawConfig): Architecture {
  const type = config.model_type;
  const found = typeof type === 'string' && Object.hasOwn(architectures, type) ? architectures[type] : undefined;
  if (found === undefined) {
    const known = Object.keys(architectures).join(' or ');
    throw new FileError(`config.json: model_type: expected ${known}, got ${JSON.stringify(type)}`);
  }
  return found;
}
