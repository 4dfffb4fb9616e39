// Loads an adapter folder in PEFT's layout: adapter_config.json, adapter_model.safetensors, and the base model that it names.

import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { FileError, option, say } from '../../checks/index.js';
import { isHubRepository, isHubSource, readJsonObject } from '../../platform/index.js';
import { readLabels } from '../config.js';
import type { ModelPlace } from '../hub-model.js';
import type { LoadOptions, Model } from '../model.js';
import { replaceParameters } from '../replace-parameters.js';
import { openSafetensors, readTensor, type SafetensorsFile } from '../safetensors.js';
import { inspectWeights } from '../weights-file.js';
import { adapterNames, adaptModel } from './adapter.js';
import { adapterConfigFile, adapterWeightsFile, peftPrefix } from './files.js';
import { type PeftConfig, parsePeftConfig } from './peft-config.js';
import { linearLayers } from './targets.js';

/** Whether a folder holds an adapter rather than a whole model. */
export const isAdapterFolder = (folder: string): boolean => existsSync(join(folder, adapterConfigFile));

/** Loads an adapter and its base model, which `load` opens. */
export async function loadAdapter(
  { source, folder }: ModelPlace,
  { base: given, ...options }: LoadOptions,
  load: (source: string, options: LoadOptions) => Promise<Model>,
): Promise<Model> {
  const config = parsePeftConfig(
    await readJsonObject(join(folder, adapterConfigFile)),
    join(folder, adapterConfigFile),
  );
  const file = await openWeights(folder);
  const digest = await inspectWeights(file);
  const labels = await readOwnConfig(folder);
  const head = [...file.tensors].find(([name]) => /\.(classifier|score)\.(out_proj\.)?weight$/.test(name));
  const numLabels = options.numLabels ?? labels.numLabels ?? head?.[1].shape[0];
  const from = given ?? baseOf(folder, config);
  const base = await load(from, {
    ...options,
    ...(numLabels !== undefined && { numLabels }),
    // Otherwise a classifier of another size in the base model would be refused, which the adapter replaces.
    newHead: options.newHead === true || head !== undefined,
  }).catch((error: unknown) => {
    if (given === undefined && isHubSource(from) && error instanceof FileError)
      throw missingBase(folder, config, error);
    throw error;
  });
  const adapted = adaptModel(withLabels(base, labels.id2label, numLabels), settingsOf(base, config, file), 0);
  const numbers = await readNumbers(adapted, file, options.newHead === true);
  const model = replaceParameters(adapted, numbers);
  return { ...model, name: source, digest: `${digest} ${model.digest}` };
}

async function openWeights(folder: string): Promise<SafetensorsFile> {
  const path = join(folder, adapterWeightsFile);
  if (existsSync(path)) return openSafetensors(path);
  const pickle = existsSync(join(folder, 'adapter_model.bin'));
  const advice = pickle
    ? '; adapter_model.bin is a pickle file, which can run code when loaded: save it again with safe_serialization=True'
    : '';
  throw new FileError(`${folder}: expected ${adapterWeightsFile}, found none${advice}`);
}

/** Classes, as Epsilens saves them in a config.json beside the adapter; PEFT itself saves none. */
async function readOwnConfig(folder: string): Promise<{ readonly id2label?: object; readonly numLabels?: number }> {
  const path = join(folder, 'config.json');
  if (!existsSync(path)) return {};
  const config = await readJsonObject(path);
  const { id2label, num_labels } = config;
  if (typeof id2label !== 'object' && num_labels === undefined) return {};
  return { numLabels: readLabels(config), ...(typeof id2label === 'object' && id2label !== null && { id2label }) };
}

function withLabels(base: Model, id2label: object | undefined, numLabels: number | undefined): Model {
  if (id2label === undefined || Object.keys(id2label).length !== numLabels) return base;
  const { num_labels: _, label2id: __, ...rest } = base.rawConfig;
  return { ...base, rawConfig: { ...rest, id2label } };
}

/** Where the base model is: a bundled one, a folder, from here or from the adapter's own folder, or one of the Hub, which PEFT names without hf:. */
function baseOf(folder: string, { base, revision }: PeftConfig): string {
  if (base === null) {
    throw new FileError(
      say`${folder}: ${adapterConfigFile} names no base model: give it with ${option('base', 'loadModel')}, or write its folder into base_model_name_or_path`,
    );
  }
  if (/^(bundled|hf):/.test(base) || existsSync(base)) return base;
  const beside = join(folder, base);
  if (!isAbsolute(base) && existsSync(beside)) return beside;
  if (isHubRepository(base)) return `hf:${base}${revision === undefined ? '' : `@${revision}`}`;
  throw missingBase(folder, { base });
}

const missingBase = (folder: string, { base }: Pick<PeftConfig, 'base'>, reason?: FileError): FileError =>
  new FileError(
    say`${folder}: its base model ${base ?? 'model'} is not here: give its folder with ${option('base', 'loadModel')}, or write it into base_model_name_or_path of ${adapterConfigFile}${reason === undefined ? '' : ` (${reason.message})`}`,
  );

/** The layers that the file has tensors for: they, and not target_modules, say what was adapted. */
function settingsOf(base: Model, { base: _, revision: __, ...config }: PeftConfig, { path, tensors }: SafetensorsFile) {
  const names = new Set([...tensors.keys()].map((name) => bareName(base, name)));
  const layers = linearLayers(base).filter((layer) => names.has(adapterNames(layer).a));
  if (layers.length === 0)
    throw new FileError(`${path}: expected tensors lora_A and lora_B of the model's layers, got none`);
  return { ...config, layers };
}

/** The name of a tensor as this library calls it. */
function bareName({ architecture: { prefix } }: Model, name: string): string {
  const plain = name.startsWith(peftPrefix) ? name.slice(peftPrefix.length) : name;
  return plain.startsWith(prefix) ? plain.slice(prefix.length) : plain;
}

async function readNumbers(
  model: Model,
  file: SafetensorsFile,
  newHead: boolean,
): Promise<Record<string, Float32Array>> {
  const numbers: Record<string, Float32Array> = {};
  const { head } = model.architecture.selections;
  for (const [stored, { shape }] of file.tensors) {
    const name = bareName(model, stored);
    if (newHead && head.test(name)) continue;
    const expected = model.parameters.get(name)?.shape;
    if (expected === undefined)
      throw new FileError(
        `${file.path}: tensor ${stored}: the base model has no linear layer or parameter of this name`,
      );
    if (expected.join() !== shape.join())
      throw new FileError(`${file.path}: tensor ${stored}: expected shape [${expected}], got [${shape}]`);
    numbers[name] = await readTensor(file, stored);
  }
  const missing = model.adapter?.layers
    .flatMap((layer) => Object.values(adapterNames(layer)))
    .find((name) => numbers[name] === undefined);
  if (missing !== undefined) throw new FileError(`${file.path}: tensor ${missing} is missing`);
  return numbers;
}
