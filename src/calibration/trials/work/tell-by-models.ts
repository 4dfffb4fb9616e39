// Membership by models of the attacker's own, at one noise level: the target has its noise, the others have none.

import {
  addQueries,
  assignExamples,
  boundOn,
  evaluateWorld,
  expectWorld,
  type InsightNeed,
  isBounded,
  type ModelExamples,
  openWorld,
  stepsLimit,
  usualSplit,
  type WorldAttack,
  watchLimit,
  worldRecipes,
} from '../../../attacks/index.js';
import { readOptions } from '../../../checks/index.js';
import type { Example } from '../../../data/index.js';
import { shouldCacheFeatures } from '../../../models/index.js';
import { seededSource } from '../../../random/index.js';
import { type LabelledExamples, longestText, type Plan, usualWarmup } from '../../../training/index.js';
import { loadStudyModel, type StudyInputs } from '../../study/inputs.js';
import { planWith } from '../../study/levels.js';
import type { AttackSettings } from '../../study/study.js';
import type { Outcome } from '../store.js';
import type { WorldTrial } from '../trial.js';
import { labelledRows, writeRanks } from './ranks.js';
import { rocDetails } from './roc-details.js';
import type { WorkContext } from './work.js';

/** Who is trained on what; throws an ArgumentError if settings and data do not allow it. */
export function planWorld(attack: WorldAttack, trial: WorldTrial, inputs: StudyInputs) {
  const { references, examples, training, options } = settingsOf(attack, trial.settings);
  const values = readOptions(attack.options, options);
  const rows = labelledRows(inputs.sample);
  const random = seededSource(trial.seed).stream('world');
  const need = attack.references(values);
  const split = examples ?? usualSplit(need);
  expectWorld(need, split, references);
  return {
    rows,
    values,
    random,
    split,
    training,
    assigned: assignExamples(
      split,
      rows.length,
      references + 1,
      random,
      rows.map(({ group }) => group),
    ),
  };
}

export async function tellByModels(
  attack: WorldAttack,
  trial: WorldTrial,
  { inputs, folder }: Pick<WorkContext, 'inputs' | 'folder'>,
): Promise<Outcome> {
  const { seed, level, maxTokens } = trial;
  const { rows, values, random, split, training, assigned } = planWorld(attack, trial, inputs);
  const { names } = inputs.trainable;
  const plans = new Map<string, Plan>();
  const planOf = (model: number, noisy: boolean): Plan => {
    const count = assigned[model]?.members.length ?? 0;
    const key = `${count} ${noisy}`;
    const sizes = { examples: count, epochs: training.epochs, batchSize: Math.min(training.batchSize, count) };
    const plan = plans.get(key) ?? planWith(inputs, noisy ? level : { mechanism: 'none' }, sizes);
    plans.set(key, plan);
    return plan;
  };
  const { tokenizer } = inputs.model;
  const numLabels = inputs.model.config.numLabels;
  const queried = await addQueries({
    attack,
    options: values,
    tokenizer,
    data: {
      inputIds: rows.map(({ text }) => tokenizer.encode(text, { maxTokens })),
      labels: rows.map(({ label }) => label as number),
    },
    maxTokens,
    targets: assigned.slice(0, 1),
  });
  const world = openWorld({
    modelFor: (one) => loadStudyModel(inputs.study, { numLabels, newHead: true, seed: one }),
    trainable: names,
    data: queried.data,
    training: { learningRate: training.learningRate, schedule: 'linear', warmup: usualWarmup },
  });
  try {
    const [found] = await evaluateWorld({
      attack,
      options: values,
      world,
      assigned,
      groups: rows.map(({ group }) => group),
      queried,
      planOf,
      seed,
      targets: 1,
      random,
      resamples: 100,
    });
    if (found) await writeRanks(folder, inputs, recordsOf(inputs, rows, assigned[0]?.members ?? []), found.ranks);
    const target = planOf(0, true);
    const grouped = rows.some(({ group }) => group !== undefined);
    const bound = target.guarantee && boundOn(target.guarantee, split === 'paper' ? 'replaced' : 'added', grouped);
    return {
      measurements: found ? measurementsOf(found, target) : [],
      details: {
        split,
        examples: target.examples,
        ...training,
        ...(found && rocDetails(found.result)),
        ...(isBounded(bound) && { bound }),
        ...notesOn(attack.insight?.(values), { target, inputs, data: queried.data, assigned: assigned[0] }),
      },
    };
  } finally {
    await world.close();
  }
}

interface Watched {
  readonly target: Plan;
  readonly inputs: StudyInputs;
  readonly data: LabelledExamples;
  readonly assigned: ModelExamples | undefined;
}

/** Where the attack reached a limit of its own. */
function notesOn(
  need: InsightNeed | undefined,
  { target, inputs, data, assigned }: Watched,
): { readonly notes?: readonly string[] } {
  if (need === undefined || assigned === undefined) return {};
  const cached = shouldCacheFeatures(
    inputs.model,
    inputs.trainable.names,
    data.inputIds.length,
    longestText(data.inputIds),
  );
  const candidates = assigned.members.length + assigned.others.length;
  const notes = [stepsLimit(need, target.steps), watchLimit(need, candidates, cached)].filter(
    (note) => note !== undefined,
  );
  return notes.length > 0 ? { notes } : {};
}

/** Records are counted over all rows of the study, of which this attack uses those within the limit of the data. */
function recordsOf({ dataSet }: StudyInputs, rows: readonly Example[], members: readonly number[]): number[] {
  const places = new Map(labelledRows(dataSet).map((example, place) => [example, place]));
  return members.map((member) => places.get(rows[member] as Example) as number);
}

type Found = Awaited<ReturnType<typeof evaluateWorld>>[number];

function measurementsOf({ result, baseline, accuracy, control }: Found, { guarantee }: Plan): Outcome['measurements'] {
  const { auc, advantage, tprAt1, tprAt01, lossGap, decision, floor } = result;
  const values: readonly (readonly [string, number])[] = [
    ['auc', auc.value],
    ['advantage', advantage.value],
    ['tprAt1', tprAt1.value],
    ['tprAt01', tprAt01.value],
    ['lossGap', lossGap.value],
    ...(decision ? [['ownAdvantage', decision.advantage.value] as const] : []),
    ['lossAuc', baseline.value],
    ...(control ? [['controlAuc', control.mean] as const] : []),
    // Of the attacked model, which is not trained by the plan of the study.
    ...(guarantee && Number.isFinite(guarantee.epsilon) ? [['ownEpsilon', guarantee.epsilon] as const] : []),
    ['gap', accuracy.members - accuracy.others],
    ['aucLower', auc.lower],
    ['aucUpper', auc.upper],
    ['floor', floor.auc],
  ];
  return values.map(([name, value]) => ({ item: 0, name, value }));
}

/** The settings of a study, told apart: those of the world, and the options of the attack. */
function settingsOf({ options: known }: WorldAttack, settings: AttackSettings) {
  const { references, examples, recipe, epochs, batchSize, learningRate } = settings as unknown as WorldSettings;
  const usual = worldRecipes[recipe];
  return {
    references,
    examples,
    training: {
      epochs: epochs ?? usual.epochs,
      batchSize: batchSize ?? usual.batchSize,
      learningRate: learningRate ?? usual.learningRate,
    },
    options: Object.fromEntries(Object.entries(settings).filter(([key]) => key in known)),
  };
}

interface WorldSettings {
  readonly references: number;
  readonly examples?: 'paper' | 'halves';
  readonly recipe: keyof typeof worldRecipes;
  readonly epochs?: number;
  readonly batchSize?: number;
  readonly learningRate?: number;
}
