// The attack on one model and data set. Gradients are computed once for each sentence; every level adds its own noise to them.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cosinesTo,
  openClient,
  openFirstInputs,
  protect,
  spanAttack,
  spanParameters,
} from '../../src/attacks/index.js';
import { type DataSet, type Example, pick } from '../../src/data/index.js';
import { normOf } from '../../src/mechanisms/index.js';
import { rougeL, splitters } from '../../src/metrics/index.js';
import type { Model } from '../../src/models/index.js';
import { permutation, seededSource } from '../../src/random/index.js';
import type { Arrays } from '../../src/training/index.js';
import type { Figures } from './rows.js';
import { type Level, protectionAt } from './settings.js';

/** Changes when what decides the results does: the attack and the client's noise. */
export function attackDigest(): string {
  const source = join(import.meta.dirname, '..', '..', 'src');
  const hash = createHash('sha256');
  for (const folder of [join(source, 'attacks', 'span'), join(source, 'mechanisms', 'gradient')]) {
    const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
    for (const name of names.sort()) hash.update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 12);
}

export interface Victim {
  /** Median norm of the shared gradients. */
  readonly norm: number;
  readonly attackAt: (level: Level) => Promise<Figures>;
  readonly close: () => Promise<void>;
}

/** Sentences of the test part, which the model has not seen. */
export async function openVictim(
  model: Model,
  { splits: parts }: DataSet,
  { count, tokens }: { readonly count: number; readonly tokens: number },
): Promise<Victim> {
  const test = parts.test as readonly Example[];
  const order = permutation(seededSource('leakage').stream('sentences'), test.length);
  const chosen = pick(test, order.subarray(0, count));
  const rows = chosen.map(({ text }) => model.tokenizer.encode(text, { maxTokens: tokens }));
  const labels = chosen.map(({ label }) => label as number);
  const client = await openClient({ model, data: { inputIds: rows, labels }, shared: spanParameters({ model }) });
  const { parameters } = client;
  const truths: Arrays[] = [];
  for (const index of rows.keys()) {
    const { view } = await client.share([index], { mechanism: 'none' }, seededSource('unused'));
    truths.push(view.gradients);
  }
  const longest = rows.reduce((most, { length }) => Math.max(most, length), 1);
  const inputs = await openFirstInputs({ model, parameters }, longest);
  const textOf = (ids: readonly number[]) => splitters.spaces(model.tokenizer.decode(ids));
  const references = rows.map(textOf);
  const norms = truths
    .map((truth) => Math.hypot(...Object.values(truth).map((one) => normOf(one))))
    .sort((a, b) => a - b);

  return {
    norm: norms[norms.length >> 1] as number,
    attackAt: async (level) => {
      const guesses: string[][] = [];
      const cosines: number[] = [];
      for (const [index, truth] of truths.entries()) {
        // The same seed at every level, so that levels differ by the size of the noise alone.
        const random = seededSource('leakage').stream(`noise ${index}`);
        const { gradients, noise } = protect([truth], protectionAt(level), random);
        const lengths = [(rows[index] as readonly number[]).length];
        const view = { model, parameters, gradients, noise, batchSize: 1, lengths };
        const { sentences } = await spanAttack(view, { inputs });
        guesses.push(textOf(sentences[0] as readonly number[]));
        cosines.push(cosinesTo([truth], gradients).all);
      }
      const own = references.map((words, index) => rougeL(words, guesses[index] as string[]));
      const other = references.map((words, index) => rougeL(words, guesses[(index + 1) % count] as string[]));
      return {
        recall: own.map(({ recall }) => recall),
        ofLonger: own.map(({ lcsRatio: ofLonger }) => ofLonger),
        floorRecall: other.map(({ recall }) => recall),
        floorOfLonger: other.map(({ lcsRatio: ofLonger }) => ofLonger),
        cosine: cosines,
      };
    },
    close: async () => {
      await inputs.close();
      await client.close();
    },
  };
}
