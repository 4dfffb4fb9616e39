// `epsilens verify`: does a saved model promise what the ledger of its run gives?

import { type ModelVerification, type Verification, verifyModels } from '../api/index.js';
import { type Guarantee, writeNumber } from '../privacy/index.js';
import type { Command } from './command.js';
import { addExamples } from './examples.js';
import { wrap } from './wrap.js';

interface VerifyFlags {
  readonly ledger?: string;
  readonly json?: boolean;
}

export function addVerify(program: Command): void {
  const command = program
    .command('verify')
    .description('compute ε again from the ledger of a run, and compare it with what its saved model states')
    .argument('<model...>', 'folders of saved models, such as OUT/model of train')
    .option('--ledger <file>', 'the ledger of the one model given (default: ledger.jsonl beside its folder)')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line (there is none)')
    .addHelpText(
      'after',
      '\nExit code 0 means that every model is confirmed and that no two of them are of\none run; 1 means that something is not.',
    );
  addExamples(
    command,
    'epsilens verify OUT/model',
    'epsilens verify OUT/model COPY/model    # two models of one run?',
    'epsilens verify released --ledger OUT/ledger.jsonl',
  );
  command.action(async (models: string[], { ledger, json }: VerifyFlags) => {
    const found = await verifyModels(models, ledger === undefined ? {} : { ledger });
    process.stdout.write(json ? `${JSON.stringify(found, null, 2)}\n` : describeVerification(found));
    if (!found.confirmed) process.exitCode = 1;
  });
}

/** The result as text, one paragraph per model. */
export function describeVerification({ models, oneRun, sameData }: Verification): string {
  const paragraphs = [
    ...models.map(describeModel),
    ...oneRun.map(({ run, models: names, together }) =>
      lines(
        `${names.join(' and ')} are different models of one run (${run}).`,
        together
          ? `Whoever sees all of them has ${inNumbers(together)}.`
          : 'Whoever sees all of them has more than each states; the ledgers of that run are needed to say how much.',
      ),
    ),
    ...sameData.map(({ models: names, together }) =>
      lines(
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
  return lines(
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

/** The first text at the margin, the others indented. */
const lines = (first: string, ...rest: readonly string[]): string =>
  [
    ...wrap(first),
    ...rest.flatMap((text) => wrap(text, 76).map((line, i) => `${i === 0 ? '  ' : '    '}${line}`)),
  ].join('\n');
