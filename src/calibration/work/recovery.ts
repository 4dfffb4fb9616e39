// The sentences a client has, and what an attack made of them, kept beside the store: private text.

import { join } from 'node:path';
import { ArgumentError } from '../../checks/index.js';
import type { Tokenizer } from '../../data/index.js';
import { mechanismOf, type Protection } from '../../mechanisms/index.js';
import type { Model } from '../../models/index.js';
import { readJsonObject, writeJson } from '../../platform/index.js';
import { permutation, seededSource } from '../../random/index.js';
import type { LabelledExamples } from '../../training/index.js';
import type { StudyInputs } from '../inputs.js';
import type { TrialSettings } from '../trial.js';

export interface Recovered {
  readonly truth: string;
  readonly guess: string;
  readonly truthTokens: readonly string[];
  readonly guessTokens: readonly string[];
  /** What was recovered from other sentences: scored in the same way, it gives the floor. */
  readonly unrelated?: string;
}

type Settings = TrialSettings['span'];

/** The same for every noise level: drawn from the training data by the seed. */
export function sampleSentences(
  { dataSet }: StudyInputs,
  model: Model,
  count: number,
  settings: Settings,
): LabelledExamples {
  const { tokenizer, config } = model;
  const examples = dataSet.splits.train ?? [];
  const maxTokens = Math.min(settings.maxTokens, config.positions);
  const order = permutation(seededSource(settings.seed).stream('sentences'), examples.length);
  const chosen: { readonly ids: readonly number[]; readonly label: number }[] = [];
  for (let place = 0; place < order.length && chosen.length < count; place++) {
    const { text, label = 0 } = examples[order[place] as number] as (typeof examples)[number];
    const ids = [...tokenizer.encode(text, { maxTokens })];
    if (ids.length >= 2 && wordsOf(tokenizer, ids) > 0) chosen.push({ ids, label });
  }
  if (chosen.length < count) {
    throw new ArgumentError(
      `the attack needs ${count} texts with words in them, the training data has ${chosen.length}`,
    );
  }
  return { inputIds: chosen.map(({ ids }) => ids), labels: chosen.map(({ label }) => label) };
}

const wordsOf = (tokenizer: Tokenizer, ids: readonly number[]): number =>
  tokenizer
    .decode(ids)
    .split(/\s+/)
    .filter((word) => word !== '').length;

/** The level's noise on what is shared. */
export const protectionOf = ({ level: { mechanism, parameter = 0 }, scope, clipNorm }: Settings): Protection =>
  mechanismOf(mechanism).protectionAt(parameter, { scope, clipNorm });

export function recoveredFrom(
  { tokenizer }: Model,
  truth: readonly number[],
  guess: readonly number[],
  unrelated?: readonly number[],
): Recovered {
  const tokens = (ids: readonly number[]) => ids.map((id) => tokenizer.tokenOf(id) ?? `${id}`);
  return {
    truth: tokenizer.decode(truth),
    guess: tokenizer.decode(guess),
    truthTokens: tokens(truth),
    guessTokens: tokens(guess),
    ...(unrelated && { unrelated: tokenizer.decode(unrelated) }),
  };
}

const fileName = 'recovered.json';
export const writeRecovered = (folder: string, sentences: readonly Recovered[]): Promise<void> =>
  writeJson(join(folder, fileName), { sentences });
export const readRecovered = async (folder: string): Promise<readonly Recovered[]> =>
  (await readJsonObject(join(folder, fileName))).sentences as Recovered[];
