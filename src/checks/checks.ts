// Argument checks. The shorthand object names the argument: positive({ clipNorm }) throws
// "invalid clipNorm: expected > 0, got -1".

import { type Message, type OptionWord, option, renameOptions, say, writeMessage } from './message.js';

type Named<T> = Readonly<Record<string, T>>;

/** The messages of errors that name options, for places that call them by other names. */
const messages = new WeakMap<Error, Message>();

/** A file that is missing or not as expected; the message begins with its path. */
export class FileError extends Error {
  override name = 'FileError';

  constructor(message: string | Message) {
    super(writeMessage(message));
    if (typeof message !== 'string') messages.set(this, message);
  }
}

/** A value that a function does not accept; the command line turns it into exit code 2. */
export class ArgumentError extends Error {
  override name = 'ArgumentError';

  constructor(message: string | Message) {
    super(writeMessage(message));
    if (typeof message !== 'string') messages.set(this, message);
  }
}

/** What an error says, with the options it names kept apart. */
export const messageOf = (error: Error): Message | string => messages.get(error) ?? error.message;

/** Does some work for a function that calls its options otherwise, or lacks them: errors then name those that its caller can set. */
export async function inTermsOf<Result>(
  rename: (word: OptionWord) => OptionWord | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const message = error instanceof Error ? messages.get(error) : undefined;
    if (message === undefined) throw error;
    throw new (error instanceof FileError ? FileError : ArgumentError)(renameOptions(message, rename));
  }
}

/** Throws `invalid NAME: expected EXPECTATION, got VALUE` for the first value that does not hold. The checks below are made of it. */
export function check<T>(named: Named<T>, expectation: string, holds: (value: T) => boolean): void {
  for (const [name, value] of Object.entries(named)) {
    if (!holds(value))
      throw new ArgumentError(say`invalid ${option(name)}: expected ${expectation}, got ${String(value)}`);
  }
}

export const positive = (named: Named<number>) => check(named, '> 0', (value) => Number.isFinite(value) && value > 0);

export const positiveInteger = (named: Named<number>) =>
  check(named, 'a whole number >= 1', (value) => Number.isSafeInteger(value) && value >= 1);

export const nonNegativeInteger = (named: Named<number>) =>
  check(named, 'a whole number >= 0', (value) => Number.isSafeInteger(value) && value >= 0);

export const finite = (named: Named<number>) => check(named, 'a finite number', Number.isFinite);

export const nonNegative = (named: Named<number>) =>
  check(named, 'a finite number >= 0', (value) => Number.isFinite(value) && value >= 0);

/** Throws unless the value is an array of texts. The message does not quote them: they may be private. */
export function expectTexts(named: Named<unknown>): void {
  for (const [name, value] of Object.entries(named)) {
    if (!Array.isArray(value)) {
      throw new ArgumentError(say`invalid ${option(name)}: expected an array of texts, got ${kindOf(value)}`);
    }
    const wrong = value.findIndex((text) => typeof text !== 'string');
    if (wrong === -1) continue;
    throw new ArgumentError(
      say`invalid ${option(name)}: expected texts, got ${kindOf(value[wrong])} in place ${wrong}`,
    );
  }
}

const kindOf = (value: unknown): string =>
  value === undefined || value === null ? `${value}` : `a value of type ${typeof value}`;
