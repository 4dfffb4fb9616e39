// `epsilens verify`: does a saved model promise what the ledger of its run gives, and does a statement say what its study measured?

import {
  findStatements,
  isStatementPath,
  type ModelVerification,
  type StatementVerification,
  type Verification,
  verifyModels,
  verifyStatement,
} from '../api/index.js';
import { ArgumentError } from '../checks/index.js';
import { type Guarantee, writeNumber } from '../privacy/index.js';
import type { Command } from './command.js';
import { addExamples } from './examples.js';
import { describeStatement } from './verify-statement-text.js';
import { paragraph } from './wrap.js';

interface VerifyFlags {
  readonly ledger?: string;
  readonly folder?: string;
  readonly json?: boolean;
}

export function addVerify(program: Command): void {
  const command = program
    .command('verify')
    .description('compute again what a saved model or the statement of a study says, and compare')
    .argument(
      '<path...>',
      'folders of saved models, such as OUT/model of train; statements of studies, or folders of studies',
    )
    .option('--ledger <file>', 'the ledger of the one model given (default: ledger.jsonl beside its folder)')
    .option('--folder <folder>', 'the folder of the study of the statements given (default: that of each statement)')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line (there is none)')
    .addHelpText(
      'after',
      '\nExit code 0 means that every model and statement is confirmed and that no two\nmodels are of one run; 1 means that something is not.',
    );
  addExamples(
    command,
    'epsilens verify OUT/model',
    'epsilens verify OUT/model COPY/model    # two models of one run?',
    'epsilens verify out/quick/statement.json',
  );
  command.action(verify);
}

async function verify(paths: string[], { ledger, folder, json }: VerifyFlags): Promise<void> {
  const models = paths.filter((path) => !isStatementPath(path));
  const given = paths.filter(isStatementPath);
  if (ledger !== undefined && models.length === 0) {
    throw new ArgumentError('--ledger belongs to a saved model, got only statements of studies: leave it out');
  }
  if (folder !== undefined && given.length === 0) {
    throw new ArgumentError('--folder belongs to statements of studies, got only saved models: leave it out');
  }
  const found = models.length === 0 ? undefined : await verifyModels(models, ledger === undefined ? {} : { ledger });
  const statements: StatementVerification[] = [];
  for (const path of given) {
    for (const file of await findStatements(path)) {
      statements.push(await verifyStatement(file, folder === undefined ? {} : { folder }));
    }
  }
  const confirmed = (found?.confirmed ?? true) && statements.every(({ status }) => status === 'confirmed');
  const text = [...(found ? [describeVerification(found)] : []), ...statements.map(describeStatement)].join('\n');
  const document = { ...found, ...(given.length > 0 && { statements }), confirmed };
  process.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
  if (!confirmed) process.exitCode = 1;
}

/** The result as text, one paragraph per model. */
export function describeVerification({ models, oneRun, sameData }: Verification): string {
  const paragraphs = [
    ...models.map(describeModel),
    ...oneRun.map(({ run, models: names, together }) =>
      paragraph(
        `${names.join(' and ')} are different models of one run (${run}).`,
        together
          ? `Whoever sees all of them has ${inNumbers(together)}.`
          : 'Whoever sees all of them has more than each states; the ledgers of that run are needed to say how much.',
      ),
    ),
    ...sameData.map(({ models: names, together }) =>
      paragraph(
        `${names.join(' and ')} are of different runs on the same data: their guarantees add up.`,
        ...(together
          ? [
              `Whoever sees all of them has at most ε = ${writeNumber(together.epsilon, 4, 'up')} with δ = ${writeNumber(together.delta, 4, 'up')}, by basic composition.`,
            ]
          : []),
      ),
    ),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

function describeModel({ model, status, findings, stated, counted }: ModelVerification): string {
  return paragraph(
    `${model}: ${status}`,
    ...(stated ? [`States ${inNumbers(stated)}.`] : []),
    ...(counted ? [`The ledger gives ${inNumbers(counted)}.`] : []),
    ...findings,
  );
}

const inNumbers = ({ epsilon, delta, neighbours, unit, accountant, bound }: Guarantee): string =>
  `ε = ${writeNumber(epsilon, 4, 'up')} with δ = ${writeNumber(delta, 4, 'up')} for ${
    neighbours === 'replace-one' ? 'replacing' : 'adding or removing'
  } one ${unit} (${accountant} accountant, ${bound === 'upper' ? 'upper bound' : bound})`;
