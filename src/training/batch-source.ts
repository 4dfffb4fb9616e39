// Micro-batches of a fixed shape, from tokens or from kept features.

import { positiveInteger } from '../checks/index.js';
import { bucketBatches, lengthBuckets } from '../data/index.js';
import { type Feeds, sizeOf, type Value } from '../engine/index.js';
import {
  buildTrainablePart,
  computeFeatures,
  type FeatureOptions,
  type LayerTrace,
  type Model,
} from '../models/index.js';

export interface MicroBatch {
  /** Which graph it is for. */
  readonly shape: number;
  /** Which example stands in each row; rows beyond are filling. */
  readonly indices: readonly number[];
  /** [batch]: 1 for examples, 0 for filling. */
  readonly weights: Float32Array;
  readonly feeds: Feeds;
}

interface BatchGraph {
  readonly logits: Value;
  readonly trainable: Readonly<Record<string, Value>>;
  /** At least those of the trainable parameters. */
  readonly traces: readonly LayerTrace[];
}

export interface BatchSource {
  /** Whether its graphs are small: the trained part alone, on kept features. */
  readonly small: boolean;
  readonly microBatches: (indices: readonly number[]) => Iterable<MicroBatch>;
  readonly graph: (shape: number) => BatchGraph;
}

export interface FeatureSettings {
  /** Most rows in one run: of features, 512 unless given; of tokens, as many as make 1,024 tokens unless given. */
  readonly microBatchSize?: number;
  readonly features?: Pick<FeatureOptions, 'folder' | 'onProgress' | 'signal'>;
}

interface SourceOptions extends FeatureSettings {
  readonly model: Model;
  readonly trainable: readonly string[];
  readonly data: { readonly inputIds: readonly (readonly number[])[] };
}

export async function featureBatches(options: SourceOptions): Promise<BatchSource> {
  const { model, trainable, data, microBatchSize: most = 512, features: settings = {} } = options;
  positiveInteger({ microBatchSize: most });
  const { values } = await computeFeatures({ model, trainable, inputIds: data.inputIds, ...settings });
  const tokens = longestRow(data.inputIds);
  return {
    small: true,
    graph: (batch) => buildTrainablePart(model, trainable, batch, tokens),
    *microBatches(indices) {
      for (let start = 0; start < indices.length; start += most) {
        const members = indices.slice(start, start + most);
        // Batches differ in size: few shapes, little filling.
        const batch = Math.min(most, Math.ceil(members.length / rowStep) * rowStep);
        const feeds = values.map(({ shape, data: all }, place) => {
          const size = sizeOf(shape);
          const array = new Float32Array(batch * size);
          for (const [row, index] of members.entries()) {
            array.set(all.subarray(index * size, (index + 1) * size), row * size);
          }
          return [`feature ${place}`, array] as const;
        });
        const weights = new Float32Array(batch).fill(1, 0, members.length);
        yield { shape: batch, indices: members, weights, feeds: Object.fromEntries(feeds) };
      }
    },
  };
}

const rowStep = 32;

export const longestRow = (rows: readonly (readonly number[])[]): number =>
  rows.reduce((most, { length }) => Math.max(most, length), 0);

const tokensAtOnce = 1024;

export function tokenBatches({ model, trainable, data, microBatchSize }: SourceOptions): BatchSource {
  if (microBatchSize !== undefined) positiveInteger({ microBatchSize });
  const buckets = lengthBuckets(longestRow(data.inputIds));
  const { padding } = model.tokenizer.special;
  const batchFor = (tokens: number) => microBatchSize ?? Math.max(1, Math.floor(tokensAtOnce / tokens));
  return {
    small: false,
    graph: (tokens) => {
      const built = model.build({ batch: batchFor(tokens), tokens, trainable });
      const logits = built.classify();
      return { logits, trainable: built.trainable, traces: built.traces };
    },
    *microBatches(indices) {
      const options = { batch: batchFor, buckets, padding };
      for (const { tokens, ids, mask, weights, indices: rows } of bucketBatches(data.inputIds, options, indices)) {
        yield { shape: tokens, indices: rows, weights, feeds: { ids, mask } };
      }
    },
  };
}
