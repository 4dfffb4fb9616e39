// Errors reach people who set options in code and people who typed flags.

/** An option under both of its names: `skipEmpty (--skip-empty)`. */
export const withFlag = (option: string): string =>
  `${option} (--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)})`;
