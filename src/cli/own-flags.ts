// An option that must be one of some names.

import { ArgumentError } from '../checks/index.js';

export function oneOf<Name extends string>(
  flag: string,
  given: string | undefined,
  names: readonly Name[],
): Name | undefined {
  if (given === undefined) return undefined;
  const found = names.find((name) => name === given);
  if (found === undefined) throw new ArgumentError(`invalid --${flag}: expected ${names.join(' or ')}, got ${given}`);
  return found;
}
