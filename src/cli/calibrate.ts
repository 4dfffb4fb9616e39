// `epsilens calibrate`: a whole study, from noise levels to a report.

import { basename, resolve } from 'node:path';
import { type Calibration, runCalibration, writeReport } from '../api/index.js';
import { attacks, type SituationName, situationNames } from '../attacks/index.js';
import type { StudyProgress, StudyRun } from '../calibration/index.js';
import { ArgumentError } from '../checks/index.js';
import { defaultJobs } from '../platform/index.js';
import { type Command, Option, wholeNumber } from './command.js';
import { addDataFlags, addGroupFlag, type DataFlags, dataOptions } from './data-options.js';
import { downloadNamed, showDownload } from './downloads.js';
import { addExamples } from './examples.js';
import { progressLine, stopOnInterrupt } from './progress.js';
import { addQuestionFlags, type QuestionFlags, questionOf } from './question-flags.js';
import { printResults, resultsAsJson } from './study-output.js';
import { duration } from './time-left.js';
import { wrap } from './wrap.js';

interface CalibrateFlags extends DataFlags, QuestionFlags {
  readonly situation?: string;
  readonly out?: string;
  readonly model?: string;
  readonly data?: string;
  readonly plan?: string;
  readonly only?: string;
  readonly force?: boolean;
  readonly jobs: number;
  readonly redact?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addCalibrate(program: Command): void {
  const command = program
    .command('calibrate')
    .description('train and attack at every noise level of a study, and report what noise costs and what it prevents')
    .argument('[study]', 'a YAML file, or the name of a study that comes with the package', 'quick')
    .option('--out <folder>', 'folder for the store, artefacts and report (default: out/NAME)')
    .option(
      '--model <model>',
      'in place of the study’s model: a folder in the Hugging Face layout, bundled:NAME or hf:owner/name',
    )
    .option('--data <data>', 'in place of the study’s data: a folder or file, bundled:mail, or hf:owner/name')
    .option(
      '--plan <plan>',
      'the training that the study stands for: the folder of a run (train --out) or of a saved model, or a YAML file with examples, batchSize, epochs and delta',
    )
    .option(
      '--situation <names>',
      `who is taken to see what; only their attacks are run: ${situationNames.join(', ')} (default: all that the study has attacks for)`,
    )
    .option('--only <kinds>', `run only these trials and those they need: ${trialNames.join(', ')}`)
    .option('--force', 'run trials again even if they are done')
    .addOption(
      new Option('--resume', 'reuse what is done in the folder (the default; --force does not)').conflicts('force'),
    )
    .option('--jobs <count>', 'number of processes, one core each', wholeNumber(1), defaultJobs())
    .option('--redact', 'also write report-redacted.html, without texts, which can be passed on');
  addGroupFlag(addDataFlags(addQuestionFlags(command)))
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(calibrate);
  addExamples(
    command,
    'epsilens calibrate quick --data reviews.csv --plan run --out out/mine',
    'epsilens calibrate quick --epsilon 2 --leakage-at-most text=0.2,auc=0.6',
    'epsilens calibrate study.yaml --model run/model --redact',
  );
}

async function calibrate(source: string, flags: CalibrateFlags): Promise<void> {
  const start = performance.now();
  const { results, run, folder } = await runWithProgress(source, flags);
  const { redact = false } = flags;
  const { page, redacted, statement } = await writeReport(results, { folder, redact });
  if (flags.json) {
    process.stdout.write(
      await resultsAsJson(results, redact, { run, report: redact ? basename(redacted ?? page) : page }),
    );
  } else {
    const lines = [
      await printResults(results),
      ...wrap(`${countTrials(run)} ${duration((performance.now() - start) / 1000)}.`),
      `Report (it shows private text): ${resolve(page)}`,
      ...(redacted ? [`Without texts: ${resolve(redacted)}`] : []),
      `Every figure, for epsilens verify: ${resolve(statement)}`,
      ...(run.replaces
        ? wrap(
            `This replaces the report of ${results.study.name} on another model or other data; use --out to keep both.`,
          )
        : []),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  if (run.failed > 0 || run.left > 0) process.exitCode = 1;
}

async function runWithProgress(source: string, flags: CalibrateFlags): Promise<Calibration> {
  const progress = progressLine(flags.quiet ?? false);
  await downloadNamed(flags, progress);
  const stop = stopOnInterrupt();
  try {
    progress.show('reading model and data …');
    const only = flags.only === undefined ? {} : { only: flags.only.split(',').map(trialName) };
    const { model, data, plan, out } = flags;
    const done = await runCalibration(source, {
      ...(model !== undefined && { model }),
      ...(data !== undefined && { data }),
      dataOptions: dataOptions(flags),
      question: questionOf(flags),
      ...(flags.situation !== undefined && { situations: flags.situation.split(',').map(situationName) }),
      ...(plan !== undefined && { plan }),
      ...(out !== undefined && { folder: out }),
      ...only,
      jobs: flags.jobs,
      force: flags.force ?? false,
      onProgress: (now) =>
        progress.show(progressText(now), {
          share: now.done / now.all,
          ...(now.secondsLeft !== undefined && { left: now.secondsLeft }),
        }),
      onDownload: showDownload(progress),
      signal: stop.signal,
    });
    progress.end();
    if (stop.signal.aborted && done.run.left > 0) {
      process.stderr.write('epsilens: stopped; finished trials are kept, and the same command resumes\n');
    }
    return done;
  } finally {
    stop.end();
    progress.end();
  }
}

const progressText = ({ done, all, failed, running }: StudyProgress): string =>
  `${done}/${all} trials${failed === 0 ? '' : `  ${failed} failed`}  ${running.join('; ')}`;

function situationName(text: string): SituationName {
  const found = situationNames.find((name) => name === text.trim());
  if (found !== undefined) return found;
  throw new ArgumentError(`invalid --situation: expected some of ${situationNames.join(', ')}, got ${text}`);
}

const trialNames = ['features', 'tuning', 'train', ...attacks.map(({ name }) => name)];

function trialName(text: string): string {
  const found = trialNames.find((name) => name === text.trim());
  if (found !== undefined) return found;
  throw new ArgumentError(`invalid --only: expected some of ${trialNames.join(', ')}, got ${text}`);
}

function countTrials({ trials, reused, ran, failed, left, skipped }: StudyRun): string {
  const counts = [
    `${ran} run now`,
    `${reused} reused`,
    failed && `${failed} failed`,
    left && `${left} left`,
    skipped && `${skipped} not asked for`,
  ];
  return `${trials} trials: ${counts.filter(Boolean).join(', ')};`;
}
