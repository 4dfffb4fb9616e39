// Runs a command in this process, with the output and exit code of the built one, but without the second that a new process takes.
// test/cli/main.test.ts checks that both agree.

import { ArgumentError } from '../../src/checks/index.js';
import { addAccount } from '../../src/cli/account.js';
import { addAttack } from '../../src/cli/attack.js';
import { addCalibrate } from '../../src/cli/calibrate.js';
import { addClassify } from '../../src/cli/classify.js';
import { Command, CommanderError } from '../../src/cli/command.js';
import { addData } from '../../src/cli/data.js';
import { addDemo } from '../../src/cli/demo.js';
import { addDoctor } from '../../src/cli/doctor.js';
import { errorWriter } from '../../src/cli/error-text.js';
import { addModels } from '../../src/cli/models.js';
import { addScore } from '../../src/cli/score.js';
import { addReport, addShow, addStudies } from '../../src/cli/studies.js';
import { addTrain } from '../../src/cli/train.js';
import { addVerify } from '../../src/cli/verify.js';
import { explainFileError } from '../../src/platform/index.js';

const adders = [
  addCalibrate,
  addStudies,
  addShow,
  addReport,
  addAccount,
  addData,
  addModels,
  addTrain,
  addClassify,
  addVerify,
  addAttack,
  addScore,
  addDemo,
  addDoctor,
];

export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** All commands, as main.ts sets them up. */
export function makeProgram(): Command {
  const program = new Command('epsilens').showHelpAfterError('(try --help)').exitOverride();
  for (const add of adders) add(program);
  return program;
}

/** Not at the same time as another one: it listens to the streams of this process. */
export async function inProcess(...args: string[]): Promise<Outcome> {
  const { exitCode } = process;
  const program = makeProgram();
  const textOf = errorWriter(program);
  const [stdout, stderr] = [listen(process.stdout), listen(process.stderr)];
  process.exitCode = undefined;
  let status: number;
  try {
    await program.parseAsync(args, { from: 'user' });
    status = Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof CommanderError)) process.stderr.write(`epsilens: ${textOf(explainFileError(error))}\n`);
    status = statusOf(error);
  } finally {
    process.exitCode = exitCode;
    stdout.end();
    stderr.end();
  }
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof ArgumentError ? 2 : 1;
}

function listen(stream: NodeJS.WriteStream) {
  const { write } = stream;
  let heard = '';
  stream.write = (text: string | Uint8Array) => {
    heard += text;
    return true;
  };
  return {
    text: () => heard,
    end: () => {
      stream.write = write;
    },
  };
}
