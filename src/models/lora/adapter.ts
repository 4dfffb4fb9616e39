// LoRA (Hu et al. 2022): beside chosen linear maps W of a frozen model, two small ones are trained, and the layer gives
// x·W + scale·(x·Aᵀ)·Bᵀ with A [rank, inputs] and B [outputs, rank]. An adapted model is a model like any other; its new parameters are
// named as PEFT names them, and its layers record the traces from which per-example gradients follow.

import { ArgumentError, type OptionValues, readOptions } from '../../checks/index.js';
import { add, constant, mul, type Shape, sizeOf } from '../../engine/index.js';
import { fillUniform, type SeededSource, seededSource } from '../../random/index.js';
import type { Architecture } from '../architecture.js';
import type { Layers } from '../layers.js';
import type { ModelLayout } from '../layout.js';
import { buildModel, type Model } from '../model.js';
import type { ModelParameter } from '../parameters.js';
import { anyOf, findTargets, usualTargets } from './targets.js';

/** The options of an adapter as data: flags, study keys, defaults and checks follow. */
export const loraOptions = {
  rank: { type: 'integer', least: 1, default: 8, help: 'width of the adapters: they train rank × (inputs + outputs)' },
  alpha: { type: 'positive', help: 'the adapters’ output is multiplied by alpha / rank (default: twice the rank)' },
  targets: {
    type: 'text',
    help: 'adapted layers, by the last parts of their names, with * for anything, or all-linear (default: query,value; GPT-2: c_attn)',
  },
  rankStabilized: { type: 'boolean', default: false, help: 'multiply by alpha / √rank instead (rsLoRA)' },
} as const;

/** How a model is adapted: `rank`, `alpha`, `targets`, `rankStabilized`. All have defaults. */
export type LoraOptions = Partial<OptionValues<typeof loraOptions>>;

/** What decides the function of an adapter besides its numbers. */
export interface AdapterSettings {
  readonly rank: number;
  readonly alpha: number;
  readonly rankStabilized: boolean;
  /** Names of the adapted layers, in the order of the graph. */
  readonly layers: readonly string[];
}

/** The adapter of a model, and the model without it. */
export interface Adapter extends AdapterSettings {
  readonly base: Model;
}

/** The names of a layer's two maps. */
export const adapterNames = (layer: string) => ({
  a: `${layer}.lora_A.weight`,
  b: `${layer}.lora_B.weight`,
});

/** Whether a parameter belongs to an adapter. */
export const isAdapterParameter = (name: string): boolean => /\.lora_[AB]\.weight$/.test(name);

/** The factor of the adapter's output. */
export const scaleOf = ({
  rank,
  alpha,
  rankStabilized,
}: Pick<AdapterSettings, 'rank' | 'alpha' | 'rankStabilized'>): number =>
  alpha / (rankStabilized ? Math.sqrt(rank) : rank);

/**
 * The model with a new LoRA adapter, which changes nothing until it is trained: A starts at random, B at 0. Select `lora` to train the
 * adapter and the classifier, `lora-only` for the adapter alone.
 */
export function withAdapter(
  model: Model,
  options: LoraOptions & { readonly seed?: number | string | undefined } = {},
): Model {
  if (model.adapter !== undefined) {
    throw new ArgumentError(`${model.name} has an adapter already: merge it first, or train it further`);
  }
  const { seed = 0, ...given } = options;
  const { rank, alpha = 2 * rank, rankStabilized, targets = usualTargets(model) } = readOptions(loraOptions, given);
  const layers = findTargets(model, targets);
  return adaptModel(model, { rank, alpha, rankStabilized, layers }, seed);
}

/** Adds adapters to these layers. They start as PEFT's do: A uniform up to 1/√inputs (Kaiming with √5), B at 0. */
export function adaptModel(base: Model, settings: AdapterSettings, seed: number | string): Model {
  const parameters = new Map(base.parameters);
  const added: string[] = [];
  for (const layer of settings.layers) {
    const [inputs, outputs] = widthsOf(base, layer);
    const { a, b } = adapterNames(layer);
    parameters.set(
      a,
      newParameter([settings.rank, inputs], (array) => fillKaiming(seededSource(seed).stream(a), array, inputs)),
    );
    parameters.set(
      b,
      newParameter([outputs, settings.rank], (array) => array),
    );
    added.push(a, b);
  }
  const architecture = adaptArchitecture(base, settings);
  const opened = architecture.open(base.rawConfig);
  // Numbers that are drawn are part of a digest as their seed and names.
  const digestWith = (before: string, drawn: readonly string[]) =>
    `${before} lora ${JSON.stringify(settings)}${drawn.length > 0 ? ` drawn ${JSON.stringify(seed)} ${drawn.join(' ')}` : ''}`;
  return {
    ...base,
    architecture,
    layout: opened.layout,
    parameters,
    adapter: { ...settings, base },
    newlyInitialized: [...base.newlyInitialized, ...added],
    digest: digestWith(base.digest, added),
    frozenDigest: (trainable) =>
      digestWith(
        base.frozenDigest(trainable),
        added.filter((name) => !trainable.includes(name)),
      ),
    parametersOf: (task) => withNames(base.parametersOf(task), settings.layers),
    build: (options) => buildModel(opened, parameters, options),
  };
}

/** Inputs and outputs of a linear layer. */
export function widthsOf({ parameters, rawConfig, architecture }: Model, layer: string): [number, number] {
  const shape = parameters.get(`${layer}.weight`)?.shape;
  if (shape?.length !== 2) throw new ArgumentError(`${layer} is not a linear layer of the model`);
  const [first, second] = shape as [number, number];
  return isTransposed({ rawConfig, architecture }, layer) ? [second, first] : [first, second];
}

/** Whether a layer's weight is stored as [outputs, inputs]: all but the maps of GPT-2. */
export function isTransposed({ rawConfig, architecture }: Pick<Model, 'rawConfig' | 'architecture'>, layer: string) {
  const { layout } = architecture.open(rawConfig);
  const maps = layout.blocks.flatMap(({ norms: _, ...maps }) => Object.values(maps));
  return maps.find(({ name }) => name === layer)?.transposed ?? true;
}

function newParameter(shape: Shape, fill: (array: Float32Array) => Float32Array): ModelParameter {
  const initial = () => fill(new Float32Array(sizeOf(shape)));
  return { shape, read: async () => initial(), constant: () => constant(initial(), shape) };
}

function fillKaiming(source: SeededSource, array: Float32Array, inputs: number): Float32Array {
  fillUniform(source, array);
  for (const [i, number] of array.entries()) array[i] = (2 * number - 1) / Math.sqrt(inputs);
  return array;
}

/** Each layer's adapter follows its weight. */
const withNames = (names: readonly string[], layers: readonly string[]): string[] => {
  const adapted = new Map(layers.map((layer) => [`${layer}.weight`, Object.values(adapterNames(layer))]));
  return names.flatMap((name) => [name, ...(adapted.get(name) ?? [])]);
};

function adaptArchitecture({ architecture: plain, newlyInitialized }: Model, settings: AdapterSettings): Architecture {
  const { head, 'pooler+classifier': pooler } = plain.selections;
  const own = settings.layers.flatMap((layer) => Object.values(adapterNames(layer)));
  return {
    ...plain,
    selections: {
      ...plain.selections,
      // What started at random is no use frozen.
      lora: anyOf(head, ...[...own, ...newlyInitialized].map(exactly)),
      'lora+pooler': anyOf(head, pooler, ...own.map(exactly)),
      'lora-only': anyOf(...own.map(exactly)),
    },
    open: (raw) => {
      const opened = plain.open(raw);
      return {
        ...opened,
        layout: adaptLayout(opened.layout, settings),
        build: (layers, ...rest) => opened.build(adaptLayers(layers, settings), ...rest),
      };
    },
  };
}

const exactly = (name: string): RegExp => new RegExp(`^${name.replaceAll('.', '\\.')}$`);

const adaptLayout = (layout: ModelLayout, { layers }: AdapterSettings): ModelLayout => ({
  ...layout,
  parameterGroups: layout.parameterGroups.map((group) => withNames(group, layers)),
});

/** Layers whose linear maps are adapted where the settings name them. */
function adaptLayers(layers: Layers, settings: AdapterSettings): Layers {
  const adapted = new Set(settings.layers);
  const small = (name: string, x: Parameters<Layers['linear']>[1], outputs: number) =>
    layers.linear(name, x, { outputs, bias: false, transposed: true });
  return {
    ...layers,
    linear: (name, x, options) => {
      const output = layers.linear(name, x, options);
      if (!adapted.has(name)) return output;
      const narrow = mul(small(`${name}.lora_A`, x, settings.rank), scaleOf(settings));
      return add(output, small(`${name}.lora_B`, narrow, options.outputs));
    },
  };
}
