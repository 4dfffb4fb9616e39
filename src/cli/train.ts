// `epsilens train`: fine-tunes a classifier on a data set and saves it in the Hugging Face layout.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type FineTuneOptions, type FineTuneProgress, loadDataSet, runFineTuning } from '../api/index.js';
import { inTermsOf } from '../checks/index.js';
import type { DropoutChoice } from '../models/index.js';
import { writeNumber } from '../privacy/index.js';
import { type ScheduleName, usualWarmup } from '../training/index.js';
import { type Command, dropoutChoice, positiveNumber, shareUpTo, wholeNumber } from './command.js';
import { addDataFlags, addGroupFlag, type DataFlags, dataForms, dataOptions } from './data-options.js';
import { downloadNamed } from './downloads.js';
import { addExamples } from './examples.js';
import { addLoraFlags, type LoraFlags, loraFrom, loraWord } from './lora-flags.js';
import { type Progress, progressLine, stopOnInterrupt } from './progress.js';
import { refuseRenamed, renamedFlags } from './renamed-flags.js';
import { addPrivacyFlags, type PrivacyFlags, privacyFrom } from './train-privacy.js';
import { describe, summarize, type TrainReport } from './train-report.js';

interface TrainFlags extends DataFlags, PrivacyFlags, LoraFlags {
  readonly model: string;
  readonly data: string;
  readonly out: string;
  readonly trainable?: string;
  readonly holdOut?: number;
  readonly epochs: number;
  readonly batchSize?: number;
  readonly learningRate: number;
  readonly schedule: ScheduleName;
  readonly warmup: number;
  readonly optimizer: 'adamw' | 'sgd';
  readonly dropout?: DropoutChoice;
  readonly dropoutFrozen?: boolean;
  readonly maxTokens: number;
  readonly seed: number;
  readonly newHead?: boolean;
  readonly resume?: boolean;
  readonly checkpointEvery?: number;
  readonly diagnostics?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addTrain(program: Command): void {
  const command = program
    .command('train')
    .description('fine-tune a classifier, with differential privacy if a mechanism is chosen')
    .option(
      '--model <model>',
      'a folder in the Hugging Face layout, bundled:bert-mini, bundled:gpt2-mini, or hf:owner/name',
      'bundled:bert-mini',
    )
    .option('--data <data>', dataForms, 'bundled:mail')
    .requiredOption('--out <folder>', 'folder for the model, its checkpoint and its metrics')
    .option(
      '--trainable <parameters>',
      'head, pooler+classifier (GPT-2: final norm and score), all, or parameter names with *; with an adapter lora, lora+pooler or lora-only (default: pooler+classifier, with an adapter lora)',
    )
    .option(
      '--hold-out <share>',
      'hold out this share of the training data at random, 0 to 0.5, for attack membership (default: 0.1 if the data has neither validation nor test labels)',
      shareUpTo(0.5),
    )
    .option('--epochs <count>', 'passes over the training data', wholeNumber(1), 5)
    .option('--batch-size <count>', 'examples per step (default: 128 with a mechanism, 32 without)', wholeNumber(1))
    .option(
      '--learning-rate <rate>',
      'the highest rate, which is reached at the end of the warm-up',
      positiveNumber,
      1e-3,
    )
    .option('--schedule <name>', 'how the rate goes on: linear or cosine (fall to 0) or constant', 'linear')
    .option('--warmup <share>', 'share of the steps over which the rate rises, 0 to 1', shareUpTo(1), usualWarmup)
    .option('--optimizer <name>', 'adamw or sgd (with momentum 0.9)', 'adamw')
    .option(
      '--dropout <rate>',
      'dropout in training: a probability from 0 to below 1, or config for those of config.json (default: none)',
      dropoutChoice,
    )
    .option('--dropout-frozen', 'drop in the frozen part, too; its features are then not cached')
    .option('--max-tokens <count>', 'texts are cut to this many tokens', wholeNumber(3), 128)
    .option(
      '--seed <number>',
      'seeds what is held out, the order of shuffled batches, dropout and a new head, never the noise',
      wholeNumber(0),
      1,
    )
    .option('--new-head', 'start with a new classifier even if the model has one')
    .option('--resume', 'resume an interrupted run in the same folder')
    .option(
      '--checkpoint-every <steps>',
      'steps between checkpoints (default: every step with a mechanism, every epoch without)',
      wholeNumber(1),
    )
    .option('--diagnostics', 'write norm and cosines of every release to metrics.jsonl: not private, do not publish');
  addLoraFlags(command);
  addPrivacyFlags(command);
  refuseRenamed(command, renamedFlags.train);
  addGroupFlag(addDataFlags(command), '; the guarantee stays one for single rows')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (flags: TrainFlags) => {
      const { json = false } = flags;
      const report = await train(flags);
      process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
      if (!report.finished) process.exitCode = 1;
    });
  addExamples(
    command,
    'epsilens train --mechanism gaussian --epsilon 8 --out private',
    'epsilens train --lora-rank 8 --mechanism gaussian --epsilon 8 --out adapter',
    'epsilens train --data reviews.csv --mechanism gaussian --noise 1 --out run',
  );
}

async function train(flags: TrainFlags): Promise<TrainReport> {
  const privacy = privacyFrom(flags);
  const progress = progressLine(flags.quiet ?? false);
  await downloadNamed(flags, progress);
  const stop = stopOnInterrupt();
  try {
    progress.show('reading the data …');
    const data = await loadDataSet(flags.data, dataOptions(flags));
    if (flags.insecureSeed !== undefined) warnInsecure();
    if (flags.resume && !existsSync(join(flags.out, 'run.json'))) {
      process.stderr.write(`note: there is no run in ${flags.out} to resume: a new one begins\n`);
    }
    const options = {
      ...settingsOf(flags),
      data,
      ...(privacy && { privacy }),
      signal: stop.signal,
      onProgress: makeShow(progress),
    };
    const run = await inTermsOf(loraWord, () => runFineTuning(options));
    return summarize(flags, run);
  } finally {
    stop.end();
    progress.end();
  }
}

function settingsOf(flags: TrainFlags): FineTuneOptions {
  const { model, out, trainable, epochs, learningRate, schedule, warmup, optimizer, maxTokens, seed } = flags;
  const { holdOut, batchSize, dropout, dropoutFrozen, newHead, resume, checkpointEvery, diagnostics } = flags;
  const lora = loraFrom(flags);
  return {
    model,
    folder: out,
    epochs,
    learningRate,
    schedule,
    warmup,
    optimizer,
    maxTokens,
    seed,
    ...(trainable !== undefined && { trainable }),
    ...(lora && { lora }),
    ...(holdOut !== undefined && { holdOut }),
    ...(batchSize !== undefined && { batchSize }),
    ...(dropout !== undefined && { dropout }),
    ...(dropoutFrozen && { dropoutFrozen }),
    ...(newHead && { newHead }),
    ...(resume && { resume }),
    ...(checkpointEvery !== undefined && { checkpointEvery }),
    ...(diagnostics && { diagnostics }),
  };
}

const warnInsecure = () =>
  process.stderr.write(
    'warning: --insecure-seed: whoever knows the seed can repeat the noise:\nthe guarantee is void, do not release the model\n',
  );

const stages = {
  data: 'reading the data …',
  model: 'loading the model …',
  plan: 'planning …',
} as const;

/** One line: step, loss, ε so far, examples per second. */
function makeShow(progress: Progress): (now: FineTuneProgress) => void {
  let begun: { time: number; examples: number } | undefined;
  let spent = { at: Number.NEGATIVE_INFINITY, text: '' };
  return (now) => {
    if (now.stage === 'features') {
      const { part, done, all } = now;
      progress.show(`frozen part, ${part}: ${done}/${all} examples`, { share: done / all, stage: part });
      return;
    }
    if (now.stage !== 'training') {
      progress.show(stages[now.stage]);
      return;
    }
    const time = performance.now();
    const { step, steps, loss, examples } = now;
    begun ??= { time, examples };
    // Accounting takes a millisecond or so. This bound may be larger than that of the statement, whose accountant is slower.
    if (time - spent.at > 100) {
      const guarantee = now.guarantee();
      spent = {
        at: time,
        text: guarantee
          ? `  ε ${guarantee.bound === 'approximate' ? '≈' : '≤'} ${writeNumber(guarantee.epsilon, 3, 'up')}`
          : '',
      };
    }
    const seconds = (time - begun.time) / 1000;
    const rate = seconds > 0 ? (examples - begun.examples) / seconds : 0;
    progress.show(`step ${step}/${steps}  loss ${loss.toFixed(3)}${spent.text}  ${Math.round(rate)} examples/s`, {
      share: step / steps,
      stage: 'training',
    });
  };
}
