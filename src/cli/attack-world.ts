// `epsilens attack NAME` for attacks that compare a target with other models: all of them are trained by the command.

import { attackWorld, loadDataSet, type WorldAttackOptions, type WorldReport, worldKeys } from '../api/index.js';
import type { WorldAttack } from '../attacks/index.js';
import { readOptions } from '../checks/index.js';
import { describeAttack } from './attack-text.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { addDataFlags, addGroupFlag, type DataFlags, dataForms, dataOptions } from './data-options.js';
import { downloadNamed } from './downloads.js';
import { addExamples } from './examples.js';
import { addOptionFlags, flagOf, optionsAmong } from './option-flags.js';
import { progressLine, stopOnInterrupt } from './progress.js';
import { addRecordsFlag, expectCsv, listedFor, writeRecords } from './records-flag.js';
import { addRocFlag, expectSvg, writeRoc } from './roc-flag.js';
import { addPrivacyFlags, type PrivacyFlags, privacyFrom } from './train-privacy.js';
import { describeWorld } from './world-text.js';

interface WorldFlags
  extends DataFlags,
    PrivacyFlags,
    Omit<WorldAttackOptions, 'data' | 'privacy' | 'onProgress' | 'records'> {
  readonly data: string;
  readonly roc?: string;
  readonly records?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addWorldAttack(parent: Command, attack: WorldAttack): void {
  const defaults = readOptions(attack.options, {});
  const alone = attack.references(defaults) === 'none';
  const command = parent
    .command(attack.name)
    .description(
      `${attack.words.help}; trains ${alone ? 'the target' : 'target and other models'} itself, on parts of the data`,
    )
    .option(
      '--model <model>',
      'the model that training starts from: a folder in the Hugging Face layout, bundled:NAME or hf:owner/name',
      'bundled:bert-mini',
    )
    .option('--data <data>', `all labelled rows are used: ${dataForms}`, 'bundled:mail')
    .option(
      '--references <count>',
      alone
        ? 'the data are divided as for so many models beside the target, of which none is trained'
        : 'models that are trained beside the target',
      wholeNumber(1),
      10,
    )
    .option(
      '--examples <split>',
      'which examples a model is trained on: paper (parts of its own) or halves (every example in half of the models) (default: what the attack needs)',
    )
    .option('--targets <count>', 'models that are attacked in turn, for an interval over models', wholeNumber(1), 1)
    .option(
      '--recipe <name>',
      'overfit (60 epochs, batches of 8), paper (30, 128, learning rate 0.0003) or usual (5, 32)',
      'overfit',
    )
    .option(
      '--trainable <parameters>',
      'head, pooler+classifier (GPT-2: final norm and score), all, or parameter names with *',
      'pooler+classifier',
    )
    .option('--epochs <count>', 'passes over the training data (default: that of the recipe)', wholeNumber(1))
    .option('--batch-size <count>', 'examples per step (default: that of the recipe)', wholeNumber(1))
    .option('--learning-rate <rate>', 'the highest rate (default: that of the recipe)', positiveNumber)
    .option('--max-tokens <count>', 'texts are cut to this many tokens', wholeNumber(3), 128)
    .option('--balanced', 'use equally many examples of each class')
    .option('--limit <count>', 'use at most this many examples, drawn at random', wholeNumber(8))
    .option('--seed <number>', 'seeds who is trained on what, heads, batches, noise and intervals', wholeNumber(0), 1);
  // Where it would change nothing, there is no such flag.
  if (!alone && !attack.insight?.(defaults).likeTarget)
    command.option('--private-references', 'train the other models with the noise of the target too');
  addPrivacyFlags(command, { seeded: true });
  addOptionFlags(command, attack.options);
  addRecordsFlag(addRocFlag(addGroupFlag(addDataFlags(command))))
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .addHelpText('after', describeAttack(attack))
    .action(async (flags: WorldFlags) => {
      expectSvg(flags.roc);
      expectCsv(flags.records);
      const found = await compareModels(attack, flags);
      const drawn = await writeRoc(flags.roc, rocOf(attack, found));
      const { report, written } = await writeRecords(flags.records, found);
      process.stdout.write(
        flags.json ? `${JSON.stringify(report, null, 2)}\n` : `${describeWorld(attack, report)}${drawn}${written}`,
      );
    });
  addExamples(
    command,
    `epsilens attack ${attack.name} --data ../cola --balanced --max-tokens 40`,
    `epsilens attack ${attack.name} --mechanism gaussian --epsilon 8`,
  );
}

/** The attack, and the loss alone. */
const rocOf = ({ words }: WorldAttack, { roc, baselineRoc, members, others, bound }: WorldReport) => ({
  title: `${words.label}: members told from others`,
  curves: [
    { name: words.label, points: roc },
    { name: 'the loss alone', points: baselineRoc },
  ],
  members,
  others,
  ...(bound && { bound }),
});

async function compareModels(attack: WorldAttack, flags: WorldFlags): Promise<WorldReport> {
  const options = readOptions(attack.options, optionsAmong(attack.options, flags), flagOf);
  const privacy = privacyFrom(flags, { seeded: true });
  const progress = progressLine(flags.quiet ?? false);
  await downloadNamed({ ...flags, options: [attack.options, options] }, progress);
  const stop = stopOnInterrupt();
  try {
    progress.show('loading …');
    const given = worldKeys.flatMap((key) => (flags[key] === undefined ? [] : [[key, flags[key]] as const]));
    return await attackWorld(attack, {
      ...(Object.fromEntries(given) as WorldAttackOptions),
      data: await loadDataSet(flags.data, dataOptions(flags)),
      ...(privacy && { privacy }),
      ...listedFor(flags.records),
      ...options,
      signal: stop.signal,
      onProgress: ({ stage, done, all }) =>
        progress.show(
          {
            queries: 'neighbours',
            features: 'features of the frozen part',
            models: `model ${Math.min(Math.floor(done) + 1, all)} of ${all}`,
          }[stage],
          {
            share: done / all,
            stage,
          },
        ),
    });
  } finally {
    stop.end();
    progress.end();
  }
}
