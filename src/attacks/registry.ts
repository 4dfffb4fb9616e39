// The list of attacks. A new one is a folder with a descriptor, and a line here.

import { ArgumentError } from '../checks/index.js';
import type { Attack } from './attack.js';
import { dager } from './dager/attack.js';
import { decepticons } from './decepticons/attack.js';
import { likelihood } from './likelihood/attack.js';
import { gradientNorm } from './membership/gradient-norm.js';
import { lira } from './membership/lira.js';
import { membership } from './membership/membership.js';
import { mia } from './membership/mia.js';
import { miaN } from './membership/mia-n.js';
import { miaR } from './membership/mia-r.js';
import { rmia } from './membership/rmia.js';
import { updates } from './membership/updates.js';
import { whiteBox } from './membership/white-box.js';
import { span } from './span/attack.js';
import { tiger } from './tiger/attack.js';

/** By name, in the order of help, results and report. */
const byName = {
  span,
  likelihood,
  dager,
  tiger,
  decepticons,
  membership,
  mia,
  'mia-r': miaR,
  'mia-n': miaN,
  lira,
  rmia,
  'gradient-norm': gradientNorm,
  updates,
  'white-box': whiteBox,
} as const;

/** The name of an attack: the key in studies and the word after `epsilens attack`. */
export type AttackName = keyof typeof byName;

/** The descriptor of an attack, with the types of its options. */
export type AttackFor<Name extends AttackName> = (typeof byName)[Name];

/** All attacks, in the order of help, results and report. */
export const attacks: readonly Attack[] = Object.values(byName) as unknown as readonly Attack[];

/** The attack of this name; an ArgumentError names those that exist. */
export function findAttack(name: string): Attack {
  const found = attacks.find((attack) => attack.name === name);
  if (found) return found;
  throw new ArgumentError(`unknown attack ${name}: expected ${attacks.map((attack) => attack.name).join(', ')}`);
}
