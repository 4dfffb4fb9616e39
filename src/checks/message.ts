// Messages that name options. One option is `textColumn` in the library, `--text-column` on the command line and `data.textColumn` in a
// study, and some places do not have it at all. So a message keeps options apart from its words, and each place writes its own names.

/** An option that a message names, perhaps with the value that it should have. */
export interface OptionWord {
  readonly option: string;
  readonly value?: string | number | boolean;
  /** The function that takes it, where that is not the one that was called. */
  readonly of?: string;
}

/** The first of these messages that can be followed where it is read; nothing if none can. */
interface Advice {
  readonly choices: readonly Message[];
}

type Part = string | OptionWord | Advice;

/** A sentence as words and options: plain data, which can be sent to another process. */
export interface Message {
  readonly parts: readonly Part[];
}

/** What an option is called in some place; undefined where it does not exist. */
export type NameOption = (word: OptionWord) => string | undefined;

/** Names an option in a message. */
export const option = (name: string, of?: string): OptionWord => ({ option: name, ...(of !== undefined && { of }) });

/** Names an option with a value: `skipEmpty: true` in the library, `--skip-empty` on the command line. */
export const setting = (name: string, value: string | number | boolean): OptionWord => ({ option: name, value });

/** A part of a message that is left out where the reader has none of its options. The last choice may do without any. */
export const advice = (...choices: readonly (Message | string)[]): Advice => ({
  choices: choices.map((choice) => (typeof choice === 'string' ? { parts: [choice] } : choice)),
});

/** Template tag for messages with options in them: say`set ${option('textColumn')} to one of them`. */
export function say(texts: TemplateStringsArray, ...values: readonly (Part | Message | number | undefined)[]): Message {
  const parts = texts.flatMap((text, index): Part[] => [
    text,
    ...(index < values.length ? partsOf(values[index]) : []),
  ]);
  return { parts };
}

function partsOf(value: Part | Message | number | undefined): readonly Part[] {
  if (typeof value !== 'object') return [String(value)];
  return 'parts' in value ? value.parts : [value];
}

/** The names of the library. */
const libraryName: NameOption = ({ option: name, value, of }) => {
  const given = value === undefined ? name : `${name}: ${typeof value === 'string' ? `'${value}'` : value}`;
  return of === undefined ? given : `${given} ${value === undefined ? 'of' : 'in'} ${of}`;
};

/**
 * A message as text, by default with the names of the library. Advice with an option that has no name here is not given; elsewhere,
 * such an option appears in plain words (`sample rate`).
 */
export function writeMessage(message: Message | string, nameOf: NameOption = libraryName): string {
  if (typeof message === 'string') return message;
  const write = (part: Part): string => {
    if (typeof part === 'string') return part;
    if ('option' in part) return nameOf(part) ?? inWords(part.option);
    const fitting = part.choices.find((choice) => optionsIn(choice).every((word) => nameOf(word) !== undefined));
    return fitting === undefined ? '' : writeMessage(fitting, nameOf);
  };
  return message.parts.map(write).join('');
}

const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** A message in terms of other options. Advice about options that `rename` does not know is left out. */
export function renameOptions(
  message: Message | string,
  rename: (word: OptionWord) => OptionWord | undefined,
): Message {
  if (typeof message === 'string') return { parts: [message] };
  const parts = message.parts.map((part): Part => {
    if (typeof part === 'string') return part;
    if ('option' in part) return rename(part) ?? part;
    const fitting = part.choices.filter((choice) => optionsIn(choice).every((word) => rename(word) !== undefined));
    return { choices: fitting.map((choice) => renameOptions(choice, rename)) };
  });
  return { parts };
}

const optionsIn = ({ parts }: Message): readonly OptionWord[] =>
  parts.flatMap((part) => {
    if (typeof part === 'string') return [];
    return 'option' in part ? [part] : part.choices.flatMap(optionsIn);
  });
