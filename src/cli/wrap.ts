// Text that fits a terminal of 80 columns.

/** Columns that every terminal has. */
export const WIDTH = 80;

/** Breaks text into lines of at most this many characters. Longer words, such as paths, stay whole so that they can be copied. */
export function wrap(text: string, width = WIDTH): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Puts a text beside the beginning of a line, with its further lines indented below its first. */
export const hang = (beginning: string, text: string, width = WIDTH): string[] =>
  wrap(text, width - beginning.length).map(
    (line, place) => `${place === 0 ? beginning : ' '.repeat(beginning.length)}${line}`,
  );

/** A paragraph: the first text at the margin, each of the others indented below it. */
export const paragraph = (first: string, ...rest: readonly string[]): string =>
  [
    ...wrap(first),
    ...rest.flatMap((text) => wrap(text, WIDTH - 4).map((line, i) => `${i === 0 ? '  ' : '    '}${line}`)),
  ].join('\n');
