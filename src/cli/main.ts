#!/usr/bin/env node
// The command line: one file per command. Exit code 0 ok, 1 failed, 2 bad arguments.

import { readFileSync } from 'node:fs';
import { ArgumentError } from '../checks/index.js';
import { explainFileError } from '../platform/index.js';
import { Command, CommanderError } from './command.js';
import { errorWriter } from './error-text.js';
import { addExamples } from './examples.js';
import { commandMeant } from './synonyms.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

type AddCommand = (program: Command) => void;

/** Each command is loaded only when used: one that needs no model starts in a third of the time. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  calibrate: async () => (await import('./calibrate.js')).addCalibrate,
  studies: async () => (await import('./studies.js')).addStudies,
  show: async () => (await import('./studies.js')).addShow,
  report: async () => (await import('./studies.js')).addReport,
  account: async () => (await import('./account.js')).addAccount,
  data: async () => (await import('./data.js')).addData,
  models: async () => (await import('./models.js')).addModels,
  train: async () => (await import('./train.js')).addTrain,
  classify: async () => (await import('./classify.js')).addClassify,
  verify: async () => (await import('./verify.js')).addVerify,
  attack: async () => (await import('./attack.js')).addAttack,
  score: async () => (await import('./score.js')).addScore,
  demo: async () => (await import('./demo.js')).addDemo,
  doctor: async () => (await import('./doctor.js')).addDoctor,
};

const program = new Command('epsilens')
  .description('Train language models with differential privacy, attack them, and see what ε means.')
  .version(version)
  .showHelpAfterError('(try --help)')
  .exitOverride();
const [asked = ''] = process.argv.slice(2);
const needed = Object.hasOwn(commands, asked) ? [commands[asked]] : Object.values(commands);
for (const load of needed) (await load?.())?.(program);

// The reader of a pipe may stop early: epsilens … | head.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

addExamples(
  program,
  'epsilens demo',
  'epsilens calibrate quick',
  'epsilens train --mechanism gaussian --epsilon 8 --out run',
);

const textOf = errorWriter(program);
try {
  const meant = commandMeant(asked);
  if (meant !== undefined) throw new ArgumentError(`unknown command ${asked}: did you mean ${meant}?`);
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  // Commander has printed its message already; help and version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // What the rooms did not turn into a sentence, such as a full disk in the middle of a file.
  process.stderr.write(`epsilens: ${textOf(explainFileError(error))}\n`);
  return error instanceof ArgumentError ? 2 : 1;
}
