// `epsilens data D`: shows what is in a data set, and makes recorded splits of it.

import { ArgumentError } from '../checks/index.js';
import {
  type DataSummary,
  type LengthQuantiles,
  openTokenizer,
  type PartSummary,
  summarize,
  type Tokenizer,
} from '../data/index.js';
import { placeModel } from '../models/index.js';
import { isHubSource } from '../platform/index.js';
import { type Command, wholeNumber } from './command.js';
import { addDataFlags, type DataFlags, dataForms, loadData } from './data-options.js';
import { describeSplit, makeSplit, writeSplit } from './data-split.js';
import { downloadNamed } from './downloads.js';
import { addExamples } from './examples.js';
import { refuseIgnored } from './flag-rules.js';
import { progressLine } from './progress.js';
import { hang, wrap } from './wrap.js';

interface DataCommandFlags extends DataFlags {
  readonly tokenizer: string;
  readonly split?: string;
  readonly seed: number;
  readonly out?: string;
  readonly pull?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addData(program: Command): void {
  const command = program
    .command('data')
    .description('show rows, classes, lengths and duplicates of a data set, and make recorded splits of it')
    .argument('<data>', dataForms)
    .option(
      '--tokenizer <model>',
      'model whose tokens are counted: a folder, bundled:NAME or hf:owner/name',
      'bundled:bert-mini',
    )
    .option('--split <kind>', 'split into shares such as 90/10, 11-way, balanced (equal classes), or calibration-paper')
    .option('--seed <number>', 'with --split: seed of the split', wholeNumber(0), 1)
    .option(
      '--out <folder>',
      'with --split: write the splits as JSON lines to this folder, which other commands take as --data; the record is split.json',
    )
    .option('--group-column <column>', 'with --split: column of the group (a user, a thread) whose rows stay together');
  command.option('--pull', 'of a data set of the Hub: download its newest revision, which is used from then on');
  refuseIgnored(command, [{ flags: ['--seed', '--out', '--group-column'], with: ['--split'] }]);
  addDataFlags(command)
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (source: string, flags: DataCommandFlags) => {
      if (flags.pull && !isHubSource(source))
        throw new ArgumentError(`--pull: expected a data set of the Hub, got ${source}`);
      const progress = progressLine(flags.quiet ?? false);
      try {
        await downloadNamed({ model: flags.tokenizer, data: source, pull: flags.pull }, progress);
        progress.show(`reading ${source} …`);
        const dataSet = await loadData(source, flags);
        const tokenizer = await findTokenizer(flags.tokenizer);
        progress.show('counting tokens …');
        const all = Object.values(dataSet.splits).reduce((sum, { length }) => sum + length, 0);
        let counted = 0;
        const summary = summarize(dataSet, (text) => {
          counted++;
          progress.show(`counting tokens: ${whole(counted)} of ${whole(all)} texts`, { share: counted / all });
          return tokenizer.encode(text).length;
        });
        const split = flags.split === undefined ? undefined : makeSplit(dataSet, flags.split, flags.seed);
        if (split !== undefined && flags.out !== undefined) await writeSplit(flags.out, split, dataSet);
        progress.end();
        const document = { ...summary, tokenizer: flags.tokenizer, ...(split && { split: split.record }) };
        process.stdout.write(
          flags.json
            ? `${JSON.stringify(document, null, 2)}\n`
            : describe(summary, dataSet.columns, flags.tokenizer, split, flags.out),
        );
      } finally {
        progress.end();
      }
    });
  addExamples(
    command,
    'epsilens data bundled:mail',
    'epsilens data reviews.csv --text-column body --label-column stars',
    'epsilens data reviews.csv --split 90/10 --out reviews-split',
  );
}

const findTokenizer = async (source: string): Promise<Tokenizer> => openTokenizer((await placeModel(source)).folder);

function describe(
  { name, classes, parts }: DataSummary,
  columns: readonly string[] | undefined,
  tokenizer: string,
  split: ReturnType<typeof makeSplit> | undefined,
  out: string | undefined,
): string {
  const labels = classes.length === 0 ? `no labels${orColumn(columns)}` : `classes ${classes.join(', ')}`;
  const lines = [...wrap(`${name}: ${labels}`), ''];
  for (const [part, summary] of Object.entries(parts)) lines.push(...describePart(part, summary, classes));
  lines.push(...wrap(`Tokens are those of ${tokenizer}, special ones included.`));
  if (split !== undefined) lines.push('', ...describeSplit(split, out));
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Which columns might hold the labels that were not found. */
const orColumn = (columns: readonly string[] | undefined): string =>
  columns === undefined
    ? ''
    : `; if one of the columns ${columns.slice(0, 20).map((name) => JSON.stringify(name))} holds them, give --label-column`;

function describePart(part: string, summary: PartSummary, classes: readonly string[]): string[] {
  const { rows, rowsPerClass, unlabelled, skipped, repeated, alsoIn, tokens, characters } = summary;
  const counts = classes.map((name, label) => `${name} ${whole(rowsPerClass[label] ?? 0)}`);
  if (unlabelled > 0) counts.push(`without label ${whole(unlabelled)}`);
  const shared = Object.entries(alsoIn).flatMap(([other, count]) =>
    count > 0 ? [`${whole(count)} also in ${other}`] : [],
  );
  return [
    ...hang(
      `${part}   `,
      `${whole(rows)} rows${counts.length > 0 ? ` (${counts.join(', ')})` : ''}${skipped > 0 ? `, ${whole(skipped)} without text left out` : ''}`,
    ),
    `  ${''.padEnd(12)}${['min', '5 %', '25 %', '50 %', '75 %', '95 %', '99 %', 'max'].map((text) => text.padStart(7)).join('')}`,
    ...(tokens ? [quantileRow('tokens', tokens)] : []),
    quantileRow('characters', characters),
    ...hang('  repeated    ', [`${whole(repeated)} rows repeat an earlier one`, ...shared].join('; ')),
    '',
  ];
}

const quantileRow = (name: string, quantiles: LengthQuantiles): string =>
  `  ${name.padEnd(12)}${[0, 5, 25, 50, 75, 95, 99, 100].map((percent) => whole(quantiles[percent as 0]).padStart(7)).join('')}`;

const whole = (number: number): string => number.toLocaleString('en');
