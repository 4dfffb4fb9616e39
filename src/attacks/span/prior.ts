// A causal language model as a prior: how likely each token is after those before it.

import { ArgumentError, option, say } from '../../checks/index.js';
import { compile, input, logSoftmax, type Program } from '../../engine/index.js';
import type { Model } from '../../models/index.js';

/** A language model that judges candidates; close it when done. */
export interface Prior {
  /** Log-probability of every token after each of these beginnings. */
  readonly next: (beginnings: readonly (readonly number[])[]) => Promise<Float32Array[]>;
  readonly close: () => Promise<void>;
}

/** Beginnings per run, and the multiple to which numbers of tokens are rounded up. */
const [batch, step] = [8, 8];

/** Opens a prior. `language` must be causal and have the vocabulary of the attacked model. */
export function openPrior(language: Model, attacked: Pick<Model, 'tokenizer' | 'name'>): Prior {
  if (language.layout.attention !== 'causal') {
    throw new ArgumentError(say`${option('prior')}: expected a causal language model, got ${language.name}`);
  }
  if (language.tokenizer.digest !== attacked.tokenizer.digest) {
    throw new ArgumentError(
      say`${option('prior')}: expected the vocabulary of ${attacked.name}, but ${language.name} has another vocabulary`,
    );
  }
  const { positions, vocabulary } = language.config;
  const programs = new Map<number, Promise<Program<'next'>>>();
  return {
    next: async (beginnings) => {
      const longest = beginnings.reduce((most, { length }) => Math.max(most, length), 1);
      const tokens = Math.min(positions, Math.ceil(longest / step) * step);
      const program = programs.get(tokens) ?? compileNext(language, tokens);
      programs.set(tokens, program);
      const results: Float32Array[] = [];
      for (let start = 0; start < beginnings.length; start += batch) {
        const some = beginnings.slice(start, start + batch);
        const ids = new BigInt64Array(batch * tokens);
        const places = new BigInt64Array(batch);
        for (const [row, beginning] of some.entries()) {
          ids.set(beginning.map(BigInt), row * tokens);
          places[row] = BigInt(row * tokens + beginning.length - 1);
        }
        const { next } = await (await program).run({ ids, places });
        for (const row of some.keys())
          results.push((next as Float32Array).subarray(row * vocabulary, (row + 1) * vocabulary));
      }
      return results;
    },
    close: async () => {
      for (const program of programs.values()) await (await program).close();
    },
  };
}

function compileNext(language: Model, tokens: number): Promise<Program<'next'>> {
  const built = language.build({ batch, tokens });
  return compile({ next: logSoftmax(built.lmLogits(input('places', [batch], 'i64'))) });
}
