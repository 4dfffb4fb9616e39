// Membership attacks that compare a target with other models: all of them are trained here, on parts of one data set.

import {
  addQueries,
  assignExamples,
  boundOn,
  evaluateWorld,
  expectWorld,
  type InsightNeed,
  isBounded,
  type ModelExamples,
  membershipVerdict,
  onlyMeasurable,
  openWorld,
  type ReferenceNeed,
  type TargetResult,
  usualSplit,
  type WorldAttack,
  type WorldSplit,
  watchLimit,
  worldRecipes,
} from '../attacks/index.js';
import {
  ArgumentError,
  nonNegativeInteger,
  option,
  positive,
  positiveInteger,
  readOptions,
  say,
} from '../checks/index.js';
import { type DataSet, type Example, numberRows, pick, type RowNumber, undersample } from '../data/index.js';
import { studentInterval } from '../metrics/index.js';
import { loadModel, type Model, selectParameters, shouldCacheFeatures } from '../models/index.js';
import { type Guarantee, mostTruePositives } from '../privacy/index.js';
import { permutation, type SeededSource, seededSource } from '../random/index.js';
import { groupsByLayer, type LabelledExamples, longestText, type Plan, usualWarmup } from '../training/index.js';
import type { WorldAttackOptions, WorldReport } from './attack-options.js';
import { cancellable } from './cancel.js';
import { openDataSet } from './data-set.js';
import { expectListed, exposedMembers, usualListed } from './exposed-members.js';
import { expectOptions } from './known-options.js';
import { originOf } from './origin.js';
import { planFor } from './plan.js';

/** Options that are plain values, as flags give them too. */
export const worldKeys = [
  'model',
  'references',
  'examples',
  'targets',
  'recipe',
  'trainable',
  'epochs',
  'batchSize',
  'learningRate',
  'maxTokens',
  'balanced',
  'limit',
  'privateReferences',
  'seed',
] as const satisfies readonly (keyof WorldAttackOptions)[];

const ownKeys = [
  ...worldKeys,
  'data',
  'records',
  'privacy',
  'onProgress',
  'signal',
] as const satisfies readonly (keyof WorldAttackOptions)[];

/** Trains a target and other models on parts of the data, lets the attack score the target's examples, and compares with the truth. */
export const attackWorld = (attack: WorldAttack, options: WorldAttackOptions): Promise<WorldReport> =>
  cancellable(
    options.signal,
    () => runWorld(attack, options),
    () => true,
  );

async function runWorld(attack: WorldAttack, options: WorldAttackOptions): Promise<WorldReport> {
  expectOptions(options, [...ownKeys, ...Object.keys(attack.options)], `the ${attack.name} attack`);
  const own = Object.entries(options).filter(([key]) => !(ownKeys as readonly string[]).includes(key));
  const values = readOptions(attack.options, Object.fromEntries(own));
  const need = attack.references(values);
  const settings = readSettings(options, need, attack.insight?.(values));
  const dataSet = await openDataSet(settings.data);
  const random = seededSource(settings.seed).stream('world');
  const models = new Map<number, Promise<Model>>();
  const modelFor = (seed: number): Promise<Model> => {
    const model = models.get(seed) ?? openModel(settings.model, dataSet, seed);
    models.set(seed, model);
    return model;
  };
  const model = await modelFor(settings.seed);
  const trainable = selectParameters(model, settings.trainable);
  const examples = labelledExamples(dataSet, settings, random);
  const groups = examples.map(({ group }) => group);
  const assigned = assignExamples(
    settings.examples,
    examples.length,
    settings.references + 1,
    random,
    groups,
    settings.targets,
  );
  const plans = plansOf(settings, assigned, () => groupsByLayer(model, trainable));
  const training = { learningRate: settings.learningRate, schedule: 'linear', warmup: usualWarmup } as const;
  const { onProgress, signal } = options;
  const watched = { ...(onProgress && { onProgress }), ...(signal && { signal }) };
  const queried = await addQueries({
    attack,
    options: values,
    tokenizer: model.tokenizer,
    data: encode(examples, model, settings),
    maxTokens: settings.maxTokens,
    targets: assigned.slice(0, settings.targets),
    ...watched,
  });
  const world = openWorld({ modelFor, trainable, data: queried.data, training, ...watched });
  try {
    const results = await evaluateWorld({
      attack,
      options: values,
      world,
      assigned,
      groups,
      queried,
      planOf: plans,
      privateReferences: settings.privateReferences,
      seed: settings.seed,
      targets: settings.targets,
      random,
    });
    const source = originOf(dataSet)?.source ?? dataSet.name;
    return {
      ...reportOn(
        attack,
        { ...settings, references: need === 'none' ? 0 : settings.references },
        plans(0, true),
        results,
        groups.some((group) => group !== undefined),
      ),
      ...watchedBy(attack.insight?.(values), plans(0, true)),
      ...notesOn(attack.insight?.(values), assigned[0], queried.data, { model, trainable }),
      model: model.name,
      data: source,
      models: world.counts(),
      records: exposedMembers(
        rowsOf(dataSet, examples, assigned),
        (results[0] as TargetResult).ranks,
        settings.records,
      ),
    };
  } finally {
    await world.close();
  }
}

function watchedBy(need: InsightNeed | undefined, { steps }: Plan): Pick<WorldReport, 'watched'> {
  return need && need.steps > 0 ? { watched: { steps: Math.min(need.steps, steps), of: steps } } : {};
}

/** Where the attack reached a limit of its own. */
function notesOn(
  need: InsightNeed | undefined,
  target: ModelExamples | undefined,
  { inputIds }: LabelledExamples,
  { model, trainable }: { readonly model: Model; readonly trainable: readonly string[] },
): { readonly notes?: readonly string[] } {
  if (need === undefined || target === undefined) return {};
  const cached = shouldCacheFeatures(model, trainable, inputIds.length, longestText(inputIds));
  const note = watchLimit(need, target.members.length + target.others.length, cached);
  return note === undefined ? {} : { notes: [note] };
}

/** The first target's figures, and how they vary over all. */
function reportOn(
  attack: WorldAttack,
  settings: Settings,
  { batchSize, mechanism, guarantee }: Plan,
  results: readonly TargetResult[],
  grouped: boolean,
): Omit<WorldReport, 'model' | 'data' | 'models' | 'notes' | 'records' | 'watched'> {
  const [{ result, baseline, baselineRoc, accuracy, control }] = results as [TargetResult];
  const { examples, references, epochs, learningRate, trainable, privateReferences } = settings;
  return {
    attack: attack.name,
    examples,
    references,
    training: { epochs, batchSize, learningRate, trainable, mechanism, privateReferences },
    ...onlyMeasurable(result),
    accuracy,
    baseline,
    baselineRoc,
    ...(control && { control }),
    ...(guarantee && { guarantee, ...boundsOf(guarantee, examples, grouped) }),
    ...(results.length > 1 && { overTargets: studentInterval(results.map((one) => one.result.auc.value)) }),
    verdict: membershipVerdict(result, { othersFrom: 'held-out', grouped }),
  };
}

/** What a guarantee says of this experiment. With `halves` an example is added or left out; with `paper` another takes its place. */
function boundsOf(
  guarantee: Guarantee,
  examples: WorldSplit,
  grouped: boolean,
): Pick<WorldReport, 'bound' | 'mostTprAt1'> {
  const bound = boundOn(guarantee, examples === 'paper' ? 'replaced' : 'added', grouped);
  if (bound === undefined) return {};
  return {
    ...(isBounded(bound) && { bound }),
    mostTprAt1: mostTruePositives(0.01, bound.epsilon, bound.delta),
  };
}

/** Where the members of the first target stand in the data. */
function rowsOf(dataSet: DataSet, examples: readonly Example[], assigned: readonly ModelExamples[]): RowNumber[] {
  const find = numberRows(dataSet);
  return (assigned[0]?.members ?? []).map((place) => find(examples[place] as Example) as RowNumber);
}

function encode(examples: readonly Example[], { tokenizer }: Model, { maxTokens }: Settings): LabelledExamples {
  return {
    inputIds: examples.map(({ text }) => tokenizer.encode(text, { maxTokens })),
    labels: examples.map(({ label }) => label as number),
  };
}

type Settings = ReturnType<typeof readSettings>;

function readSettings(options: WorldAttackOptions, need: ReferenceNeed, insight?: InsightNeed) {
  const { recipe = 'overfit' } = options;
  if (!Object.hasOwn(worldRecipes, recipe)) {
    throw new ArgumentError(
      say`invalid ${option('recipe')}: expected ${Object.keys(worldRecipes).join(', ')}, got ${recipe}`,
    );
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const settings = {
    model: 'bundled:bert-mini',
    data: 'bundled:mail' as string | DataSet,
    references: 10,
    examples: usualSplit(need),
    targets: 1,
    ...worldRecipes[recipe],
    trainable: 'pooler+classifier',
    maxTokens: 128,
    balanced: false,
    privateReferences: false,
    records: usualListed,
    seed: 1,
    ...(given as WorldAttackOptions),
    // What training shows depends on its noise, so the attacker's models have it too.
    ...(insight?.likeTarget && { privateReferences: true }),
  };
  positiveInteger({ references: settings.references, targets: settings.targets, epochs: settings.epochs });
  positiveInteger({ batchSize: settings.batchSize, maxTokens: settings.maxTokens });
  positive({ learningRate: settings.learningRate });
  nonNegativeInteger({ seed: settings.seed });
  expectListed(settings.records);
  if (!['paper', 'halves'].includes(settings.examples)) {
    throw new ArgumentError(say`invalid ${option('examples')}: expected paper or halves, got ${settings.examples}`);
  }
  if (settings.targets > settings.references + 1) {
    throw new ArgumentError(
      say`invalid ${option('targets')}: expected at most the ${settings.references + 1} models, got ${settings.targets}`,
    );
  }
  expectWorld(need, settings.examples, settings.references, settings.targets);
  return settings;
}

/** All labelled rows of all splits; equally many of each class if asked for. */
function labelledExamples(dataSet: DataSet, { balanced, limit }: Settings, random: SeededSource): readonly Example[] {
  const { train = [], validation = [], test = [] } = dataSet.splits;
  const all = [...train, ...validation, ...test].filter(({ label }) => label !== undefined);
  if (all.length === 0) throw new ArgumentError(`${dataSet.name}: expected labelled examples, got none`);
  const even = balanced ? pick(all, undersample(all, random).parts[0] as Uint32Array) : all;
  // Drawn, because rows are often sorted by class.
  return limit === undefined || limit >= even.length
    ? even
    : pick(even, permutation(random.stream('limit'), even.length).subarray(0, limit).sort());
}

const openModel = (source: string, { classes }: DataSet, seed: number): Promise<Model> =>
  loadModel(source, { numLabels: Math.max(2, classes.length), newHead: true, seed });

/** The plan of a model, with the noise of the target or without. */
function plansOf(
  { privacy, epochs, batchSize }: Settings,
  assigned: readonly ModelExamples[],
  layers: () => readonly (readonly string[])[],
) {
  const known = new Map<string, Plan>();
  return (model: number, noisy: boolean): Plan => {
    const { length } = assigned[model]?.members ?? [];
    const key = `${length} ${noisy}`;
    const plan =
      known.get(key) ??
      planFor({ epochs, batchSize: Math.min(batchSize, length), ...(noisy && privacy && { privacy }) }, length, layers);
    known.set(key, plan);
    return plan;
  };
}
