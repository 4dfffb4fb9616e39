// Loads a model: its weights are found and checked, and a classifier is added if it has none.

import { join } from 'node:path';
import { ArgumentError, FileError, say } from '../checks/index.js';
import { openTokenizer, type Tokenizer } from '../data/index.js';
import { constant, fileConstant, input, type Shape, sizeOf, type Value } from '../engine/index.js';
import { fillNormal, type SeededSource, seededSource } from '../random/index.js';
import type { Architecture, OpenArchitecture } from './architecture.js';
import { findArchitecture } from './architectures.js';
import {
  type Checkpoint,
  expectShape,
  findTensor,
  openCheckpoint,
  readStored,
  type StoredTensor,
} from './checkpoint.js';
import type { ModelConfig, RawConfig } from './config.js';
import type { DropoutPlace, DropoutScope } from './dropout.js';
import type { ModelGraph } from './graph.js';
import { expectHead, type HeadName, newHeadAdvice, withHead, withLabels } from './heads.js';
import { type DownloadOptions, type ModelPlace, placeModel } from './hub-model.js';
import { type LayerTrace, makeLayers } from './layers.js';
import type { ModelLayout } from './layout.js';
import type { Adapter } from './lora/adapter.js';
import { type ModelParameter, type ModelParameters, openLayers } from './parameters.js';
import type { SafetensorsFile } from './safetensors.js';
import { asFloat32, inspectWeights } from './weights-file.js';

/** What a model predicts: the class of a text, the label of each token, or tokens (masked or next). */
export type Task = HeadName | 'lm';

/** Builds the logits of a task. */
export const taskLogits = (built: Pick<ModelGraph, 'classify' | 'labelTokens' | 'lmLogits'>, task: Task): Value =>
  ({ classification: built.classify, tokens: built.labelTokens, lm: () => built.lmLogits() })[task]();

/** A model without tokenizer and checkpoint: what its graph, training and attacks need. */
export interface ModelCore {
  readonly config: ModelConfig;
  /** The contents of config.json. */
  readonly rawConfig: RawConfig;
  readonly layout: ModelLayout;
  /** Every parameter by its Hugging Face name without prefix. */
  readonly parameters: ModelParameters;
  /** Builds the graph for batches of one shape. */
  readonly build: (options: BuildOptions) => Pick<BuiltModel, 'lmLogits' | 'classify' | 'trainable'>;
}

/** A loaded model with its tokenizer. Weights stay in their file until a graph uses them. */
export interface Model extends ModelCore {
  /** The source that `loadModel` was given; of a model of the Hub, with its commit. */
  readonly name: string;
  readonly architecture: Architecture;
  /** Which classifier it has: of texts, or of their tokens. */
  readonly head: HeadName;
  /** Its LoRA adapter, if it has one. */
  readonly adapter?: Adapter;
  readonly tokenizer: Tokenizer;
  /** Parameters that the checkpoint lacks, such as the classifier: they start at random. */
  readonly newlyInitialized: readonly string[];
  /** SHA-256 of the weights files, with seed and names of newly initialized parameters. */
  readonly digest: string;
  /** The digest of the frozen part: like `digest`, without newly initialized parameters that are trainable. */
  readonly frozenDigest: (trainable: readonly string[]) => string;
  /** Names of the parameters that a task uses, in the order of the layers. */
  readonly parametersOf: (task: Task) => string[];
  /** Builds the graph for batches of one shape, in evaluation mode unless `dropout` is given. */
  readonly build: (options: BuildOptions) => BuiltModel;
}

/** The shape of a graph and its inputs. */
export interface BuildOptions {
  /** Rows per batch. */
  readonly batch: number;
  /** Tokens per row, at most the model's positions. */
  readonly tokens: number;
  /** Names of parameters that are inputs of the graph; the others are constants. Default: none. */
  readonly trainable?: Iterable<string>;
  /** Whether the graph reads input ids (`ids`, default) or word embeddings (`words`). */
  readonly from?: 'ids' | 'words';
  /** The word embeddings, [batch, tokens, hidden], where they are computed in the graph. Default: an input. */
  readonly words?: Value;
  /** Where dropout acts: the graph then reads a mask at each of these places. Default: nowhere. */
  readonly dropout?: DropoutScope;
}

/** A built graph. Its inputs: `ids` (i64) or `words`, `mask` (f32), every trainable parameter under its name, and masks for dropout. */
export interface BuiltModel extends ModelGraph {
  /** Traces of the layers built so far: read them after the heads are built. */
  readonly traces: readonly LayerTrace[];
  /** The inputs of trainable parameters, by name. */
  readonly trainable: Readonly<Record<string, Value>>;
  /** Shape [batch, tokens], with 1 for tokens, 0 for padding. */
  readonly mask: Value;
  /** The places of dropout built so far: read them after the heads are built. */
  readonly dropoutPlaces: readonly DropoutPlace[];
}

/** How a model is loaded. */
export interface LoadOptions {
  /** Number of classes. Default: that of config.json. A stored classifier of another size is an error without `newHead`. */
  readonly numLabels?: number;
  /** Initializes a new classifier even if the checkpoint has one. Default: false. */
  readonly newHead?: boolean;
  /** Seeds newly initialized parameters. Default: 0. */
  readonly seed?: number | string;
  /** The base model of an adapter folder, in place of the one that adapter_config.json names. */
  readonly base?: string;
  /** Called while a model of the Hub is downloaded. */
  readonly onProgress?: DownloadOptions['onProgress'];
}

/** Loads a whole model; `load.ts` also knows adapters. */
export async function loadModel(source: string, options: LoadOptions = {}): Promise<Model> {
  return assembleModel(await placeModel(source, { onProgress: options.onProgress }), options, openWeights);
}

/** Makes a model of a checkpoint, whose weights are opened in the way that is given. */
export async function assembleModel(
  { source, folder }: ModelPlace,
  options: LoadOptions,
  open: (checkpoint: Checkpoint) => Promise<Weights>,
): Promise<Model> {
  const checkpoint = await openCheckpoint(folder);
  const architecture = findArchitecture(checkpoint.config);
  const rawConfig = withLabels(withHead(checkpoint.config, architecture, options.newHead), options.numLabels);
  const opened = architecture.open(rawConfig);
  const { head } = opened;
  const shapes = { [head]: shapesOf(opened, head), lm: shapesOf(opened, 'lm') } as Record<Task, Map<string, Shape>>;
  const seed = options.seed ?? 0;
  const weights = await open(checkpoint);
  const newlyInitialized: string[] = [];
  const parameters = new Map<string, ModelParameter>();
  for (const [name, shape] of new Map([...shapes.lm, ...shapes[head]])) {
    const replaced = options.newHead === true && architecture.selections.head.test(name);
    const tensor = replaced ? undefined : findTensor(checkpoint, name, architecture.prefix);
    if (tensor !== undefined) {
      const fits = tensor.shape.join() === shape.join();
      if (!fits && architecture.selections.head.test(name) && options.numLabels !== undefined) {
        throw new ArgumentError(
          say`${source}: its classifier has shape [${tensor.shape.join()}], the data needs [${shape.join()}]: ${newHeadAdvice}`,
        );
      }
      parameters.set(name, storedParameter(tensor, shape, weights));
    } else if (architecture.optional.test(name)) {
      newlyInitialized.push(name);
      parameters.set(name, newParameter(shape, name, seededSource(seed)));
    } else if (shapes[head].has(name)) {
      throw new FileError(`${folder}: tensor ${name} is missing`);
    }
  }
  // The digest is part of the names of cached features and of trials, so its wording must not change.
  const digestWith = (names: readonly string[]) =>
    [...weights.digests, ...(names.length > 0 ? [`drawn ${JSON.stringify(seed)} ${names.join(' ')}`] : [])].join(' ');
  return {
    name: source,
    architecture,
    head,
    config: opened.config,
    rawConfig,
    layout: opened.layout,
    tokenizer: await openModelTokenizer(folder, opened),
    parameters,
    newlyInitialized,
    digest: digestWith(newlyInitialized),
    frozenDigest: (trainable) => digestWith(newlyInitialized.filter((name) => !trainable.includes(name))),
    parametersOf: (task) => {
      if (task !== 'lm') expectHead(head, task, source);
      const names = [...shapes[task].keys()];
      const missing = names.find((name) => !parameters.has(name));
      if (missing !== undefined)
        throw new FileError(`${folder}: tensor ${missing} is missing: the model lacks the head for this task`);
      return names;
    },
    build: (build) => buildModel(opened, parameters, build),
  };
}

/** Shapes of the parameters that a task uses, found by building the smallest graph. */
function shapesOf({ build }: OpenArchitecture, task: Task): Map<string, Shape> {
  const shapes = new Map<string, Shape>();
  const layers = makeLayers((name, shape) => {
    shapes.set(name, shape);
    return input(name, shape);
  });
  taskLogits(build(layers, { ids: input('ids', [1, 1], 'i64') }, input('mask', [1, 1])), task);
  return shapes;
}

/** The weights files of a checkpoint. */
interface Weights {
  readonly digests: readonly string[];
  /** File and offset of each tensor as F32. */
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

/** Initialized as BERT and GPT-2 are: normal with standard deviation .02, biases 0. */
function newParameter(shape: Shape, name: string, source: SeededSource): ModelParameter {
  const initial = () => {
    const array = new Float32Array(sizeOf(shape));
    return name.endsWith('.bias') ? array : fillNormal(source.stream(name), array, { standardDeviation: 0.02 });
  };
  return { shape, read: async () => initial(), constant: () => constant(initial(), shape) };
}

async function openModelTokenizer(
  folder: string,
  { config: { vocabulary }, padding }: OpenArchitecture,
): Promise<Tokenizer> {
  const tokenizer = await openTokenizer(folder);
  if (padding !== undefined && tokenizer.special.padding !== padding) {
    throw new FileError(
      `${join(folder, 'config.json')}: pad_token_id: expected the id of the tokenizer's padding token, ${tokenizer.special.padding}, got ${padding}: positions are counted from it`,
    );
  }
  if (tokenizer.size > vocabulary) {
    throw new FileError(
      `${join(folder, 'tokenizer.json')}: expected at most the model's ${vocabulary} tokens, got ${tokenizer.size}`,
    );
  }
  return tokenizer;
}

/** The graph of a model over these parameters. */
export function buildModel(
  { config, head, build }: OpenArchitecture,
  parameters: ModelParameters,
  { batch, tokens, trainable: names = [], from = 'ids', words, dropout }: BuildOptions,
): BuiltModel {
  const { layers, trainable, dropoutPlaces } = openLayers(parameters, names, dropout);
  const mask = input('mask', [batch, tokens]);
  const source =
    from === 'ids'
      ? { ids: input('ids', [batch, tokens], 'i64') }
      : { words: words ?? input('words', [batch, tokens, config.hidden]) };
  const graph = build(layers, source, mask);
  const only = (wanted: HeadName, logits: () => Value) => () => {
    expectHead(head, wanted, 'the model');
    return logits();
  };
  return {
    ...graph,
    classify: only('classification', graph.classify),
    labelTokens: only('tokens', graph.labelTokens),
    traces: layers.traces,
    trainable,
    mask,
    dropoutPlaces,
  };
}
