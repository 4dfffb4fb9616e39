// `epsilens attack NAME` for attacks that tell members of the training data by their losses.

import {
  attackMembership,
  attackScores,
  loadDataSet,
  type MembershipReport,
  type ScoresReport,
  type ScoresResult,
} from '../api/index.js';
import type { LossAttack } from '../attacks/index.js';
import { ArgumentError, readOptions } from '../checks/index.js';
import { describeAttack, describeMembership } from './attack-text.js';
import { type Command, wholeNumber } from './command.js';
import { addDataFlags, addGroupFlag, type DataFlags, dataForms, dataOptions } from './data-options.js';
import { downloadNamed } from './downloads.js';
import { addExamples } from './examples.js';
import { addOptionFlags, flagOf, optionsAmong } from './option-flags.js';
import { progressLine } from './progress.js';
import { addRecordsFlag, expectCsv, listedFor, writeRecords } from './records-flag.js';
import { addRocFlag, expectSvg, writeRoc } from './roc-flag.js';
import { describeScoresReport } from './world-text.js';

interface LossFlags extends DataFlags {
  readonly model?: string;
  readonly data?: string;
  readonly scores?: string;
  readonly target?: string;
  readonly others?: string;
  readonly maxTokens?: number;
  readonly seed: number;
  readonly roc?: string;
  readonly records?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addLossAttack(parent: Command, attack: LossAttack): void {
  const command = parent
    .command(attack.name)
    .description(`${attack.words.help}; the members are the examples of the split train that were trained on`)
    .option(
      '--model <model>',
      'a trained classifier: the folder model of a run, any in the Hugging Face layout, or hf:owner/name',
    )
    .option('--data <data>', `the data it was trained on: ${dataForms}`)
    .option(
      '--scores <file>',
      'in place of model and data: a CSV, JSON or JSONL file of losses or logits of any models, with the column member; runs all membership attacks that it allows',
    )
    .option('--target <name>', 'with --scores: the model that is attacked (default: target, otherwise the first)')
    .option(
      '--others <source>',
      'the non-members: held-out (by train --hold-out), test or validation (default: the first of these that there is)',
    )
    .option(
      '--max-tokens <count>',
      'cut texts to this many tokens (default: the value of training, or 128)',
      wholeNumber(3),
    )
    .option('--seed <number>', 'seed of the bootstrap intervals and of the test of kind', wholeNumber(0), 1);
  addOptionFlags(command, attack.options);
  addRecordsFlag(addRocFlag(addGroupFlag(addDataFlags(command))))
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .addHelpText('after', describeAttack(attack))
    .action(async (flags: LossFlags, command: Command) => {
      const print = (report: object, text: string) =>
        process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : text);
      expectSvg(flags.roc);
      expectCsv(flags.records);
      if (flags.scores === undefined) {
        const found = await tellMembers(attack, flags);
        const drawn = await writeRoc(flags.roc, rocOf(attack, found));
        const { report, written } = await writeRecords(flags.records, found);
        print(report, `${describeMembership(attack, report)}${drawn}${written}`);
      } else {
        const report = await tellByScores({ ...flags, scores: flags.scores }, command);
        const written = await writeRoc(flags.roc, rocOfScores(report));
        print(report, `${describeScoresReport(report)}${written}`);
      }
    });
  addExamples(
    command,
    `epsilens attack ${attack.name} --model run/model --data bundled:mail`,
    `epsilens attack ${attack.name} --scores losses.csv`,
  );
}

const rocOf = ({ words }: LossAttack, { roc, members, others, bound }: MembershipReport) => ({
  title: 'Members told from others',
  curves: [{ name: words.label, points: roc }],
  members,
  others,
  ...(bound && { bound }),
});

/** The three attacks with the largest AUC, and the first, which is the loss alone: more lines would hide each other. */
function rocOfScores({ results, members, others }: ScoresReport) {
  const [loss, ...rest] = results as [ScoresResult, ...ScoresResult[]];
  const best = rest.toSorted((a, b) => b.auc.value - a.auc.value).slice(0, 3);
  return {
    title: 'Members told from others',
    curves: [...best, loss].map((one) => ({ name: one === loss ? 'the loss alone' : one.attack, points: one.roc })),
    members,
    others,
  };
}

/** Flags that apply beside --scores. */
const besideScores = ['scores', 'target', 'seed', 'roc', 'json', 'quiet'];

async function tellByScores(flags: LossFlags & { readonly scores: string }, command: Command) {
  const stray = command.options.find(
    (one) => !besideScores.includes(one.attributeName()) && command.getOptionValueSource(one.attributeName()) === 'cli',
  );
  if (stray !== undefined) throw new ArgumentError(`${stray.long} does not apply to --scores`);
  const { scores, target, seed } = flags;
  return attackScores({ scores, seed, ...(target !== undefined && { target }) });
}

async function tellMembers(attack: LossAttack, flags: LossFlags): Promise<MembershipReport> {
  const options = readOptions(attack.options, optionsAmong(attack.options, flags), flagOf);
  const { model, data, others, maxTokens, seed, target } = flags;
  if (model === undefined || data === undefined) {
    throw new ArgumentError(`expected --model and --data, or --scores, got ${model ?? data ?? 'none'}`);
  }
  if (target !== undefined) throw new ArgumentError('--target applies only with --scores');
  const given = dataOptions(flags);
  const progress = progressLine(flags.quiet ?? false);
  try {
    await downloadNamed({ model, data, options: [attack.options, options] }, progress);
    progress.show('loading …');
    return await attackMembership(attack, {
      model,
      // Without flags, the data is read as the run read it.
      data: Object.keys(given).length === 0 ? data : await loadDataSet(data, given),
      ...(others !== undefined && { others: others as 'test' }),
      ...(maxTokens !== undefined && { maxTokens }),
      seed,
      ...listedFor(flags.records),
      ...options,
      onProgress: ({ group, done, all }) => progress.show(`losses of ${group}`, { share: done / all, stage: group }),
    });
  } finally {
    progress.end();
  }
}
