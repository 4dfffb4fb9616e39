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

/** Parses a probability of dropout, or `config`. */
export function dropoutChoice(text: string): number | 'config' {
  const number = Number(text);
  if (text === 'config') return text;
  if (text.trim() !== '' && number >= 0 && number < 1) return number;
  throw new InvalidArgumentError('Expected config or a number from 0 to below 1.');
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
