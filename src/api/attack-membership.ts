// Attacks that infer from losses which examples were in the training data of a model.

import { resolve } from 'node:path';
import {
  evaluateCandidates,
  isMeasurable,
  kindWarnings,
  type LogitSide,
  type LossAttack,
  type MembershipResult,
  membershipVerdict,
  onlyMeasurable,
  truthOfLogits,
} from '../attacks/index.js';
import { ArgumentError, readOptions } from '../checks/index.js';
import type { DataSet } from '../data/index.js';
import { loadModel, type Model, readParameter, selectParameters, shouldCacheFeatures } from '../models/index.js';
import { seededSource } from '../random/index.js';
import { type LabelledExamples, openClassifier, scoreLogits } from '../training/index.js';
import type { MembershipAttackOptions, MembershipProgress, MembershipReport } from './attack-options.js';
import { cancellable } from './cancel.js';
import { loadDataSet, openDataSet, pinData } from './data-set.js';
import { expectListed, exposedMembers, usualListed } from './exposed-members.js';
import { expectKind, expectOptions } from './known-options.js';
import { chooseGroups } from './membership-groups.js';
import { boundOfModel } from './model-bound.js';
import { originOf } from './origin.js';
import { trainingOf } from './trained-on.js';

const ownKeys = [
  'model',
  'data',
  'others',
  'maxTokens',
  'records',
  'seed',
  'onProgress',
  'signal',
] as const satisfies readonly (keyof MembershipAttackOptions)[];

/** Computes the losses of members and others, lets the attack score them without knowing which is which, and compares with the truth. */
export async function attackMembership(
  attack: LossAttack,
  options: MembershipAttackOptions,
): Promise<MembershipReport> {
  expectOptions(options, [...ownKeys, ...Object.keys(attack.options)], `the ${attack.name} attack`);
  const { seed = 1, records = usualListed } = options;
  expectListed(records);
  expectKind('model', options.model);
  expectKind('data', options.data);
  const own = Object.entries(options).filter(([key]) => !(ownKeys as readonly string[]).includes(key));
  const values = readOptions(attack.options, Object.fromEntries(own));
  const dataSet = await openDataOf(options);
  const model = await openTrained(options.model, dataSet.classes.length);
  const trainedOn = await trainingOf(options.model);
  const random = seededSource(seed).stream('membership');
  const { others, maxTokens = trainedOn?.maxTokens ?? 128 } = options;
  const groups = chooseGroups({ model, dataSet, trainedOn, others, maxTokens, random: random.stream('kind') });
  const trainable = trainedOn ? selectParameters(model, trainedOn.trainable) : [];
  const inside = await measure(model, trainable, groups.members, 'members', options);
  const outside = await measure(model, trainable, groups.others, 'others', options);
  const logits = truthOfLogits({ members: inside, others: outside }, model.config.numLabels);
  const truth = { ...logits, groups: groups.groups };
  const { result, ranks } = evaluateCandidates({ attack, options: values, truth, random });
  const { othersFrom, kind } = groups;
  const bound = await boundOfModel(options.model, groups);
  return {
    attack: attack.name,
    model: model.name,
    data: originOf(dataSet)?.source ?? dataSet.name,
    othersFrom,
    ...measurable(result),
    accuracy: { members: inside.accuracy, others: outside.accuracy },
    ...(kind && { kind }),
    ...(bound && { bound }),
    records: exposedMembers(groups.rows, ranks, records),
    warnings: kindWarnings(groups),
    verdict: membershipVerdict(result, groups),
  };
}

/** Data that is given by the name under which the run read it is read with the options of the run. */
async function openDataOf({ model, data }: MembershipAttackOptions): Promise<DataSet> {
  if (typeof data !== 'string') return data;
  const run = await trainingOf(model);
  return run !== undefined && resolve(run.data) === resolve(await pinData(data))
    ? loadDataSet(data, run.dataOptions)
    : openDataSet(data);
}

/** The figures without rates that so few non-members cannot show. */
function measurable({ floor, ...result }: MembershipResult) {
  // The floor has half of the non-members.
  const half = Math.floor(result.others / 2);
  return {
    ...onlyMeasurable(result),
    floor: { ...floor, tprAt1: isMeasurable(0.01, half) ? floor.tprAt1 : null },
  };
}

async function openTrained(given: string | Model, classes: number): Promise<Model> {
  const model = typeof given === 'string' ? await loadModel(given) : given;
  if (model.newlyInitialized.length > 0) {
    throw new ArgumentError(
      `${model.name}: expected a trained classifier, got a model without ${model.newlyInitialized.join(', ')}`,
    );
  }
  // `encodeDataSet` refuses data without classes, with the reason.
  if (model.config.numLabels === classes || classes === 0) return model;
  throw new ArgumentError(
    `${model.name}: expected a classifier of the ${classes} classes of the data, got one of ${model.config.numLabels}: give the data it was trained on`,
  );
}

async function measure(
  model: Model,
  trained: readonly string[],
  data: LabelledExamples,
  group: MembershipProgress['group'],
  { onProgress, signal }: MembershipAttackOptions,
): Promise<LogitSide & { readonly accuracy: number }> {
  return cancellable(
    signal,
    async () => {
      // The selection of training, so that its cached features serve again; without them, the logits are cached.
      const longest = data.inputIds.reduce((most, { length }) => Math.max(most, length), 1);
      const trainable = shouldCacheFeatures(model, trained, data.inputIds.length, longest) ? trained : [];
      const parameters: Record<string, Float32Array> = {};
      for (const name of trainable) parameters[name] = await readParameter(model, name);
      const classifier = await openClassifier({
        model,
        trainable,
        data,
        features: {
          onProgress: (done, all) => onProgress?.({ group, done, all }),
          ...(signal && { signal }),
        },
      });
      try {
        const logits = await classifier.logits(parameters);
        const { numLabels: classes } = model.config;
        return {
          logits,
          labels: data.labels,
          accuracy: scoreLogits(logits, data.labels, classes).accuracy,
        };
      } finally {
        await classifier.close();
      }
    },
    () => true,
  );
}
