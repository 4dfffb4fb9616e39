// Compares what a statement says with what was computed again, figure by figure.

import type { Figures } from './figures-of.js';

/** A figure of a statement that is not what was computed again. */
export interface Difference {
  /** Where it stands, such as `levels[3].leakage.span.mean`. */
  readonly figure: string;
  /** What the statement says; absent if it says nothing there. */
  readonly stated?: Figures;
  /** What was computed again; absent if there is no such figure. */
  readonly found?: Figures;
}

/** Figures may differ by this share of themselves: other machines round the last digits differently. */
const tolerance = 1e-6;

/** Below this, numbers are 0: what rounding leaves of a difference of equal numbers has no digits that count. A δ has digits below it. */
const nothing = 1e-12;

/** Whether two numbers are the same figure. */
const isSame = (a: number, b: number, least: number): boolean =>
  a === b || Math.abs(a - b) <= Math.max(least, tolerance * Math.max(Math.abs(a), Math.abs(b)));

/** Lists every figure that differs, in the order of the statement. */
export function differencesOf(stated: unknown, found: unknown, figure = ''): Difference[] {
  if (typeof stated === 'number' && typeof found === 'number' && isSame(stated, found, leastOf(figure))) return [];
  if (Object.is(stated, found)) return [];
  if (isObject(stated) && isObject(found) && Array.isArray(stated) === Array.isArray(found)) {
    const keys = new Set([...Object.keys(stated), ...Object.keys(found)]);
    return [...keys].flatMap((key) => differencesOf(at(stated, key), at(found, key), below(figure, key, stated)));
  }
  return [
    {
      figure,
      ...(stated !== undefined && { stated: stated as Figures }),
      ...(found !== undefined && { found: found as Figures }),
    },
  ];
}

const leastOf = (figure: string): number => (/\bdelta$/.test(figure) ? 0 : nothing);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Own keys only: a statement may have a key such as `constructor`. */
const at = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;

const below = (figure: string, key: string, inside: object): string =>
  Array.isArray(inside) ? `${figure}[${key}]` : figure === '' ? key : `${figure}.${key}`;

/** How many figures there are: everything that is neither an object nor a list. */
export const countFigures = (value: unknown): number =>
  isObject(value) ? Object.values(value).reduce((sum: number, inner) => sum + countFigures(inner), 0) : 1;
