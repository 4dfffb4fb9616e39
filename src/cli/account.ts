// `epsilens account`: ε of DP-SGD by every accountant, or the noise for a target ε.

import { type AccountFlags, account, accountDocument } from './account-figures.js';
import { describeAccount } from './account-text.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { addExamples } from './examples.js';
import { refuseIgnored } from './flag-rules.js';
import { refuseRenamed, renamedFlags } from './renamed-flags.js';

export function addAccount(program: Command): void {
  const command = program
    .command('account')
    .description(
      'Epsilon of DP-SGD (Poisson batches, clipped sums, normal noise) by every accountant, or the noise for a target. ' +
        'Neighbours differ by adding or removing one example. Quote the pld number.',
    )
    .requiredOption(
      '--sample-rate <q>',
      'probability that an example is in a batch: batch size / examples',
      positiveNumber,
    )
    .option('--noise <multiplier>', 'noise multiplier: standard deviation of the noise / clip norm', positiveNumber)
    .option('--epsilon <epsilon>', 'find the least noise for this epsilon instead', positiveNumber)
    .requiredOption('--steps <count>', 'number of batches: epochs / sample rate', wholeNumber(1))
    .requiredOption('--delta <delta>', 'well below one over the number of examples', positiveNumber)
    .option('--accountant <name>', 'with --epsilon or --every: pld (tightest) or rdp (quick)', 'pld')
    .option('--orders <grid>', 'orders of the rdp accountant: default, or published (as in most papers)', 'default')
    .option(
      '--records <count>',
      'number of examples, for a warning if delta is not well below one over it',
      wholeNumber(1),
    )
    .option('--every <steps>', 'also print epsilon at intervals of this many steps', wholeNumber(1))
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line (there is none)')
    .action((flags: AccountFlags) => {
      const result = account(flags);
      process.stdout.write(
        flags.json ? `${JSON.stringify(accountDocument(flags, result), null, 2)}\n` : describeAccount(flags, result),
      );
    });
  addExamples(
    command,
    'epsilens account --sample-rate 0.0253 --steps 400 --delta 1e-5 --noise 1.91',
    'epsilens account --sample-rate 0.0253 --steps 400 --delta 1e-5 --epsilon 1',
  );
  refuseRenamed(command, renamedFlags.account);
  refuseIgnored(command, [{ flags: ['--accountant'], with: ['--epsilon', '--every'] }]);
}
