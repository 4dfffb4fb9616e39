// Plain text for language models: one example per paragraph, or one per line.

import { longestLine, readLineBatches, tooLong } from './lines.js';
import type { RawReader } from './record.js';

export const readTextFile: RawReader = async function* (path, { textBy = 'paragraphs', encoding }) {
  let paragraph: string[] = [];
  let start = 0;
  let size = 0;
  const take = () => {
    const row = { line: start, text: paragraph.join(' '), label: undefined, group: undefined };
    paragraph = [];
    return row;
  };
  for await (const { first, text } of readLineBatches(path, encoding)) {
    for (const [index, whole] of text.split('\n').entries()) {
      const line = whole.trim();
      if (paragraph.length === 0) {
        start = first + index;
        size = 0;
      }
      if (line !== '' || textBy === 'lines') {
        paragraph.push(line);
        size += line.length + 1;
      }
      if (size > longestLine + 1) throw tooLong(path, start, 'the paragraph');
      if (paragraph.length > 0 && (line === '' || textBy === 'lines')) yield take();
    }
  }
  if (paragraph.length > 0) yield take();
};
