#!/usr/bin/env node
// The command line: one file a command. Exit code 0 ok, 1 failed, 2 bad arguments.

import { readFileSync } from 'node:fs';
import { ArgumentError } from '../checks/index.js';
import { addAccount } from './account.js';
import { addAttack } from './attack.js';
import { addCalibrate } from './calibrate.js';
import { Command, CommanderError } from './command.js';
import { addData } from './data.js';
import { addDemo } from './demo.js';
import { addScore } from './score.js';
import { addStudies } from './studies.js';
import { addTrain } from './train.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('epsilens')
  .description('Train language models with differential privacy, attack them, and see what ε means.')
  .version(version)
  .showHelpAfterError('(try --help)')
  .exitOverride();
addCalibrate(program);
addStudies(program);
addAccount(program);
addData(program);
addTrain(program);
addAttack(program);
addScore(program);
addDemo(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  // Commander has printed its message already; help and version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`epsilens: ${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof ArgumentError ? 2 : 1;
}
