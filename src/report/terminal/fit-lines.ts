// Breaks text from results into lines that fit, whatever is in it.

import { safeText } from '../safe-text.js';

/** Lines of at most this many characters; longer words are cut, and what could act on the terminal is shown as a mark. */
export function fitLines(text: string, width: number): string[] {
  const lines: string[] = [];
  const words = safeText(text)
    .split(/[ \n\t]/)
    .flatMap((word) => word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? []);
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
