// What separates the columns of a table.

import { ArgumentError, option, say } from '../checks/index.js';
import { areNumbered, type ColumnOptions, looksLikeHeader } from './columns.js';

/** The delimiters that a header is searched for, the usual one first. */
const usual = [',', ';', '\t', '|'] as const;

const names: Readonly<Record<string, string>> = { ',': 'a comma', ';': 'a semicolon', '\t': 'a tab' };

/** A delimiter in words. */
export const delimiterName = (delimiter: string): string => names[delimiter] ?? JSON.stringify(delimiter);

/** The character that was asked for; throws on one that cannot separate columns. */
export function readDelimiter(delimiter: string | undefined): string | undefined {
  const character = delimiter === 'tab' || delimiter === '\\t' ? '\t' : delimiter;
  if (character === undefined || (/^.$/s.test(character) && !/["\r\n]/.test(character))) return character;
  throw new ArgumentError(
    say`invalid ${option('delimiter')}: expected one character such as ; or |, or tab, got ${JSON.stringify(delimiter)}`,
  );
}

/**
 * The delimiter of a CSV file by its first line: the one by which the line holds a usual column name or a chosen one; without a
 * header, one by which there are as many columns as were chosen; in a header without commas, one that occurs. Otherwise a comma.
 */
export function guessDelimiter(
  line: string,
  options: ColumnOptions & { readonly header?: boolean | undefined },
): string {
  const { header, textColumn, labelColumn, groupColumn } = options;
  const last = Math.max(...[textColumn, labelColumn, groupColumn].map((one) => (typeof one === 'number' ? one : 0)));
  const named = (delimiter: string) => header !== false && looksLikeHeader(splitHeader(line, delimiter), options);
  const reaches = (delimiter: string) => last > 0 && splitHeader(line, delimiter).length > last;
  const isHeader = header ?? !areNumbered(options);
  const occurs = (delimiter: string) => isHeader && line.includes(delimiter);
  return usual.find(named) ?? usual.find(reaches) ?? usual.find(occurs) ?? ',';
}

const splitHeader = (line: string, delimiter: string): string[] =>
  line
    .replace(/\r$/, '')
    .split(delimiter)
    .map((cell) => cell.replace(/^"(.*)"$/s, '$1'));
