// adapter_config.json, as PEFT writes it and as PEFT reads it.

import { FileError } from '../../checks/index.js';
import type { Model } from '../model.js';
import { type AdapterSettings, isTransposed } from './adapter.js';
import { lastPart, linearLayers } from './targets.js';

/** What an adapter_config.json says of a LoRA adapter. Which layers are adapted, its tensors say. */
export interface PeftConfig extends Pick<AdapterSettings, 'alpha' | 'rankStabilized' | 'rank'> {
  /** Name or folder of the base model; null if the file does not say. */
  readonly base: string | null;
  /** The revision of a base model of the Hub. */
  readonly revision?: string;
}

/** Settings that change what an adapter computes or which tensors it has, and that are not LoRA as it was published. */
const unsupported = [
  'use_dora',
  'use_qalora',
  'use_bdlora',
  'lora_bias',
  'rank_pattern',
  'alpha_pattern',
  'layer_replication',
  'trainable_token_indices',
  'target_parameters',
  'alora_invocation_tokens',
  'velora_config',
  'arrow_config',
  'kasa_config',
  'monteclora_config',
];

/** Ways to initialize that also change the weights of the base model. */
const changesBase = /^(pissa|olora|loftq|corda|lora_ga)/;

type Json = Readonly<Record<string, unknown>>;

/** Reads and checks adapter_config.json; `path` names it in errors. */
export function parsePeftConfig(config: Json, path: string): PeftConfig {
  expectValue(config, path, 'peft_type', 'LORA');
  expectValue(config, path, 'bias', 'none');
  const stranger = unsupported.find((key) => isSet(config[key]));
  if (stranger !== undefined) {
    throw new FileError(
      `${path}: ${stranger}: expected plain LoRA, got ${JSON.stringify(config[stranger])}: merge this adapter into its model in Python and load the result`,
    );
  }
  const initial = config.init_lora_weights;
  if (typeof initial === 'string' && changesBase.test(initial)) {
    throw new FileError(
      `${path}: init_lora_weights: ${initial} also changes the base model, which the folder does not hold: save it with path_initial_model_for_weight_conversion, or merged`,
    );
  }
  const { r: rank, lora_alpha: alpha, base_model_name_or_path: base } = config;
  if (!Number.isSafeInteger(rank) || (rank as number) < 1)
    throw new FileError(`${path}: r: expected a whole number >= 1, got ${JSON.stringify(rank)}`);
  if (typeof alpha !== 'number' || !(alpha > 0) || !Number.isFinite(alpha))
    throw new FileError(`${path}: lora_alpha: expected a number > 0, got ${JSON.stringify(alpha)}`);
  return {
    rank: rank as number,
    alpha,
    rankStabilized: config.use_rslora === true,
    base: typeof base === 'string' && base !== '' ? base : null,
    ...(typeof config.revision === 'string' && { revision: config.revision }),
  };
}

function expectValue(config: Json, path: string, key: string, expected: string): void {
  const value = config[key] ?? expected;
  if (value !== expected)
    throw new FileError(`${path}: ${key}: expected ${expected}, got ${JSON.stringify(value)}: only LoRA is supported`);
}

/** Empty lists and objects are PEFT's defaults. */
const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** adapter_config.json of a model; `modules` are those saved as a whole. */
export function describePeftConfig(model: Model, settings: AdapterSettings, base: string, modules: readonly string[]) {
  const { rank, alpha, rankStabilized, layers } = settings;
  // PEFT names models of the Hub without hf:, and their revision apart.
  const [, name = base, revision = null] = /^hf:([^@]+)(?:@(.+))?$/.exec(base) ?? [];
  return {
    auto_mapping: null,
    base_model_name_or_path: name,
    bias: 'none',
    // PEFT means the maps of GPT-2, whose weights are stored as [inputs, outputs].
    fan_in_fan_out: layers.some((layer) => !isTransposed(model, layer)),
    inference_mode: true,
    init_lora_weights: true,
    lora_alpha: alpha,
    lora_dropout: 0,
    modules_to_save: modules.length > 0 ? modules : null,
    peft_type: 'LORA',
    r: rank,
    revision,
    target_modules: shortTargets(model, layers),
    task_type: 'SEQ_CLS',
    use_dora: false,
    use_rslora: rankStabilized,
  };
}

/** The last parts of the layers' names where they stand for these layers and no others, otherwise the whole names. */
function shortTargets(model: Model, layers: readonly string[]): string[] {
  const short = [...new Set(layers.map(lastPart))];
  const meant = linearLayers(model).filter(
    (name) => short.includes(lastPart(name)) && !lastPart(name).startsWith('lora_'),
  );
  if (meant.length === layers.length) return short;
  return layers.map((name) => `${model.architecture.prefix}${name}`);
}
