// How likely a whole sentence is before anything is seen of it, by a causal language model: a prior in nats, which needs no weight beside a likelihood.

import { ArgumentError, option, say } from '../../checks/index.js';
import { compile, crossEntropy, input, mul, neg, type Program, reduceSum, sliceAxis } from '../../engine/index.js';
import type { Model } from '../../models/index.js';
import { paddedLength, sentenceBatches } from './sentence-products.js';

export interface SentencePrior {
  /** Log-probability of each of these sentences of equal length, after its first token. */
  readonly nats: (sentences: readonly (readonly number[])[]) => Promise<Float64Array>;
  readonly close: () => Promise<void>;
}

/** `language` must be causal and have the vocabulary of the attacked model. */
export function openSentencePrior(language: Model, attacked: Pick<Model, 'tokenizer' | 'name'>): SentencePrior {
  if (language.layout.attention !== 'causal') {
    throw new ArgumentError(say`${option('languageModel')}: expected a causal language model, got ${language.name}`);
  }
  if (language.tokenizer.digest !== attacked.tokenizer.digest) {
    throw new ArgumentError(
      say`${option('languageModel')}: expected the vocabulary of ${attacked.name}, but ${language.name} has another vocabulary`,
    );
  }
  const programs = new Map<string, Promise<Program<'nats'>>>();
  return {
    nats: async (sentences) => {
      const [{ length }, { positions }] = [sentences[0] ?? [0], language.config];
      if (length > positions) {
        throw new ArgumentError(
          say`${option('languageModel')}: ${language.name} reads at most ${positions} tokens, got a text of ${length}`,
        );
      }
      const tokens = paddedLength(length, positions);
      const found: number[] = [];
      for (const { some, rows, ids, mask } of sentenceBatches(sentences, tokens)) {
        const key = `${rows} ${tokens}`;
        const made = programs.get(key) ?? compilePrior(language, rows, tokens);
        programs.set(key, made);
        const program = await made;
        const feeds = Object.entries({ ids, mask, targets: ids }).filter(([name]) => name in program.inputs);
        const { nats } = await program.run(Object.fromEntries(feeds));
        found.push(...(nats as Float32Array).subarray(0, some.length));
      }
      return Float64Array.from(found);
    },
    close: async () => {
      for (const program of programs.values()) await (await program.catch(() => undefined))?.close();
    },
  };
}

function compilePrior(language: Model, rows: number, tokens: number): Promise<Program<'nats'>> {
  const built = language.build({ batch: rows, tokens });
  const targets = sliceAxis(input('targets', [rows, tokens], 'i64'), 1, 1, tokens);
  const losses = crossEntropy(sliceAxis(built.lmLogits(), 1, 0, tokens - 1), targets);
  return compile({ nats: neg(reduceSum(mul(losses, sliceAxis(built.mask, 1, 1, tokens)), [1])) });
}
