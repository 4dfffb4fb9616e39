// `epsilens attack membership`: which examples a model was trained on, by their loss.

import { lossThresholdAttack } from '../attacks/index.js';
import { ArgumentError } from '../checks/index.js';
import { loadModel } from '../models/index.js';
import { seededSource } from '../random/index.js';
import { encodeDataSet, type LabelledExamples, lossesOf, openClassifier, scoreLogits } from '../training/index.js';
import { describeMembership, type MembershipReport } from './attack-text.js';
import { type Command, wholeNumber } from './command.js';
import { addDataFlags, type DataFlags, dataForms, loadData } from './data-options.js';
import { bar, progressLine } from './progress.js';

interface MembershipFlags extends DataFlags {
  readonly model: string;
  readonly data: string;
  readonly others: string;
  readonly maxTokens: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addMembershipAttack(attack: Command): void {
  const command = attack
    .command('membership')
    .description('tell the training data of a classifier from other data by the loss; the train part are the members')
    .requiredOption('--model <model>', 'a trained classifier: a folder in the Hugging Face layout')
    .requiredOption('--data <data>', `the data it was trained on: ${dataForms}`)
    .option('--others <part>', 'the part that was not trained on: test or validation', 'test')
    .option('--max-tokens <count>', 'as in training', wholeNumber(3), 128)
    .option('--seed <number>', 'of the bootstrap intervals', wholeNumber(0), 1);
  addDataFlags(command)
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (flags: MembershipFlags) => {
      const report = await runMembership(flags);
      process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : describeMembership(report));
    });
}

async function runMembership(flags: MembershipFlags): Promise<MembershipReport> {
  const progress = progressLine((flags.quiet || flags.json) ?? false);
  try {
    progress.show('loading …');
    const dataSet = await loadData(flags.data, flags);
    const model = await loadModel(flags.model, { numLabels: dataSet.classes.length });
    if (model.newlyInitialized.length > 0) {
      throw new ArgumentError(
        `${flags.model}: expected a trained classifier, got a model without ${model.newlyInitialized.join(', ')}`,
      );
    }
    const data = encodeDataSet(dataSet, model, { maxTokens: flags.maxTokens });
    const others = flags.others === 'test' || flags.others === 'validation' ? data[flags.others] : undefined;
    if (others === undefined) {
      const parts = (['test', 'validation'] as const).filter((part) => data[part] !== undefined);
      const advice =
        parts.length > 0
          ? `try --others ${parts[0]}`
          : 'split it with epsilens data, or give a folder with a test part';
      throw new ArgumentError(`${flags.data}: expected labelled data in the part ${flags.others}, got none: ${advice}`);
    }
    const classes = model.config.numLabels;
    const measure = async (part: LabelledExamples, name: string) => {
      const classifier = await openClassifier({
        model,
        trainable: [],
        data: part,
        features: { onProgress: (done, all) => progress.show(`${bar(done / all)} ${name}`) },
      });
      const logits = await classifier.logits({});
      await classifier.close();
      return {
        losses: lossesOf(logits, part.labels, classes),
        accuracy: scoreLogits(logits, part.labels, classes).accuracy,
      };
    };
    const inside = await measure(data.train, 'members');
    const outside = await measure(others, 'others');
    const view = { members: inside.losses, others: outside.losses };
    return {
      model: flags.model,
      data: flags.data,
      ...lossThresholdAttack(view, seededSource(flags.seed).stream('membership')),
      accuracy: { members: inside.accuracy, others: outside.accuracy },
    };
  } finally {
    progress.end();
  }
}
