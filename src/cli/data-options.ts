// Flags by which commands read a data set.

import { type DataSet, type LoadOptions, loadDataSet, textEncodings } from '../data/index.js';
import type { Command } from './command.js';

export interface DataFlags {
  readonly format?: string;
  readonly textColumn?: string;
  readonly labelColumn?: string;
  readonly groupColumn?: string;
  readonly header?: boolean;
  readonly classes?: string;
  readonly skipEmpty?: boolean;
  readonly textBy?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
}

export const dataForms =
  'a folder or file (GLUE TSV, CSV, JSONL, Parquet, text; gzip of any; IMDb folder), bundled:mail, or hf:owner/name[:config][@revision]';

/** The flags of `addColumnFlags`, which apply only where a file is read. */
export const columnFlagNames = [
  '--format',
  '--text-column',
  '--label-column',
  '--header',
  '--no-header',
  '--skip-empty',
  '--text-by',
  '--delimiter',
  '--encoding',
] as const;

/** The flags of `addDataFlags`, which apply only where a data set is read. */
export const dataFlagNames = [...columnFlagNames, '--classes'] as const;

export const encodingHelp = `${textEncodings.join(', ')} (default: utf-8, or utf-16 with its byte-order mark)`;

/** The flags by which a command names the columns of one file. */
export function addColumnFlags(command: Command, textBy: 'paragraphs' | 'lines' = 'paragraphs'): Command {
  return command
    .option('--format <name>', 'tsv, csv, jsonl, parquet or text, if the file name does not show it')
    .option('--text-column <column>', 'column of the text, by name or number from 0')
    .option('--label-column <column>', 'column of the label, by name or number from 0')
    .option('--header', 'the first line names the columns')
    .option('--no-header', 'the first line is data')
    .option('--skip-empty', 'skip rows without text')
    .option('--text-by <unit>', `in text files, an example is one of: paragraphs, lines (default: ${textBy})`)
    .option(
      '--delimiter <character>',
      'in CSV files, what separates columns, such as ";" or tab, if the header does not show it',
    )
    .option('--encoding <name>', encodingHelp);
}

/** The flags by which a command names a whole data set. */
export const addDataFlags = (command: Command): Command =>
  addColumnFlags(command).option('--classes <names>', 'class names in the order of their labels, separated by commas');

/** The flag by which a command keeps the rows of one user together when it holds some out. */
export const addGroupFlag = (command: Command, note = ''): Command =>
  command.option(
    '--group-column <column>',
    `column of the group (a user, a thread) whose rows stay together in splits${note}`,
  );

export const loadData = (source: string, flags: DataFlags): Promise<DataSet> => loadDataSet(source, dataOptions(flags));

/** The flags as options of the library. */
export function dataOptions(flags: DataFlags): LoadOptions {
  const { format, textColumn, labelColumn, groupColumn, header, classes, skipEmpty } = flags;
  const { textBy, delimiter, encoding } = flags;
  const options = {
    format,
    textColumn: column(textColumn),
    labelColumn: column(labelColumn),
    groupColumn: column(groupColumn),
    header,
    classes: classes?.split(',').map((name) => name.trim()),
    skipEmpty,
    textBy,
    delimiter,
    encoding,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as LoadOptions;
}

/** `3` is a place, `text` a name. */
const column = (text: string | undefined): string | number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
