// What reports call levels, bounds and counts. Names of mechanisms and attacks come with the results.

import {
  type AboutAttack,
  type AboutMechanism,
  isNoiseless,
  type Level,
  mechanismNamed,
  type Pair,
  type StatedEpsilon,
  type StudyResults,
} from '../calibration/index.js';
import { ArgumentError } from '../checks/index.js';
import { typesetNumber, writeCount, writeNoise } from './numbers.js';

type Mechanisms = Pick<StudyResults, 'mechanisms'>;

export const mechanismOf = ({ mechanisms }: Mechanisms, name: string): AboutMechanism =>
  mechanismNamed(mechanisms, name);

export function attackOf({ attacks }: Pick<StudyResults, 'attacks'>, name: string): AboutAttack {
  const found = attacks.find((one) => one.name === name);
  if (!found) throw new ArgumentError(`invalid results: expected a description of the attack ${name}, got none`);
  return found;
}

/** Limits that an attack reached at any level, each once. */
export const notesOf = ({ levels }: Pick<StudyResults, 'levels'>, attack: string): string[] => [
  ...new Set(levels.flatMap(({ leakage }) => leakage[attack]?.notes ?? [])),
];

/** The mechanism's place in the study, which decides its colour and shape; undefined without noise. */
export function placeOf({ mechanisms }: Mechanisms, mechanism: string): number | undefined {
  const place = mechanisms.findIndex(({ name }) => name === mechanism);
  return place < 0 ? undefined : place;
}

/** `name = value` with spaces at which no line breaks. */
export const equation = (name: string, value: string): string => `${name}\u00a0=\u00a0${value}`;

/** K, the size of a set of parameters, as an equation. */
export const sizeName = (numbers: number): string => equation('K', writeCount(numbers));

export function levelName(results: Mechanisms, level: Level): string {
  if (level.parameter === undefined) return level.label ?? 'no noise';
  return equation(mechanismOf(results, level.mechanism).symbol, writeNoise(level.parameter));
}

/** The ε or cosine from which the noise was found, if the study gave one. */
export const targetName = ({ target }: Level): string | undefined =>
  target && `for ${equation(targetSymbols[target.kind] ?? target.kind, typesetNumber(target.value))}`;

const targetSymbols: Readonly<Record<string, string>> = { epsilon: 'ε' };

/** An ε that is a bound is rounded up, an approximation to the nearest. */
export const epsilonOf = ({ epsilon, bound }: StatedEpsilon): string =>
  typesetNumber(epsilon, 3, bound === 'approximate' ? 'near' : 'up');

/** The ε of a level for a table: infinite without noise, a dash where nothing was computed. */
export const epsilonAt = (level: Level, guarantee: StatedEpsilon | undefined): string =>
  guarantee ? epsilonOf(guarantee) : isNoiseless(level) ? '∞' : '–';

const changes: Readonly<Record<string, string>> = {
  'add-or-remove-one': 'adding or removing one example',
  'replace-one': 'replacing one example',
};
/** What neighbouring data sets differ in, in words. */
export const changeName = (neighbours: string): string => changes[neighbours] ?? neighbours;

const bounds: Readonly<Record<string, string>> = {
  exact: 'exact',
  upper: 'upper bound',
  approximate: 'approximation, not a bound',
};

/** δ, neighbours, accountant and kind of bound: without them an ε means nothing. */
export const guaranteeTerms = ({ delta, neighbours, accountant, bound }: StatedEpsilon): string =>
  [
    equation('δ', typesetNumber(delta, 3, bound === 'approximate' ? 'near' : 'up')),
    changeName(neighbours),
    `${accountant} accountant`,
    bounds[bound] ?? bound,
  ].join(', ');

/** “one, two and three”, or with another word before the last. */
export const list = (items: readonly string[], word = 'and'): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)}`;

/** “σ and κ”, each once. */
export const symbolsOf = (mechanisms: readonly AboutMechanism[], word = 'and'): string =>
  list([...new Set(mechanisms.map(({ symbol }) => symbol))], word);

/** What a difference is between: second minus first, which gives its sign in sentences and tables. */
export const differenceName = ([first, second]: Pair<AboutMechanism>): string => `${second.short} minus ${first.short}`;

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
