// Options that belong to one choice only: one given for another is a mistake worth saying.

import { ArgumentError } from '../checks/index.js';

/** `own` has the options of every mechanism. */
export function expectOwnFlags<Flags extends object>(
  own: Readonly<Record<string, readonly (keyof Flags & string)[]>>,
  mechanism: string,
  flags: Flags,
  expected = Object.keys(own).join(', '),
): void {
  const known = Object.hasOwn(own, mechanism) ? own[mechanism] : undefined;
  if (known === undefined) {
    throw new ArgumentError(`invalid --mechanism: expected ${expected}, got ${mechanism}`);
  }
  const stray = Object.values(own)
    .flat()
    .find((key) => flags[key] !== undefined && !known.includes(key));
  if (stray === undefined) return;
  const others = Object.keys(own).filter((name) => own[name]?.includes(stray));
  const dashed = stray.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new ArgumentError(`--${dashed} is for --mechanism ${others.join(' or ')}, got --mechanism ${mechanism}`);
}

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
