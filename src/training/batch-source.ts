// Micro-batches of a fixed shape, from tokens or from cached features.

import { positiveInteger } from '../checks/index.js';
import { bucketBatches, lengthBuckets } from '../data/index.js';
import { type Feeds, sizeOf, type Value } from '../engine/index.js';
import {
  buildTrainablePart,
  computeFeatures,
  type DropoutPlace,
  type FeatureOptions,
  type LayerTrace,
  type Model,
} from '../models/index.js';
import { type DrawMasks, makeMasks, type StepDropout, scopeKey, scopeOf } from './dropout.js';

/** Some examples of a batch, which run at once. */
export interface MicroBatch {
  /** The shape of its graph: rows with features, tokens per row otherwise. */
  readonly shape: number;
  /** Index of the example in each row; the rows after the last index are filler. */
  readonly indices: readonly number[];
  /** Shape [batch], with 1 for examples, 0 for filler rows. */
  readonly weights: Float32Array;
  /** The graph's inputs, except for parameters and labels. */
  readonly feeds: Feeds;
}

interface BatchGraph {
  readonly logits: Value;
  readonly trainable: Readonly<Record<string, Value>>;
  /** At least the traces of the trainable parameters. */
  readonly traces: readonly LayerTrace[];
  readonly dropoutPlaces: readonly DropoutPlace[];
}

/** Cuts batches into micro-batches and builds the graphs for them. */
export interface BatchSource {
  /** Whether its graphs are small: only the trainable part, on cached features. */
  readonly small: boolean;
  /** One after the other: the feeds of a micro-batch may be overwritten when the next one is asked for. */
  readonly microBatches: (indices: readonly number[], dropout?: StepDropout) => Iterable<MicroBatch>;
  /** All of these examples in one micro-batch, however many; absent on tokens, where lengths differ. */
  readonly whole?: (indices: readonly number[]) => MicroBatch;
  /** In evaluation mode, or with dropout: micro-batches then need masks. */
  readonly graph: (shape: number, dropout?: StepDropout) => BatchGraph;
}

/** How much runs at once, and where features are cached. None of it changes what is computed, up to rounding. */
export interface FeatureSettings {
  /** Most examples per micro-batch. Default: 512 on cached features; on tokens, as many as make 1,024 tokens. */
  readonly microBatchSize?: number;
  /** Examples per step, if known: on tokens, micro-batches need not have room for more, and every row costs time whether it is used or not. */
  readonly batchSize?: number;
  /** Cache folder (`false` caches none), progress and cancellation for the features of the frozen part. */
  readonly features?: Pick<FeatureOptions, 'folder' | 'onProgress' | 'signal'>;
}

interface SourceOptions extends FeatureSettings {
  readonly model: Model;
  readonly trainable: readonly string[];
  readonly data: { readonly inputIds: readonly (readonly number[])[] };
}

/** Micro-batches of cached features, which are computed first if needed. */
export async function featureBatches(options: SourceOptions): Promise<BatchSource> {
  const { model, trainable, data, microBatchSize: most = 512, features: settings = {} } = options;
  positiveInteger({ microBatchSize: most });
  const { values } = await computeFeatures({ model, trainable, inputIds: data.inputIds, ...settings });
  const tokens = longestText(data.inputIds);
  const gather = makeGather(values);
  const batchOf = (members: readonly number[], largest: number): MicroBatch => {
    // Rounding sizes up to a multiple gives few shapes and little filler.
    const batch = Math.min(largest, Math.ceil(members.length / rowStep) * rowStep);
    const weights = new Float32Array(batch).fill(1, 0, members.length);
    return { shape: batch, indices: members, weights, feeds: gather(members, batch) };
  };
  const graph: BatchSource['graph'] = (batch, dropout) =>
    buildTrainablePart(model, trainable, batch, tokens, dropout && scopeOf(dropout));
  const masked = addMasks(graph, data.inputIds);
  return {
    small: true,
    graph,
    whole: (indices) => batchOf(indices, Number.POSITIVE_INFINITY),
    *microBatches(indices, dropout) {
      for (let start = 0; start < indices.length; start += most)
        yield masked(batchOf(indices.slice(start, start + most), most), dropout);
    },
  };
}

/** Adds the masks of dropout to micro-batches; the arrays of a shape are made when it first needs them. */
function addMasks(graph: BatchSource['graph'], inputIds: readonly (readonly number[])[]) {
  const made = new Map<string, DrawMasks>();
  return (batch: MicroBatch, dropout: StepDropout | undefined): MicroBatch => {
    if (dropout === undefined) return batch;
    const key = `${batch.shape}${scopeKey(dropout)}`;
    const draw = made.get(key) ?? makeMasks(graph(batch.shape, dropout).dropoutPlaces, inputIds);
    made.set(key, draw);
    return { ...batch, feeds: { ...batch.feeds, ...draw(dropout, batch.indices) } };
  };
}

type FeatureValues = Awaited<ReturnType<typeof computeFeatures>>['values'];

/**
 * Makes the function that puts the features of a micro-batch together. Arrays are used again for every micro-batch of their size, and
 * left as they are if the same examples are asked for again, as a step does that is looked at: allocating and filling them took as
 * long as a small graph runs.
 */
function makeGather(values: FeatureValues): (members: readonly number[], batch: number) => Feeds {
  const made = new Map<number, { readonly feeds: Record<string, Float32Array>; members: readonly number[] }>();
  return (members, batch) => {
    const known = made.get(batch) ?? { feeds: emptyFeeds(values, batch), members: [] };
    made.set(batch, known);
    const isSame =
      known.members.length === members.length && members.every((index, row) => known.members[row] === index);
    if (isSame) return known.feeds;
    for (const [place, { shape, data: all }] of values.entries()) {
      const size = sizeOf(shape);
      const array = known.feeds[`feature ${place}`] as Float32Array;
      for (const [row, index] of members.entries())
        array.set(all.subarray(index * size, (index + 1) * size), row * size);
      array.fill(0, members.length * size);
    }
    known.members = members;
    return known.feeds;
  };
}

const emptyFeeds = (values: FeatureValues, batch: number): Record<string, Float32Array> =>
  Object.fromEntries(
    values.map(({ shape }, place) => [`feature ${place}`, new Float32Array(batch * sizeOf(shape))] as const),
  );

const rowStep = 32;

/** Tokens of the longest example. */
export const longestText = (inputIds: readonly (readonly number[])[]): number =>
  inputIds.reduce((most, { length }) => Math.max(most, length), 0);

const tokensAtOnce = 1024;

/** Micro-batches of input ids, in buckets by length. */
export function tokenBatches({ model, trainable, data, microBatchSize, batchSize }: SourceOptions): BatchSource {
  if (microBatchSize !== undefined) positiveInteger({ microBatchSize });
  const buckets = lengthBuckets(longestText(data.inputIds));
  const { padding } = model.tokenizer.special;
  const batchFor = (tokens: number) =>
    microBatchSize ?? Math.max(1, Math.min(Math.floor(tokensAtOnce / tokens), batchSize ?? tokensAtOnce));
  const graph: BatchSource['graph'] = (tokens, dropout) => {
    const scope = dropout && scopeOf(dropout);
    const built = model.build({ batch: batchFor(tokens), tokens, trainable, ...(scope && { dropout: scope }) });
    const logits = built.classify();
    const { traces, dropoutPlaces } = built;
    return { logits, trainable: built.trainable, traces, dropoutPlaces };
  };
  const masked = addMasks(graph, data.inputIds);
  return {
    small: false,
    graph,
    *microBatches(indices, dropout) {
      const options = { batch: batchFor, buckets, padding };
      for (const { tokens, ids, mask, weights, indices: members } of bucketBatches(data.inputIds, options, indices)) {
        yield masked({ shape: tokens, indices: members, weights, feeds: { ids, mask } }, dropout);
      }
    },
  };
}
