// Attacks that read text from shared gradients: opens the client's sentences, protects its gradients, evaluates the attack.

import {
  type AttackedModel,
  encodeTexts,
  evaluateReconstruction,
  type GradientAttack,
  type OpenJob,
  openAttackedModel,
  type ReconstructionJob,
  sampleSentences,
} from '../attacks/index.js';
import { ArgumentError, inTermsOf, type OptionWord, option, readOptions, say } from '../checks/index.js';
import { type Protection, protectorOf } from '../mechanisms/index.js';
import type { GradientAttackOptions, SharingMechanism, TextRecovery } from './attack-options.js';
import { cancellable } from './cancel.js';
import { openDataSet } from './data-set.js';
import { expectOptions } from './known-options.js';
import { originOf } from './origin.js';

const ownKeys = [
  'model',
  'texts',
  'data',
  'split',
  'count',
  'maxTokens',
  'batchSize',
  'loss',
  'shared',
  'genie',
  'mechanism',
  'seed',
  'similarity',
  'jobs',
  'folder',
  'onProgress',
  'signal',
] as const satisfies readonly (keyof GradientAttackOptions)[];

const ownOption = (word: OptionWord): OptionWord | undefined =>
  (ownKeys as readonly string[]).includes(word.option) ? word : undefined;

/** Called while the attack runs. */
interface Hooks {
  /** Called once, before the first batch. */
  readonly onOpen?: (open: OpenJob) => Promise<void>;
}

/** Attacks the sentences and scores what came back. Rejects if the signal stops it. */
export async function attackGradients(attack: GradientAttack, options: GradientAttackOptions): Promise<TextRecovery> {
  return cancellable(
    options.signal,
    () => runGradientAttack(attack, options),
    ({ finished }) => finished,
  );
}

/** The same, but returns partial results if the signal stops it. */
export async function runGradientAttack(
  attack: GradientAttack,
  options: GradientAttackOptions,
  { onOpen }: Hooks = {},
): Promise<TextRecovery> {
  expectOptions(options, [...ownKeys, ...Object.keys(attack.options)], `the ${attack.name} attack`);
  const { signal, onProgress, folder, jobs = 1, similarity = true } = options;
  expectFindable(options, jobs);
  const own = Object.entries(options).filter(([key]) => !(ownKeys as readonly string[]).includes(key));
  const values = readOptions(attack.options, Object.fromEntries(own));
  const protection = protectionOf(options.mechanism ?? 'none');
  const { job, model } = await makeJob(attack, options, values as Readonly<Record<string, unknown>>, protection);
  const result = await evaluateReconstruction(job, {
    model,
    jobs,
    withoutSimilarity: !similarity,
    ...(folder !== undefined && { folder }),
    ...(onProgress && { onProgress }),
    ...(onOpen && { onOpen }),
    ...(signal && { signal }),
  });
  return { ...result, protection: protectorOf(protection.mechanism).describeProtection(protection) };
}

/** Other processes, and a later run of the same folder, must find the model again. */
function expectFindable({ model, folder }: GradientAttackOptions, jobs: number): void {
  if (model === undefined || typeof model === 'string' || (jobs === 1 && folder === undefined)) return;
  throw new ArgumentError(
    `${jobs > 1 ? 'jobs' : 'folder'} needs the model by its name or folder, got a loaded one: save it and give the folder`,
  );
}

async function makeJob(
  attack: GradientAttack,
  options: GradientAttackOptions,
  values: ReconstructionJob['options'],
  protection: Protection,
): Promise<{ readonly job: ReconstructionJob; readonly model: AttackedModel }> {
  const { batchSize, loss, shared, genie, maxTokens = 64, seed = 1 } = options;
  const { model, numLabels, examples } = await openSentences(attack, options, { maxTokens, seed });
  return {
    model,
    job: {
      attack: attack.name,
      options: values,
      model: model.name,
      maxTokens,
      examples,
      ...(numLabels !== undefined && { numLabels }),
      ...(batchSize !== undefined && { batchSize }),
      ...(loss !== undefined && { loss }),
      ...(shared !== undefined && { shared }),
      ...(genie !== undefined && { genie }),
      protection,
      seed,
    },
  };
}

async function openSentences(
  attack: GradientAttack,
  { model: given = 'bundled:bert-mini', texts, data, split, count, batchSize }: GradientAttackOptions,
  { maxTokens, seed }: { readonly maxTokens: number; readonly seed: number },
) {
  if ((texts === undefined) === (data === undefined)) {
    throw new ArgumentError(`expected either texts or data, got ${texts === undefined ? 'neither' : 'both'}`);
  }
  const open = async (classes: { readonly numLabels?: number }) =>
    typeof given === 'string'
      ? inTermsOf(ownOption, () => openAttackedModel(given, { seed, maxTokens, ...classes }))
      : given;
  if (data === undefined) {
    const only = split !== undefined ? 'split' : count !== undefined ? 'count' : undefined;
    if (only !== undefined) throw new ArgumentError(`${only} is for data, got texts: leave it out`);
    const model = await open({});
    return { model, examples: encodeTexts(model, texts ?? [], maxTokens) };
  }
  const dataSet = await openDataSet(data);
  const from = dataSet.splits[split ?? 'train'];
  if (from === undefined) {
    const known = Object.keys(dataSet.splits).join(', ');
    const source = originOf(dataSet)?.source ?? dataSet.name;
    throw new ArgumentError(say`${source}: ${option('split')}: expected one of ${known}, got ${split ?? 'train'}`);
  }
  const classes = dataSet.classes.length > 0 ? { numLabels: Math.max(2, dataSet.classes.length) } : {};
  const model = await open(classes);
  const sentences = count ?? usualCount(batchSize ?? attack.batchSize);
  return { model, ...classes, examples: sampleSentences(model, from, { count: sentences, maxTokens, seed }) };
}

/** The default number of sentences: one batch, or ten single sentences. */
export const usualCount = (batchSize: number): number => (batchSize === 1 ? 10 : batchSize);

function protectionOf(mechanism: SharingMechanism): Protection {
  const { name, ...given } = typeof mechanism === 'string' ? { name: mechanism } : mechanism;
  const { protectOptions } = protectorOf(name);
  const values = readOptions(protectOptions, given, (key) => `${key} of ${name}`) as Readonly<Record<string, unknown>>;
  const missing = Object.keys(protectOptions).find((key) => values[key] === undefined);
  if (missing !== undefined) throw new ArgumentError(`mechanism ${name} needs ${missing}`);
  return { mechanism: name, ...values } as Protection;
}
