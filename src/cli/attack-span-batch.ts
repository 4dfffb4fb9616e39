// What `epsilens attack span` keeps open, and what it does to one batch.

import {
  openClient,
  openFirstInputs,
  openPrior,
  openSecondInputs,
  type Shared,
  spanAttack,
  spanParameters,
} from '../attacks/index.js';
import { matchGuesses } from '../metrics/index.js';
import { loadModel } from '../models/index.js';
import { seededSource } from '../random/index.js';
import { recoveredShare } from './attack-scores.js';
import { loadSentences, type SentenceFlags } from './attack-sentences.js';
import { pairOf, type TokenPair } from './attack-tokens.js';
import { type ProtectionFlags, protectionFrom } from './protection-flags.js';

export interface BatchFlags extends SentenceFlags, ProtectionFlags {
  readonly batchSize?: number;
  readonly prior?: string;
  readonly unknownLengths?: boolean;
}

/** One attacked sentence. */
export interface SpanLine extends TokenPair {
  readonly index: number;
  readonly cosine: Shared['cosine'];
  readonly rank: number;
  readonly seconds: number;
}

export interface OpenSpan {
  readonly sentences: number;
  readonly shared: { readonly tensors: readonly string[]; readonly numbers: number };
  /** The batch that begins with this sentence. */
  readonly attack: (first: number) => Promise<SpanLine[]>;
  readonly close: () => Promise<void>;
}

export async function openSpan(flags: BatchFlags): Promise<OpenSpan> {
  const protection = protectionFrom(flags);
  const { batchSize: batch = 1, unknownLengths: hideLengths = false } = flags;
  const { model, data } = await loadSentences(flags);
  const prior = flags.prior === undefined ? undefined : openPrior(await loadModel(flags.prior), model);
  const tensors = spanParameters({ model }, batch);
  const client = await openClient({ model, data, shared: tensors });
  const longest = data.inputIds.reduce((most, { length }) => Math.max(most, length), 1);
  const reach = hideLengths ? Math.min(model.config.positions, Math.max(longest, 64)) : longest;
  const inputs = await openFirstInputs({ model, parameters: client.parameters }, reach);
  const secondInputs = openSecondInputs({ model, parameters: client.parameters });
  const options = { inputs, secondInputs, longest: reach, ...(prior && { prior }) };
  const text = (ids: readonly number[]) => model.tokenizer.decode(ids);
  return {
    sentences: data.inputIds.length,
    shared: {
      tensors,
      numbers: tensors.reduce((sum, name) => sum + (client.parameters[name] as Float32Array).length, 0),
    },
    attack: async (first) => {
      const indices = [...data.inputIds.keys()].slice(first, first + batch);
      const random = seededSource(flags.seed).stream(`noise ${first}`);
      const { view, cosine } = await client.share(indices, protection, random, { hideLengths });
      const start = performance.now();
      const { sentences, subspace } = await spanAttack(view, options);
      const seconds = (performance.now() - start) / 1000 / indices.length;
      const truths = indices.map((index) => data.inputIds[index] as readonly number[]);
      const match = matchGuesses(truths.map(text), sentences.map(text), recoveredShare);
      return indices.map((index, i) => {
        const guess = sentences[match[i] as number] as readonly number[];
        const pair = pairOf(model.tokenizer, truths[i] as readonly number[], guess);
        return { index, ...pair, cosine, rank: subspace.rank, seconds };
      });
    },
    close: async () => {
      for (const one of [prior, secondInputs, inputs, client]) await one?.close();
    },
  };
}
