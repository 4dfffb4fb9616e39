// A model that is ready to use: its weights found, checked and, where it has no classifier yet, completed.

import { join } from 'node:path';
import { ArgumentError, FileError } from '../checks/index.js';
import { openTokenizer, type Tokenizer } from '../data/index.js';
import { constant, fileConstant, input, type Shape, sizeOf, type Value } from '../engine/index.js';
import { fillNormal, type SeededSource, seededSource } from '../random/index.js';
import type { Architecture, OpenArchitecture } from './architecture.js';
import { findArchitecture } from './architectures.js';
import { bundledModel } from './bundled.js';
import {
  type Checkpoint,
  expectShape,
  findTensor,
  openCheckpoint,
  readStored,
  type StoredTensor,
} from './checkpoint.js';
import { type ModelConfig, type RawConfig, readLabels } from './config.js';
import type { ModelGraph } from './graph.js';
import { type LayerTrace, makeLayers } from './layers.js';
import type { ModelLayout } from './layout.js';
import { type ModelParameter, type ModelParameters, openLayers } from './parameters.js';
import type { SafetensorsFile } from './safetensors.js';
import { asFloat32, inspectWeights } from './weights-file.js';

/** What is asked of a model: the class of a text, or tokens (masked or next). */
export type Task = 'classification' | 'lm';

/** The logits of a task. */
export const taskLogits = (built: Pick<ModelGraph, 'classify' | 'lmLogits'>, task: Task): Value =>
  task === 'classification' ? built.classify() : built.lmLogits();

/** What can be computed with a model: all of it but its tokenizer and where its weights come from. */
export interface ModelCore {
  readonly config: ModelConfig;
  readonly rawConfig: RawConfig;
  readonly layout: ModelLayout;
  readonly parameters: ModelParameters;
  readonly build: (options: BuildOptions) => Pick<BuiltModel, 'lmLogits' | 'classify' | 'trainable'>;
}

export interface Model extends ModelCore {
  readonly name: string;
  readonly architecture: Architecture;
  readonly tokenizer: Tokenizer;
  /** Parameters that were not in the checkpoint. */
  readonly newlyInitialized: readonly string[];
  /** SHA-256 over all weights; newly initialized ones count by their seed. */
  readonly digest: string;
  /** The same for what is left when these parameters are trained: newly initialized ones among them do not count. */
  readonly frozenDigest: (trainable: readonly string[]) => string;
  /** Names of the parameters that this task needs, in the order of the layers. */
  readonly parametersOf: (task: Task) => string[];
  readonly build: (options: BuildOptions) => BuiltModel;
}

export interface BuildOptions {
  readonly batch: number;
  readonly tokens: number;
  /** Parameters that are inputs of the graph, by name; the others are constants. None unless given. */
  readonly trainable?: Iterable<string>;
  /** Input `ids` (default), or input `words`, the embeddings. */
  readonly from?: 'ids' | 'words';
}

/** Inputs: `ids` i64 or `words`, `mask` f32, and every trained parameter under its name. */
export interface BuiltModel extends ModelGraph {
  /** Traces of the layers built so far: ask after the heads have been built. */
  readonly traces: readonly LayerTrace[];
  readonly trainable: Readonly<Record<string, Value>>;
  readonly mask: Value;
}

export interface LoadOptions {
  /** Number of classes; a classifier of another number is an error unless a new head is asked for. */
  readonly numLabels?: number;
  /** Initialize the classifier anew even where there is one. */
  readonly newHead?: boolean;
  /** Seeds the parameters that are newly initialized. */
  readonly seed?: number | string;
}

/** `source` is a folder in the Hugging Face layout, or `bundled:NAME`. */
export async function loadModel(source: string, options: LoadOptions = {}): Promise<Model> {
  const folder = source.startsWith('bundled:') ? bundledModel(source) : source;
  if (source.startsWith('hf:')) {
    throw new ArgumentError(`${source}: downloading is not supported yet: download the folder and give its path`);
  }
  const checkpoint = await openCheckpoint(folder);
  const architecture = findArchitecture(checkpoint.config);
  const rawConfig = withLabels(checkpoint.config, options.numLabels);
  const opened = architecture.open(rawConfig);
  const shapes = { classification: shapesOf(opened, 'classification'), lm: shapesOf(opened, 'lm') };
  const seed = options.seed ?? 0;
  const weights = await openWeights(checkpoint);
  const newlyInitialized: string[] = [];
  const parameters = new Map<string, ModelParameter>();
  for (const [name, shape] of new Map([...shapes.lm, ...shapes.classification])) {
    const replaced = options.newHead === true && architecture.selections.head.test(name);
    const tensor = replaced ? undefined : findTensor(checkpoint, name, architecture.prefix);
    if (tensor !== undefined) {
      const fits = tensor.shape.join() === shape.join();
      if (!fits && architecture.selections.head.test(name) && options.numLabels !== undefined) {
        throw new ArgumentError(
          `${source}: its classifier has shape [${tensor.shape}], the data needs [${shape}]: set newHead (--new-head) to initialize a new one`,
        );
      }
      parameters.set(name, storedParameter(tensor, shape, weights));
    } else if (architecture.optional.test(name)) {
      newlyInitialized.push(name);
      parameters.set(name, newParameter(shape, name, seededSource(seed)));
    } else if (shapes.classification.has(name)) {
      throw new FileError(`${folder}: tensor ${name} is missing`);
    }
  }
  // The digest names cached features and trials of studies, so its words stay as they are.
  const digestWith = (names: readonly string[]) =>
    [...weights.digests, ...(names.length > 0 ? [`drawn ${JSON.stringify(seed)} ${names.join(' ')}`] : [])].join(' ');
  return {
    name: source,
    architecture,
    config: opened.config,
    rawConfig,
    layout: opened.layout,
    tokenizer: await openModelTokenizer(folder, opened.config),
    parameters,
    newlyInitialized,
    digest: digestWith(newlyInitialized),
    frozenDigest: (trainable) => digestWith(newlyInitialized.filter((name) => !trainable.includes(name))),
    parametersOf: (task) => {
      const names = [...shapes[task].keys()];
      const missing = names.find((name) => !parameters.has(name));
      if (missing !== undefined)
        throw new FileError(`${folder}: tensor ${missing} is missing: the model has no such head`);
      return names;
    },
    build: (build) => buildModel(opened, parameters, build),
  };
}

function withLabels(config: RawConfig, labels: number | undefined): RawConfig {
  if (labels === undefined || labels === readLabels(config)) return config;
  const { id2label, label2id, ...rest } = config;
  return { ...rest, num_labels: labels };
}

/** The parameters that a task asks for: found by building the smallest graph. */
function shapesOf({ build }: OpenArchitecture, task: Task): Map<string, Shape> {
  const shapes = new Map<string, Shape>();
  const layers = makeLayers((name, shape) => {
    shapes.set(name, shape);
    return input(name, shape);
  });
  taskLogits(build(layers, { ids: input('ids', [1, 1], 'i64') }, input('mask', [1, 1])), task);
  return shapes;
}

interface Weights {
  readonly digests: readonly string[];
  /** Where each tensor lies as F32. */
  readonly places: ReadonlyMap<string, { readonly path: string; readonly offset: number }>;
}

async function openWeights({ tensors }: Checkpoint): Promise<Weights> {
  const files = new Set<SafetensorsFile>([...tensors.values()].map(({ file }) => file));
  const digests: string[] = [];
  const places = new Map<string, { path: string; offset: number }>();
  for (const file of files) {
    const digest = await inspectWeights(file);
    digests.push(digest);
    const wide = await asFloat32(file, digest);
    for (const [name, { dtype, offset }] of wide.tensors) {
      if (dtype === 'F32') places.set(name, { path: wide.path, offset });
    }
  }
  return { digests, places };
}

function storedParameter(tensor: StoredTensor, shape: Shape, { places }: Weights): ModelParameter {
  expectShape(tensor, shape);
  const { name, file, dtype } = tensor;
  const place = places.get(name);
  if (place === undefined) {
    throw new FileError(`${file.path}: tensor ${name}: expected F32, F16 or BF16, got ${dtype}`);
  }
  let made: Value | undefined;
  return {
    shape,
    read: () => readStored(tensor, shape),
    constant: () => {
      made ??= fileConstant(place, shape);
      return made;
    },
  };
}

/** As the models themselves are started: normal with deviation .02, biases 0. */
function newParameter(shape: Shape, name: string, source: SeededSource): ModelParameter {
  const initial = () => {
    const array = new Float32Array(sizeOf(shape));
    return name.endsWith('.bias') ? array : fillNormal(source.stream(name), array, { standardDeviation: 0.02 });
  };
  return { shape, read: async () => initial(), constant: () => constant(initial(), shape) };
}

async function openModelTokenizer(folder: string, { vocabulary }: ModelConfig): Promise<Tokenizer> {
  const tokenizer = await openTokenizer(folder);
  if (tokenizer.size > vocabulary) {
    throw new FileError(
      `${join(folder, 'tokenizer.json')}: expected at most the model's ${vocabulary} tokens, got ${tokenizer.size}`,
    );
  }
  return tokenizer;
}

function buildModel(
  { config, build }: OpenArchitecture,
  parameters: ModelParameters,
  { batch, tokens, trainable: names = [], from = 'ids' }: BuildOptions,
): BuiltModel {
  const { layers, trainable } = openLayers(parameters, names);
  const mask = input('mask', [batch, tokens]);
  const source =
    from === 'ids'
      ? { ids: input('ids', [batch, tokens], 'i64') }
      : { words: input('words', [batch, tokens, config.hidden]) };
  return { ...build(layers, source, mask), traces: layers.traces, trainable, mask };
}
