// Neighbours of a text (Mattern et al. 2023): the same text with one token exchanged for another that a masked language model finds likely. The
// model sees the token through dropout on its word embedding, so that it knows roughly what stood there (Zhou et al. 2019). All exchanges of a
// text are ranked by p(candidate)/(1 − p(original)).

import { ArgumentError } from '../../checks/index.js';
import { compile, gatherElements, input, type Program, reshape, softmax, topK } from '../../engine/index.js';
import type { Model } from '../../models/index.js';
import { type RandomSource, type SeededSource, uniform } from '../../random/index.js';
import { clientLosses } from '../decepticons/losses.js';
import { tokensAround } from '../model.js';

export interface ExchangeOptions {
  /** Share of the numbers of a word embedding that are set to 0. */
  readonly dropout: number;
  /** Candidates per place. */
  readonly candidates: number;
  /** Each text and place has a stream of its own. */
  readonly random: SeededSource;
  readonly onProgress?: (done: number, all: number) => void;
  readonly signal?: AbortSignal;
}

/** One token exchanged for another. */
export interface Exchange {
  readonly place: number;
  readonly token: number;
  readonly score: number;
}

/** One token of a text that is to be exchanged. */
interface Job {
  readonly text: number;
  readonly ids: readonly number[];
  readonly place: number;
}

/** Places per pass, and the multiple to which lengths are rounded up. */
const [rows, step] = [32, 8];

/**
 * All exchanges of each text, the best first; texts are token ids of the masked language model, special tokens included. Throws an ArgumentError if the
 * model is not a masked language model.
 */
export async function exchangesOf(
  model: Model,
  texts: readonly (readonly number[])[],
  options: ExchangeOptions,
): Promise<Exchange[][]> {
  if (!clientLosses(model).includes('masked')) {
    throw new ArgumentError(`${model.name}: expected a masked language model, got one without a masked-LM head`);
  }
  const { before, after } = tokensAround(model.tokenizer);
  const byLength = new Map<number, Job[]>();
  for (const [text, ids] of texts.entries()) {
    const length = Math.min(model.config.positions, Math.ceil(ids.length / step) * step);
    const jobs = byLength.get(length) ?? [];
    byLength.set(length, jobs);
    for (let place = before.length; place < ids.length - after.length; place++) jobs.push({ text, ids, place });
  }
  const found = texts.map((): Exchange[] => []);
  const all = [...byLength.values()].reduce((sum, jobs) => sum + jobs.length, 0);
  let done = 0;
  for (const [length, jobs] of byLength) {
    const proposals = await openProposals(model, length, options);
    try {
      for (let begin = 0; begin < jobs.length; begin += rows) {
        options.signal?.throwIfAborted();
        const some = jobs.slice(begin, begin + rows);
        for (const [row, exchanges] of (await proposals.of(some)).entries())
          found[(some[row] as Job).text]?.push(...exchanges);
        done += some.length;
        options.onProgress?.(done, all);
      }
    } finally {
      await proposals.close();
    }
  }
  for (const exchanges of found) exchanges.sort((a, b) => b.score - a.score);
  return found;
}

/** Asks the masked language model for candidates at one place of each row. */
async function openProposals(model: Model, length: number, { dropout, candidates, random }: ExchangeOptions) {
  const { hidden, vocabulary } = model.config;
  const table = (await model.parameters.get(model.layout.embeddings.words.weight)?.read()) as Float32Array;
  const special = new Set<number | undefined>(Object.values(model.tokenizer.special));
  // Special tokens and the original are never candidates, but may be among the likeliest.
  const most = Math.min(vocabulary, candidates + special.size + 1);
  const program = await compileProposals(model, length, most);
  const words = new Float32Array(rows * length * hidden);
  const fill = ({ ids, place }: Job, row: number) => {
    for (const [at, token] of ids.entries())
      words.set(table.subarray(token * hidden, (token + 1) * hidden), (row * length + at) * hidden);
    const start = (row * length + place) * hidden;
    dropOut(words.subarray(start, start + hidden), dropout, random.stream(`${place} of ${ids.join()}`));
  };
  return {
    of: async (jobs: readonly Job[]): Promise<Exchange[][]> => {
      // Rows without a job repeat the first.
      const filled = Array.from({ length: rows }, (_, row) => jobs[row] ?? (jobs[0] as Job));
      for (const [row, job] of jobs.entries()) fill(job, row);
      const mask = new Float32Array(rows * length);
      for (const [row, { ids }] of filled.entries()) mask.fill(1, row * length, row * length + ids.length);
      const { shares, tokens, own } = await program.run({
        words,
        mask,
        places: BigInt64Array.from(filled, ({ place }, row) => BigInt(row * length + place)),
        originals: BigInt64Array.from(filled, ({ ids, place }) => BigInt(ids[place] as number)),
      });
      return jobs.map(({ ids, place }, row) => {
        const rest = Math.max(Number.MIN_VALUE, 1 - Number(own[row]));
        return Array.from({ length: most }, (_, k) => ({
          place,
          token: Number(tokens[row * most + k]),
          score: Number(shares[row * most + k]) / rest,
        }))
          .filter(({ token }) => token !== ids[place] && !special.has(token) && model.tokenizer.tokenOf(token))
          .slice(0, candidates);
      });
    },
    close: () => program.close(),
  };
}

/** The likeliest tokens at one place of each row, their probabilities, and that of the original. */
function compileProposals(model: Model, length: number, most: number): Promise<Program<'shares' | 'tokens' | 'own'>> {
  const words = input('words', [rows, length, model.config.hidden]);
  const built = model.build({ batch: rows, tokens: length, from: 'words', words });
  const all = softmax(built.lmLogits(input('places', [rows], 'i64')));
  const { values, indices } = topK(all, most);
  const own = gatherElements(all, reshape(input('originals', [rows], 'i64'), [rows, 1]), 1);
  return compile({ shares: values, tokens: indices, own });
}

/** Sets some numbers to 0 and enlarges the others, so that the expected vector is the same. */
function dropOut(vector: Float32Array, share: number, random: RandomSource): void {
  for (let k = 0; k < vector.length; k++) vector[k] = uniform(random) < share ? 0 : (vector[k] as number) / (1 - share);
}
