// Doorway to commander, with the option parsers that commands share.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

export { Command, CommanderError, Option };

/** Parses an option that must be a whole number. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const number = Number(text);
    if (text.trim() === '' || !Number.isSafeInteger(number) || number < least) {
      throw new InvalidArgumentError(`Expected a whole number >= ${least}.`);
    }
    return number;
  };

/** Parses an option that must be a number above 0. */
export function positiveNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !(number > 0 && Number.isFinite(number))) {
    throw new InvalidArgumentError('Expected a number > 0.');
  }
  return number;
}

/** Parses an option that must be a share from 0 to the largest one. */
export const shareUpTo =
  (largest: number) =>
  (text: string): number => {
    const number = Number(text);
    if (text.trim() === '' || !(number >= 0 && number <= largest)) {
      throw new InvalidArgumentError(`Expected a share from 0 to ${largest}.`);
    }
    return number;
  };
