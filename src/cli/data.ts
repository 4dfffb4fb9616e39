// `epsilens data D`: shows what is in a data set, and makes recorded splits of it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import {
  type DataSet,
  type DataSummary,
  type Example,
  type LengthQuantiles,
  openTokenizer,
  type PartSummary,
  paperSplit,
  pick,
  splitShares,
  splitWays,
  summarize,
  type Tokenizer,
  undersample,
} from '../data/index.js';
import { bundledModel } from '../models/index.js';
import { writePrivate, writePrivateJson } from '../platform/index.js';
import { seededSource } from '../random/index.js';
import { type Command, wholeNumber } from './command.js';
import { addDataFlags, type DataFlags, dataForms, loadData } from './data-options.js';
import { refuseIgnored } from './flag-rules.js';
import { progressLine } from './progress.js';

interface DataCommandFlags extends DataFlags {
  readonly tokenizer: string;
  readonly split?: string;
  readonly seed: number;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addData(program: Command): void {
  const command = program
    .command('data')
    .description('show rows, classes, lengths and duplicates of a data set, and make recorded splits of it')
    .argument('<data>', dataForms)
    .option('--tokenizer <model>', 'model whose tokens are counted: a folder or a bundled model', 'bundled:bert-mini')
    .option('--split <kind>', 'split into shares such as 90/10, 11-way, balanced (equal classes), or calibration-paper')
    .option('--seed <number>', 'with --split: seed of the split', wholeNumber(0), 1)
    .option('--out <folder>', 'with --split: write each split as JSON lines, and its record as split.json')
    .option('--group-column <column>', 'with --split: column of the group (a user, a thread) whose rows stay together');
  refuseIgnored(command, [{ flags: ['--seed', '--out', '--group-column'], with: ['--split'] }]);
  addDataFlags(command)
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (source: string, flags: DataCommandFlags) => {
      const progress = progressLine((flags.quiet || flags.json) ?? false);
      try {
        progress.show(`reading ${source} …`);
        const dataSet = await loadData(source, flags);
        const tokenizer = await findTokenizer(flags.tokenizer);
        progress.show('counting tokens …');
        const summary = summarize(dataSet, (text) => tokenizer.encode(text).length);
        const split = flags.split === undefined ? undefined : makeSplit(dataSet, flags.split, flags.seed);
        if (split !== undefined && flags.out !== undefined) await writeSplit(flags.out, split, dataSet);
        progress.end();
        const document = { ...summary, tokenizer: flags.tokenizer, ...(split && { split: split.record }) };
        process.stdout.write(
          flags.json ? `${JSON.stringify(document, null, 2)}\n` : describe(summary, flags.tokenizer, split, flags.out),
        );
      } finally {
        progress.end();
      }
    });
}

const findTokenizer = (source: string): Promise<Tokenizer> =>
  openTokenizer(source.startsWith('bundled:') ? bundledModel(source) : source);

interface MadeSplit {
  readonly record: unknown;
  readonly parts: readonly { readonly name: string; readonly examples: readonly Example[] }[];
}

function makeSplit(dataSet: DataSet, kind: string, seed: number): MadeSplit {
  const source = seededSource(seed);
  if (kind === 'calibration-paper') {
    const { record, dataSet: made } = paperSplit(dataSet, source);
    const parts = Object.entries(made.splits).map(([name, examples]) => ({ name, examples }));
    return { record, parts };
  }
  const { train } = dataSet.splits;
  if (train === undefined) throw new ArgumentError(`${dataSet.name}: expected a split train to divide, got none`);
  const ways = /^(\d+)-way$/.exec(kind);
  const isShares = /^\d+(\.\d+)?(\/\d+(\.\d+)?)+$/.test(kind);
  if (kind !== 'balanced' && ways === null && !isShares) {
    throw new ArgumentError(
      `invalid split: expected shares such as 90/10, 11-way, balanced or calibration-paper, got ${kind}`,
    );
  }
  const shares = kind.split('/').map((share) => Number(share) / 100);
  const split = isShares
    ? splitShares(train, shares, source)
    : ways === null
      ? undersample(train, source)
      : splitWays(train, Number(ways[1]), source);
  return {
    record: split.record,
    parts: split.parts.map((indices, index) => ({ name: `part-${index + 1}`, examples: pick(train, indices) })),
  };
}

async function writeSplit(folder: string, split: MadeSplit, { classes }: DataSet): Promise<void> {
  const record = join(folder, 'split.json');
  if (existsSync(record)) throw new ArgumentError(`${folder} already holds a split: choose another folder`);
  for (const { name, examples } of split.parts) {
    const lines = examples.map(({ text, label, group }) =>
      JSON.stringify({
        text,
        ...(label !== undefined && { label: classes[label] }),
        ...(group !== undefined && { group }),
      }),
    );
    await writePrivate(join(folder, `${name}.jsonl`), lines.map((line) => `${line}\n`).join(''));
  }
  // Written last, so that a folder with a record is complete.
  await writePrivateJson(record, split.record);
}

function describe(
  { name, classes, parts }: DataSummary,
  tokenizer: string,
  split: MadeSplit | undefined,
  out: string | undefined,
): string {
  const lines = [`${name}: ${classes.length === 0 ? 'no labels' : `classes ${classes.join(', ')}`}`, ''];
  for (const [part, summary] of Object.entries(parts)) lines.push(...describePart(part, summary, classes));
  lines.push(`Tokens are those of ${tokenizer}, special ones included.`);
  if (split !== undefined) {
    lines.push('', `split   ${split.parts.map((part) => `${part.name} ${whole(part.examples.length)}`).join(', ')}`);
    lines.push(
      out === undefined
        ? '        not written: give --out FOLDER'
        : `        written to ${out}, recorded in split.json`,
    );
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function describePart(part: string, summary: PartSummary, classes: readonly string[]): string[] {
  const { rows, rowsPerClass, unlabelled, skipped, repeated, alsoIn, tokens, characters } = summary;
  const counts = classes.map((name, label) => `${name} ${whole(rowsPerClass[label] ?? 0)}`);
  if (unlabelled > 0) counts.push(`without label ${whole(unlabelled)}`);
  const shared = Object.entries(alsoIn).flatMap(([other, count]) =>
    count > 0 ? [`${whole(count)} also in ${other}`] : [],
  );
  return [
    `${part}   ${whole(rows)} rows${counts.length > 0 ? ` (${counts.join(', ')})` : ''}${skipped > 0 ? `, ${whole(skipped)} without text left out` : ''}`,
    `  ${''.padEnd(12)}${['min', '5 %', '25 %', '50 %', '75 %', '95 %', '99 %', 'max'].map((text) => text.padStart(7)).join('')}`,
    ...(tokens ? [quantileRow('tokens', tokens)] : []),
    quantileRow('characters', characters),
    `  repeated    ${[`${whole(repeated)} rows repeat an earlier one`, ...shared].join('; ')}`,
    '',
  ];
}

const quantileRow = (name: string, quantiles: LengthQuantiles): string =>
  `  ${name.padEnd(12)}${[0, 5, 25, 50, 75, 95, 99, 100].map((percent) => whole(quantiles[percent as 0]).padStart(7)).join('')}`;

const whole = (number: number): string => number.toLocaleString('en');
