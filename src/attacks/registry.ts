// The attacks there are. A new one is a folder with a descriptor, and a line here.

import { ArgumentError } from '../checks/index.js';
import type { Attack } from './attack.js';
import { decepticons } from './decepticons/attack.js';
import { membership } from './membership/membership.js';
import { span } from './span/attack.js';

/** In the order of help, results and report. */
const list = [span, decepticons, membership] as const;

export type AttackName = (typeof list)[number]['name'];

export const attacks: readonly Attack[] = list as unknown as readonly Attack[];

export function findAttack(name: string): Attack {
  const found = attacks.find((attack) => attack.name === name);
  if (found) return found;
  throw new ArgumentError(`unknown attack ${name}: expected ${attacks.map((attack) => attack.name).join(', ')}`);
}
