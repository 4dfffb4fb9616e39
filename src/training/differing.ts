import { isDeepStrictEqual } from 'node:util';

/** The first key whose values differ between two plain objects, with both values as JSON. */
export function differing(
  saved: object,
  now: object,
): [key: string, before: string | undefined, after: string | undefined] | undefined {
  const [a, b] = [saved as Record<string, unknown>, now as Record<string, unknown>];
  const key = [...new Set([...Object.keys(a), ...Object.keys(b)])].find((one) => !isDeepStrictEqual(a[one], b[one]));
  return key === undefined ? undefined : [key, JSON.stringify(a[key]), JSON.stringify(b[key])];
}

/** Why a ledger or checkpoint of 0.1 cannot be resumed, and what to do. */
export const writtenBefore =
  'was written by epsilens 0.1, whose settings have other names: finish the run with that version, or start a new run in another folder';
