// Which columns hold the text, the label and the group: those the options name, otherwise those with usual names.

import { ArgumentError, FileError, type OptionWord, option, say } from '../checks/index.js';

/** A column by its name, or by its number counted from 0. */
export type ColumnChoice = string | number;

/** Which columns of a table are read. */
export interface ColumnOptions {
  /** The column of texts. Default: the first with a usual name (text, sentence, review, …). */
  readonly textColumn?: ColumnChoice | undefined;
  /** The column of labels. Default: the first with a usual name (label, class, sentiment, …), or no labels. */
  readonly labelColumn?: ColumnChoice | undefined;
  /** The column of groups (a user, a mail thread). Default: none, and none is guessed. Examples with the same value here stay on one side of a split. */
  readonly groupColumn?: ColumnChoice | undefined;
}

/** The columns found, by number from 0. */
export interface Columns {
  readonly text: number;
  readonly label: number | undefined;
  readonly group: number | undefined;
}

const roles = ['text', 'label', 'group'] as const;
type Role = (typeof roles)[number];

const usualNames: Readonly<Record<Role, readonly string[]>> = {
  text: ['text', 'sentence', 'review', 'document', 'content', 'message', 'comment', 'tweet', 'body'],
  label: ['label', 'labels', 'class', 'category', 'target', 'sentiment', 'polarity', 'intent'],
  group: [],
};

const optionOf = (role: Role): OptionWord => option(`${role}Column`);

const plain = (name: string) => name.trim().toLowerCase();
const choicesIn = (options: ColumnOptions): (ColumnChoice | undefined)[] =>
  roles.map((role) => options[`${role}Column`]);

/** Throws on a column number that is negative or not whole. */
export function checkColumnOptions(options: ColumnOptions): void {
  for (const choice of choicesIn(options)) {
    if (typeof choice !== 'number' || (Number.isSafeInteger(choice) && choice >= 0)) continue;
    throw new ArgumentError(`invalid column: expected a name or a whole number >= 0, got ${choice}`);
  }
}

/** Whether columns are chosen by number, so that a header is not needed. */
export const areNumbered = (options: ColumnOptions): boolean => typeof options.textColumn === 'number';

/** Whether these cells are column names rather than a row of data. */
export function looksLikeHeader(cells: readonly string[], options: ColumnOptions): boolean {
  const known = new Set([...usualNames.text, ...usualNames.label, ...choicesIn(options)]);
  return cells.some((cell) => known.has(cell) || known.has(plain(cell)));
}

/** Finds columns by name: exact first, then without case and outer spaces. */
export function findNamed(path: string, names: readonly string[], options: ColumnOptions): Columns {
  const found = `the columns ${names.slice(0, 20).map((name) => JSON.stringify(name.slice(0, 80)))}`;
  const indexOf = (role: Role): number | undefined => {
    const choice = options[`${role}Column`];
    if (typeof choice === 'number') return checkNumber(path, role, choice, names.length);
    const wanted = choice === undefined ? usualNames[role] : [choice];
    for (const name of wanted) {
      const same = names.flatMap((other, index) => (other.trim() === name ? [index] : []));
      const alike =
        same.length > 0 ? same : names.flatMap((other, index) => (plain(other) === plain(name) ? [index] : []));
      if (alike.length > 1)
        throw new FileError(
          say`${path}: ${alike.length} columns are called ${name}; set ${optionOf(role)} to a number`,
        );
      if (alike.length === 1) return alike[0];
    }
    if (choice !== undefined)
      throw new FileError(
        say`${path}: no column ${JSON.stringify(choice)}, got ${found}; set ${optionOf(role)} to one of them`,
      );
    return undefined;
  };
  const text = indexOf('text');
  if (text === undefined) {
    throw new FileError(say`${path}: expected a column of texts, got ${found}; set ${optionOf('text')} to one of them`);
  }
  return { text, label: indexOf('label'), group: indexOf('group') };
}

/** Finds columns without a header: by number, or a single column of texts, or CoLA's four (source, 0 or 1, mark, sentence). */
export function findNumbered(path: string, cells: readonly string[], options: ColumnOptions): Columns {
  const indexOf = (role: Role): number | undefined => {
    const choice = options[`${role}Column`];
    if (typeof choice === 'number') return checkNumber(path, role, choice, cells.length);
    if (choice === undefined) return undefined;
    throw new FileError(
      say`${path}: no header with a column ${JSON.stringify(choice)}; set ${optionOf(role)} to a number`,
    );
  };
  const given = { text: indexOf('text'), label: indexOf('label'), group: indexOf('group') };
  if (given.text !== undefined) return { ...given, text: given.text };
  if (cells.length === 1) return { ...given, text: 0 };
  if (cells.length === 4 && /^[01]$/.test(cells[1] as string) && /^\*?$/.test(cells[2] as string)) {
    return { ...given, text: 3, label: given.label ?? 1 };
  }
  const row = cells.slice(0, 20).map((cell, index) => `${index}: ${JSON.stringify(cell.slice(0, 40))}`);
  throw new FileError(
    say`${path}: no header, and it is not clear which column is the text, got ${row.join(', ')}; set ${optionOf('text')} and ${optionOf('label')} to numbers`,
  );
}

function checkNumber(path: string, role: Role, choice: number, count: number): number {
  if (choice < count) return choice;
  throw new FileError(
    say`${path}: no column ${choice}, got ${count} columns (counted from 0); set ${optionOf(role)} to one of them`,
  );
}
