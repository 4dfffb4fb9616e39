// Examples at the end of a command's help. A test parses every one of them.

import type { Command } from './command.js';

/** Adds commands that run as they stand, once their files exist. */
export const addExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText(
    'after',
    `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.map((one) => `  ${one}`).join('\n')}`,
  );
