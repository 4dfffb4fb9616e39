// CSV as in RFC 4180, with any delimiter: quoted fields may hold commas, line breaks and doubled quotes. As in Python's reader, two rules are
// relaxed: lines may end in LF alone, and a quote inside an unquoted field is an ordinary character.

import { FileError } from '../checks/index.js';
import { delimiterName } from './delimiters.js';
import type { TextEncoding } from './encodings.js';
import { countFeeds, longestLine, readLineBatches, tooLong } from './lines.js';
import { mostColumns, type TableRecord } from './record.js';

/** Yields the records of a CSV file, header included. The delimiter may depend on the first line. */
export async function* readCsvRecords(
  path: string,
  delimiterOf: (firstLine: string) => string,
  encoding?: TextEncoding,
): AsyncGenerator<TableRecord> {
  let parser: ReturnType<typeof makeParser> | undefined;
  for await (const { first, text } of readLineBatches(path, encoding)) {
    parser ??= makeParser(path, delimiterOf(text.split('\n', 1)[0] as string));
    yield* parser.feed(text, first);
  }
  parser?.finish();
}

function makeParser(path: string, delimiter: string) {
  const record = makeRecord(path);
  let opened = 0; // line of the opening quote while a quoted field is open, otherwise 0
  let field = ''; // the part of that field that earlier lines held

  /** Reads the unquoted field that begins at `at`. */
  function plainField({ text, nextDelimiter, nextFeed }: Lines, at: number): Step {
    const end = Math.min(nextDelimiter(at), nextFeed(at));
    const isLast = text[end] !== delimiter;
    record.add(isLast && text[end - 1] === '\r' && end > at ? text.slice(at, end - 1) : text.slice(at, end));
    return { at: end + 1, feeds: 0, isLast };
  }

  /** Reads the quoted field that begins or continues at `at`; undefined if it continues after these lines. */
  function quotedField({ text }: Lines, at: number, line: number): Step | undefined {
    const from = opened > 0 ? at : at + 1;
    if (opened === 0) opened = line;
    const close = closingQuote(text, from);
    const to = close === -1 ? text.length : close;
    field += text.slice(from, to).replaceAll('""', '"');
    if (record.size() + field.length > longestLine)
      throw tooLong(path, opened, 'the quoted field (is its last quote missing?)');
    if (close === -1) {
      field += '\n';
      return undefined;
    }
    record.add(field);
    [field, opened] = ['', 0];
    const feeds = countFeeds(text, from, to);
    const end = close + (text[close + 1] === '\r' && /^\n?$/.test(text[close + 2] ?? '') ? 2 : 1);
    const mark = text[end];
    if (mark !== delimiter && mark !== undefined && mark !== '\n')
      throw afterQuote(path, line + feeds, delimiter, mark);
    return { at: end + 1, feeds, isLast: mark !== delimiter };
  }

  /** Yields the records that end within these whole lines. */
  function* feed(text: string, first: number): Generator<TableRecord> {
    const lines = { text, nextDelimiter: finder(text, delimiter), nextFeed: finder(text, '\n') };
    let line = first;
    for (let at = 0; at <= text.length; ) {
      if (opened === 0) record.beginAt(line);
      const isQuoted = opened > 0 || text[at] === '"';
      const step = isQuoted ? quotedField(lines, at, line) : plainField(lines, at);
      if (step === undefined) return;
      at = step.at;
      line += step.feeds;
      if (!step.isLast) continue;
      yield record.take();
      line += 1;
    }
  }

  function finish(): void {
    if (opened > 0)
      throw new FileError(
        `${path}: line ${opened}: a quote is opened and never closed; close it, or double the quotes inside the field`,
      );
  }

  return { feed, finish };
}

/** Whole lines, with functions that find the next delimiter and line feed. */
interface Lines {
  readonly text: string;
  readonly nextDelimiter: (from: number) => number;
  readonly nextFeed: (from: number) => number;
}

interface Step {
  /** Where the next field begins. */
  readonly at: number;
  /** Line feeds within the field. */
  readonly feeds: number;
  readonly isLast: boolean;
}

/** Collects the fields of the current record. */
function makeRecord(path: string) {
  let cells: string[] = [];
  let size = 0;
  let start = 1;
  return {
    size: () => size,
    /** Notes the line of the first field. */
    beginAt: (line: number) => {
      if (cells.length === 0) start = line;
    },
    add: (cell: string) => {
      cells.push(cell);
      size += cell.length;
      if (size > longestLine) throw tooLong(path, start, 'the row');
      if (cells.length > mostColumns)
        throw new FileError(`${path}: line ${start}: expected at most ${mostColumns} columns, got more`);
    },
    take: (): TableRecord => {
      const record = { line: start, cells };
      [cells, size] = [[], 0];
      return record;
    },
  };
}

/** A function that finds the next occurrence at or after a position, for positions that only rise; the text's length if none. */
function finder(text: string, character: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = text.indexOf(character, from);
    if (found === -1) found = text.length;
    return found;
  };
}

/** The position of the first quote that is not doubled, or -1. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}

const afterQuote = (path: string, line: number, delimiter: string, mark: string) =>
  new FileError(
    `${path}: line ${line}: expected ${delimiterName(delimiter)} after a closing quote, got ${JSON.stringify(mark)}; double the quotes inside quoted fields`,
  );
