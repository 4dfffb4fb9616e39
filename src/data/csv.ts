// CSV as in RFC 4180: fields in quotes may hold commas, line breaks and doubled quotes. Two things are read more
// kindly, as Python reads them: lines may end in LF alone, and a quote inside an unquoted field is a character.

import { FileError } from '../math/index.js';
import { longestLine, readLineBatches, tooLong } from './lines.js';
import type { TableRecord } from './record.js';

export async function* readCsvRecords(path: string): AsyncGenerator<TableRecord> {
  const parser = makeParser(path);
  for await (const { first, lines } of readLineBatches(path)) {
    for (const [index, line] of lines.entries()) {
      const record = parser.feed(line, first + index);
      if (record) yield record;
    }
  }
  parser.finish();
}

function makeParser(path: string) {
  let cells: string[] = [];
  let start = 0; // the line the record began on
  let opened = 0; // the line the open quote is on, 0 when none is
  let field = ''; // what the open quote holds so far
  let size = 0;

  /** The record that ends with this line, if one does. */
  function feed(line: string, number: number): TableRecord | undefined {
    let at = 0;
    if (opened > 0) {
      field += '\n';
      size += 1;
    } else {
      start = number;
      size = 0;
    }
    size += line.length;
    if (size > longestLine) throw tooLong(path, opened || start, opened > 0 ? 'the quoted field (is its last quote missing?)' : 'the row');
    for (;;) {
      if (opened === 0 && line[at] !== '"') {
        const comma = line.indexOf(',', at);
        cells.push(comma === -1 ? line.slice(at).replace(/\r$/, '') : line.slice(at, comma));
        if (comma === -1) return take();
        at = comma + 1;
        continue;
      }
      if (opened === 0) {
        opened = number;
        at += 1;
      }
      at = passQuoted(line, at);
      if (at === -1) return undefined;
      const rest = line[at];
      const atEnd = rest === undefined || (rest === '\r' && at === line.length - 1);
      if (!atEnd && rest !== ',') {
        throw new FileError(`${path}: line ${number}: expected a comma after a closing quote, got ${JSON.stringify(rest)}; double the quotes inside quoted fields`);
      }
      cells.push(field);
      field = '';
      opened = 0;
      if (atEnd) return take();
      at += 1;
    }
  }

  /** Adds to the field up to its closing quote and gives the place after it, or -1 if it goes on in the next line. */
  function passQuoted(line: string, from: number): number {
    for (let at = from; ; ) {
      const quote = line.indexOf('"', at);
      if (quote === -1) {
        field += line.slice(at);
        return -1;
      }
      if (line[quote + 1] !== '"') {
        field += line.slice(at, quote);
        return quote + 1;
      }
      field += line.slice(at, quote + 1);
      at = quote + 2;
    }
  }

  function take(): TableRecord {
    const record = { line: start, cells };
    cells = [];
    return record;
  }

  function finish(): void {
    if (opened > 0) throw new FileError(`${path}: line ${opened}: a quote is opened and never closed`);
  }

  return { feed, finish };
}
