// Further texts that an attacker asks the target about. They join the data of the world behind its examples: nobody is trained on them, and every model
// that is asked about the examples is asked about them too.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { OptionValues } from '../../checks/index.js';
import type { Tokenizer } from '../../data/index.js';
import { loadModel } from '../../models/index.js';
import { cacheFolder, makePrivateFolder, readJsonObject, writePrivateJson } from '../../platform/index.js';
import { seededSource } from '../../random/index.js';
import type { LabelledExamples } from '../../training/index.js';
import type { WorldAttack } from '../attack.js';
import type { ModelExamples } from './assignment.js';
import type { WorldProgress } from './world.js';

/** The data of a world, and where each candidate's queries are in it. */
export interface QueriedData {
  readonly data: LabelledExamples;
  /** Number of examples; what follows are queries. */
  readonly examples: number;
  /** Places of the queries of an example that is a candidate of some target. */
  readonly queriesOf: (example: number) => readonly number[];
}

export interface QueryOptions {
  readonly attack: WorldAttack;
  readonly options: OptionValues<WorldAttack['options']>;
  readonly tokenizer: Tokenizer;
  readonly data: LabelledExamples;
  readonly maxTokens: number;
  /** The models that will be attacked. */
  readonly targets: readonly ModelExamples[];
  readonly onProgress?: (progress: WorldProgress) => void;
  readonly signal?: AbortSignal;
}

/** Changes of what is asked, so that queries of older versions are not taken for new ones. */
const version = 1;

/** Asks the attack for its queries, unless they are in the cache, and adds them to the data. Without any, the data stays as it is. */
export async function addQueries(given: QueryOptions): Promise<QueriedData> {
  const { attack, data, targets } = given;
  const examples = data.inputIds.length;
  if (attack.queries === undefined) return { data, examples, queriesOf: () => [] };
  const candidates = [...new Set(targets.flatMap(({ members, others }) => [...members, ...others]))];
  const queries = await queriesFor(
    given,
    candidates.map((example) => data.inputIds[example] as readonly number[]),
  );
  const places = new Map<number, readonly number[]>();
  let end = examples;
  for (const [k, example] of candidates.entries())
    places.set(
      example,
      (queries[k] ?? []).map(() => end++),
    );
  const labels = candidates.flatMap((example, k) => (queries[k] ?? []).map(() => data.labels[example] as number));
  return {
    data: { inputIds: [...data.inputIds, ...queries.flat()], labels: [...data.labels, ...labels] },
    examples,
    queriesOf: (example) => places.get(example) ?? [],
  };
}

type Queries = readonly (readonly (readonly number[])[])[];

/** The models that the options name: a folder may hold other weights than before. */
async function digestsOfModels({ attack, options }: QueryOptions): Promise<string[]> {
  const names = Object.keys(attack.options).filter((name) => attack.options[name]?.type === 'model');
  const sources = names.flatMap((name) => (options as Readonly<Record<string, string | undefined>>)[name] ?? []);
  return Promise.all(sources.map(async (source) => (await loadModel(source)).digest));
}

async function queriesFor(given: QueryOptions, inputIds: readonly (readonly number[])[]): Promise<Queries> {
  const { attack, options, tokenizer, maxTokens, onProgress, signal } = given;
  const models = await digestsOfModels(given);
  const what = { version, attack: attack.name, options, models, tokenizer: tokenizer.digest, maxTokens, inputIds };
  const key = createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 40);
  const folder = join(cacheFolder(), 'queries');
  const path = join(folder, `${key}.json`);
  const before = await readJsonObject(path).catch(() => undefined);
  if (before?.key === key) return before.queries as Queries;
  const setting = {
    tokenizer,
    inputIds,
    maxTokens,
    options,
    // The same for every seed of a study: what is asked about a text is then computed once.
    random: seededSource('queries'),
    onProgress: (done: number, all: number) => onProgress?.({ stage: 'queries', done, all }),
    ...(signal && { signal }),
  };
  const queries = (await attack.queries?.(setting)) ?? [];
  await makePrivateFolder(folder);
  await writePrivateJson(path, { key, queries });
  return queries;
}
