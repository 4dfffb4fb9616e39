// `epsilens attack NAME` for attacks that tell members of the training data by their losses.

import { evaluateMembership, type LossAttack } from '../attacks/index.js';
import { ArgumentError, readOptions } from '../checks/index.js';
import { loadModel, type Model } from '../models/index.js';
import { seededSource } from '../random/index.js';
import { encodeDataSet, type LabelledExamples, lossesOf, openClassifier, scoreLogits } from '../training/index.js';
import { describeAttack, describeMembership, type MembershipReport } from './attack-text.js';
import { type Command, wholeNumber } from './command.js';
import { addDataFlags, type DataFlags, dataForms, loadData } from './data-options.js';
import { addOptionFlags, flagOf, optionsAmong } from './option-flags.js';
import { bar, type Progress, progressLine } from './progress.js';

interface LossFlags extends DataFlags {
  readonly model: string;
  readonly data: string;
  readonly others: string;
  readonly maxTokens: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addLossAttack(parent: Command, attack: LossAttack): void {
  const command = parent
    .command(attack.name)
    .description(`${attack.words.help}; the members are the split train`)
    .requiredOption('--model <model>', 'a trained classifier: a folder in the Hugging Face layout')
    .requiredOption('--data <data>', `the data it was trained on: ${dataForms}`)
    .option('--others <split>', 'the split with the non-members: test or validation', 'test')
    .option('--max-tokens <count>', 'cut texts to this many tokens; use the value of training', wholeNumber(3), 128)
    .option('--seed <number>', 'seed of the bootstrap intervals', wholeNumber(0), 1);
  addOptionFlags(command, attack.options);
  addDataFlags(command)
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .addHelpText('after', describeAttack(attack))
    .action(async (flags: LossFlags) => {
      const report = await tellMembers(attack, flags);
      process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : describeMembership(attack, report));
    });
}

async function tellMembers(attack: LossAttack, flags: LossFlags): Promise<MembershipReport> {
  const options = readOptions(attack.options, optionsAmong(attack.options, flags), flagOf);
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
    const inside = await measure(model, data.train, 'members', progress);
    const outside = await measure(model, othersOf(data, flags), 'others', progress);
    const truth = { members: inside.losses, others: outside.losses };
    const random = seededSource(flags.seed).stream('membership');
    return {
      attack: attack.name,
      model: flags.model,
      data: flags.data,
      ...evaluateMembership({ attack, options, truth, random }),
      accuracy: { members: inside.accuracy, others: outside.accuracy },
    };
  } finally {
    progress.end();
  }
}

function othersOf(data: ReturnType<typeof encodeDataSet>, flags: LossFlags): LabelledExamples {
  const others = flags.others === 'test' || flags.others === 'validation' ? data[flags.others] : undefined;
  if (others !== undefined) return others;
  const [other] = (['test', 'validation'] as const).filter((split) => data[split] !== undefined);
  const advice = other ? `try --others ${other}` : 'split it with epsilens data, or give a folder with a test split';
  throw new ArgumentError(`${flags.data}: expected labelled data in the split ${flags.others}, got none: ${advice}`);
}

async function measure(model: Model, data: LabelledExamples, name: string, progress: Progress) {
  const classes = model.config.numLabels;
  const onProgress = (done: number, all: number) => progress.show(`${bar(done / all)} ${name}`);
  const classifier = await openClassifier({ model, trainable: [], data, features: { onProgress } });
  const logits = await classifier.logits({});
  await classifier.close();
  return {
    losses: lossesOf(logits, data.labels, classes),
    accuracy: scoreLogits(logits, data.labels, classes).accuracy,
  };
}
