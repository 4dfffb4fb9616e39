// Which other tokens would raise the likelihood of a sentence, to first order: the slope of its nats along the word embedding of each place,
// times the difference to the embedding of every other token (Ebrahimi et al. 2018).

import type { Program } from '../../engine/index.js';
import type { Model } from '../../models/index.js';
import type { GradientView } from '../view.js';
import { compileRelaxed, type RelaxedFeeds, relaxedFeeds } from './relaxed.js';
import { type KnownLoss, paddedLength } from './sentence-products.js';

export interface Flips {
  /** For each place, the nats that every token of the vocabulary promises over the one that is there. */
  readonly of: (view: GradientView, tokens: readonly number[], label: number) => Promise<Float32Array[]>;
  readonly close: () => Promise<void>;
}

/** For the gradients of these parameters. */
export function openFlips(model: Model, shared: readonly string[], loss: KnownLoss): Flips {
  const { positions, vocabulary } = model.config;
  const programs = new Map<number, Promise<Program<'slopes' | 'nats'>>>();
  return {
    of: async (view, tokens, label) => {
      const length = paddedLength(tokens.length, positions);
      const made = programs.get(length) ?? compileRelaxed(model, shared, loss, 1, length);
      programs.set(length, made);
      const feeds: RelaxedFeeds = relaxedFeeds(model, shared, view, {
        rows: 1,
        length,
        tokens: tokens.length,
        labels: [label],
      });
      const shares = new Float32Array(length * vocabulary);
      for (let place = 0; place < length; place++) shares[place * vocabulary + (tokens[place] ?? 0)] = 1;
      const program = await made;
      const { slopes } = await program.run(feeds.with(program, { shares }));
      return tokens.map((token, place) => {
        const row = (slopes as Float32Array).subarray(place * vocabulary, (place + 1) * vocabulary);
        const own = row[token] as number;
        return row.map((one) => one - own);
      });
    },
    close: async () => {
      for (const program of programs.values()) await (await program.catch(() => undefined))?.close();
    },
  };
}
