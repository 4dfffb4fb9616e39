// The options of the front door's functions, checked before anything is read: JavaScript has no types that would do it.

import { ArgumentError, option, refuseUnknown, say } from '../checks/index.js';

interface Kind {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const text: Kind = { expected: 'a text', fits: (value) => typeof value === 'string' && value !== '' };
const flag: Kind = { expected: 'true or false', fits: (value) => typeof value === 'boolean' };
const number: Kind = { expected: 'a number', fits: (value) => typeof value === 'number' };
const model: Kind = {
  expected: 'the name or folder of a model, or a loaded one',
  fits: (value) => text.fits(value) || (isObject(value) && 'parameters' in value && 'config' in value),
};
const data: Kind = {
  expected: 'the name, file or folder of a data set, or a loaded one',
  fits: (value) => text.fits(value) || (isObject(value) && 'splits' in value && 'classes' in value),
};

/** One name means one thing in every function. Ranges are checked where the values are used. */
const kinds: Readonly<Record<string, Kind>> = {
  model,
  data,
  plan: {
    expected:
      'the folder of a run or of a saved model, a YAML file, or an object such as { examples, batchSize, epochs }',
    fits: (value) => text.fits(value) || isObject(value),
  },
  privacy: { expected: 'an object such as { epsilon: 8 }', fits: isObject },
  trainable: text,
  base: text,
  lora: { expected: 'an object such as { rank: 8 }', fits: isObject },
  optimizer: text,
  schedule: text,
  folder: text,
  ledger: text,
  split: text,
  others: text,
  loss: text,
  shared: text,
  dropout: { expected: "a number or 'config'", fits: (value) => number.fits(value) || value === 'config' },
  dropoutFrozen: flag,
  holdOut: number,
  epochs: number,
  batchSize: number,
  microBatchSize: number,
  learningRate: number,
  warmup: number,
  maxTokens: number,
  numLabels: number,
  checkpointEvery: number,
  count: number,
  jobs: number,
  newHead: flag,
  resume: flag,
  diagnostics: flag,
  similarity: flag,
  force: flag,
  redact: flag,
  onDownload: { expected: 'a function', fits: (value) => typeof value === 'function' },
  merge: flag,
  onProgress: { expected: 'a function', fits: (value) => typeof value === 'function' },
  signal: { expected: 'an AbortSignal', fits: (value) => value instanceof AbortSignal },
};

/** Throws on an unknown option, and on one of the wrong type. */
export function expectOptions(options: object, known: readonly string[], whose: string): void {
  if (!isObject(options)) throw new ArgumentError(`${whose}: expected an object of options, got ${shown(options)}`);
  refuseUnknown(options, known, whose);
  for (const [name, value] of Object.entries(options)) if (value !== undefined) expectKind(name, value);
}

/** Throws unless a value is what this name stands for. */
export function expectKind(name: string, value: unknown): void {
  const kind = kinds[name];
  if (kind === undefined || kind.fits(value)) return;
  throw new ArgumentError(say`invalid ${option(name)}: expected ${kind.expected}, got ${shown(value)}`);
}

/** Short, and a text in quotes: "3" is not 3. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value);
  if (Array.isArray(value)) return 'an array';
  return isObject(value) ? 'an object' : typeof value === 'function' ? 'a function' : String(value);
}
