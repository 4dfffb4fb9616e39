// Colours on the terminal.

/** Makes text bold or dim, or gives it the colour of the mechanism at this place of the study. */
export type Paint = (text: string, how: 'bold' | 'dim' | number) => string;

const codes = { bold: 1, dim: 2 } as const;
/** Colours by place: blue, yellow, green, magenta, cyan, red. */
const mechanismCodes = [34, 33, 32, 35, 36, 31];

export const paintWith =
  (colour: boolean): Paint =>
  (text, how) => {
    const code = typeof how === 'number' ? mechanismCodes[how % mechanismCodes.length] : codes[how];
    return colour ? `\x1b[${code}m${text}\x1b[0m` : text;
  };
