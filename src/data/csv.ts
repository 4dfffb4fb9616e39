// CSV as in RFC 4180: fields in quotes may hold commas, line breaks and doubled quotes. Two things are read more
// kindly, as Python reads them: lines may end in LF alone, and a quote inside an unquoted field is a character.

import { FileError } from '../checks/index.js';
import { countFeeds, longestLine, readLineBatches, tooLong } from './lines.js';
import { mostColumns, type TableRecord } from './record.js';

export async function* readCsvRecords(path: string): AsyncGenerator<TableRecord> {
  const parser = makeParser(path);
  for await (const { first, text } of readLineBatches(path)) yield* parser.feed(text, first);
  parser.finish();
}

function makeParser(path: string) {
  let cells: string[] = [];
  let size = 0;
  let start = 1; // the line on which the record began
  let opened = 0; // the line with the quote that is open, 0 when none is
  let field = ''; // what that quote holds from the lines before

  function add(cell: string): void {
    cells.push(cell);
    size += cell.length;
    if (size > longestLine) throw tooLong(path, start, 'the row');
    if (cells.length > mostColumns)
      throw new FileError(`${path}: line ${start}: expected at most ${mostColumns} columns, got more`);
  }

  function take(): TableRecord {
    const record = { line: start, cells };
    cells = [];
    size = 0;
    return record;
  }

  /** Records that end in these whole lines. */
  function* feed(text: string, first: number): Generator<TableRecord> {
    const nextComma = finder(text, ',');
    const nextFeed = finder(text, '\n');
    let line = first;
    for (let at = 0; at <= text.length; ) {
      if (cells.length === 0 && opened === 0) start = line;
      const isOpened = opened > 0;
      if (!isOpened && text[at] !== '"') {
        const end = Math.min(nextComma(at), nextFeed(at));
        const isLast = text[end] !== ',';
        add(isLast && text[end - 1] === '\r' && end > at ? text.slice(at, end - 1) : text.slice(at, end));
        at = end + 1;
        if (!isLast) continue;
      } else {
        const from = isOpened ? at : at + 1;
        if (!isOpened) opened = line;
        const close = closingQuote(text, from);
        const to = close === -1 ? text.length : close;
        field += text.slice(from, to).replaceAll('""', '"');
        if (size + field.length > longestLine)
          throw tooLong(path, opened, 'the quoted field (is its last quote missing?)');
        line += countFeeds(text, from, to);
        if (close === -1) {
          field += '\n';
          return;
        }
        add(field);
        field = '';
        opened = 0;
        at = close + (text[close + 1] === '\r' && /^\n?$/.test(text[close + 2] ?? '') ? 2 : 1);
        const mark = text[at];
        at += 1;
        if (mark === ',') continue;
        if (mark !== undefined && mark !== '\n') throw afterQuote(path, line, mark);
      }
      yield take();
      line += 1;
    }
  }

  function finish(): void {
    if (opened > 0) throw new FileError(`${path}: line ${opened}: a quote is opened and never closed`);
  }

  return { feed, finish };
}

/** Where a character comes next at or after a place, for places that only rise; the text's length if it does not. */
function finder(text: string, character: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = text.indexOf(character, from);
    if (found === -1) found = text.length;
    return found;
  };
}

/** The first quote that is not doubled. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}

const afterQuote = (path: string, line: number, mark: string) =>
  new FileError(
    `${path}: line ${line}: expected a comma after a closing quote, got ${JSON.stringify(mark)}; double the quotes inside quoted fields`,
  );
