// Attacks that infer from losses which examples were in the training data of a model.

import { evaluateMembership, type LossAttack } from '../attacks/index.js';
import { ArgumentError, option, readOptions, say } from '../checks/index.js';
import { loadModel, type Model } from '../models/index.js';
import { seededSource } from '../random/index.js';
import { encodeDataSet, type LabelledExamples, lossesOf, openClassifier, scoreLogits } from '../training/index.js';
import type { MembershipAttackOptions, MembershipProgress, MembershipReport } from './attack-options.js';
import { cancellable } from './cancel.js';
import { openDataSet } from './data-set.js';
import { expectKind, expectOptions } from './known-options.js';
import { originOf } from './origin.js';

const ownKeys = [
  'model',
  'data',
  'others',
  'maxTokens',
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
  const { others = 'test', maxTokens = 128, seed = 1 } = options;
  expectKind('model', options.model);
  expectKind('data', options.data);
  const own = Object.entries(options).filter(([key]) => !(ownKeys as readonly string[]).includes(key));
  const values = readOptions(attack.options, Object.fromEntries(own));
  const dataSet = await openDataSet(options.data);
  const model = await openTrained(options.model, dataSet.classes.length);
  const data = encodeDataSet(dataSet, model, { maxTokens });
  const source = originOf(dataSet)?.source ?? dataSet.name;
  const measured = { members: data.train, others: othersOf(data, others, source) };
  const inside = await measure(model, measured.members, 'members', options);
  const outside = await measure(model, measured.others, 'others', options);
  const truth = { members: inside.losses, others: outside.losses };
  const random = seededSource(seed).stream('membership');
  return {
    attack: attack.name,
    model: model.name,
    data: source,
    ...evaluateMembership({ attack, options: values, truth, random }),
    accuracy: { members: inside.accuracy, others: outside.accuracy },
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

function othersOf(data: ReturnType<typeof encodeDataSet>, split: string, name: string): LabelledExamples {
  const others = split === 'test' || split === 'validation' ? data[split] : undefined;
  if (others !== undefined) return others;
  const [other] = (['test', 'validation'] as const).filter((one) => data[one] !== undefined);
  const advice = other
    ? say`set ${option('others')} to ${other}`
    : 'give a folder with files train and test, such as train.csv and test.csv';
  throw new ArgumentError(say`${name}: expected labelled data in the split ${split}, got none: ${advice}`);
}

async function measure(
  model: Model,
  data: LabelledExamples,
  group: MembershipProgress['group'],
  { onProgress, signal }: MembershipAttackOptions,
): Promise<{ readonly losses: ArrayLike<number>; readonly accuracy: number }> {
  return cancellable(
    signal,
    async () => {
      const classifier = await openClassifier({
        model,
        trainable: [],
        data,
        features: {
          onProgress: (done, all) => onProgress?.({ group, done, all }),
          ...(signal && { signal }),
        },
      });
      try {
        const logits = await classifier.logits({});
        const { numLabels: classes } = model.config;
        return {
          losses: lossesOf(logits, data.labels, classes),
          accuracy: scoreLogits(logits, data.labels, classes).accuracy,
        };
      } finally {
        await classifier.close();
      }
    },
    () => true,
  );
}
