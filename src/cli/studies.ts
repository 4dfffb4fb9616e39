// `epsilens studies`, `epsilens show` and `epsilens report`: list studies, print results, write the report again.

import { resolve } from 'node:path';
import { writeReport } from '../api/index.js';
import {
  bundledStudies,
  collectResults,
  type ListedStudy,
  listStudies,
  neededBy,
  readStudy,
  withQuestion,
} from '../calibration/index.js';
import type { Command } from './command.js';
import { addExamples } from './examples.js';
import { refuseIgnored } from './flag-rules.js';
import { addQuestionFlags, type QuestionFlags, questionOf } from './question-flags.js';
import { printResults, resultsAsJson } from './study-output.js';
import { hang } from './wrap.js';

interface ShowFlags extends QuestionFlags {
  readonly study?: string;
  readonly redact?: boolean;
  readonly json?: boolean;
}

export function addStudies(program: Command): void {
  const command = program
    .command('studies')
    .description('list the studies that come with the package, or those of a folder')
    .argument('[folder]', 'a folder that epsilens calibrate wrote')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line (there is none)')
    .action(async (folder: string | undefined, { json }: ShowFlags) => {
      const found = folder === undefined ? await bundled() : listStudies(folder);
      const text = found.map((one) => ('description' in one ? describeBundled(one) : describeRecorded(one))).join('\n');
      process.stdout.write(json ? `${JSON.stringify(found, null, 2)}\n` : `${text}\n`);
    });
  addExamples(command, 'epsilens studies', 'epsilens studies out/quick');
}

export function addShow(program: Command): void {
  const command = program
    .command('show')
    .description('print the results of a study so far')
    .argument('<folder>', 'a folder that epsilens calibrate wrote')
    .option('--study <name>', 'the study to use where the folder has several (default: the latest)')
    .option('--redact', 'with --json: leave out texts and what may quote them')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line (there is none)');
  addQuestionFlags(command).action(async (folder: string, { study, redact = false, json, ...asked }: ShowFlags) => {
    const results = withQuestion(await collectResults(folder, study), questionOf(asked));
    process.stdout.write(json ? await resultsAsJson(results, redact) : await printResults(results));
  });
  addExamples(
    command,
    'epsilens show out/quick',
    'epsilens show out/quick --leakage-at-most text=0.2',
    'epsilens show out/quick --json --redact > quick.json',
  );
  refuseIgnored(command, [{ flags: ['--redact'], with: ['--json'] }]);
}

export function addReport(program: Command): void {
  const command = program
    .command('report')
    .description('write the report of a study again from its results')
    .argument('<folder>', 'a folder that epsilens calibrate wrote')
    .option('--study <name>', 'the study to use where the folder has several (default: the latest)')
    .option('--redact', 'also write report-redacted.html, without texts, which can be passed on')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line (there is none)');
  addQuestionFlags(command).action(async (folder: string, { study, redact = false, json, ...asked }: ShowFlags) => {
    const question = questionOf(asked);
    const results = withQuestion(await collectResults(folder, study), question);
    const { page, redacted, statement } = await writeReport(results, { folder, redact });
    const paths = [
      `Report (it shows private text): ${resolve(page)}`,
      ...(redacted ? [`Without texts: ${resolve(redacted)}`] : []),
      `Every figure, for epsilens verify: ${resolve(statement)}`,
    ];
    process.stdout.write(
      json ? `${JSON.stringify({ report: page, redacted, statement }, null, 2)}\n` : `${paths.join('\n')}\n`,
    );
  });
  addExamples(command, 'epsilens report out/quick', 'epsilens report out/quick --redact --epsilon 2');
}

const nameWidth = 15;

interface Bundled {
  readonly name: string;
  readonly description: string;
  readonly model: string;
  readonly data: string;
  /** What the study lacks, with the option that gives it. */
  readonly needed: ReturnType<typeof neededBy>;
}

async function bundled(): Promise<Bundled[]> {
  const found: Bundled[] = [];
  for (const name of bundledStudies()) {
    const study = await readStudy(name);
    const { description, model, data } = study;
    found.push({ name, description, model, data: data.source, needed: neededBy(study) });
  }
  return found;
}

function describeBundled({ name, description, model, data, needed: missing }: Bundled): string {
  const needed = missing.map(([option, what]) => `--${option}: ${what}`);
  return entry(name, description, needed.length > 0 ? `needs ${needed.join('; ')}` : `${model} on ${data}`);
}

const describeRecorded = ({ name, started, trials, done, levels, replaced }: ListedStudy): string =>
  entry(
    name,
    `${done} of ${trials} trials done, last run ${started}${replaced ? ', replaced by a later version' : ''}`,
    levels.join(', '),
  );

/** A name, with paragraphs beside it. */
const entry = (name: string, first: string, second: string): string =>
  [...hang(`${name.padEnd(nameWidth)} `, first), ...hang(' '.repeat(nameWidth + 1), second)].join('\n');
