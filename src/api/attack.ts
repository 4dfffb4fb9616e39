// Attacks by name.

import { type AttackName, findAttack } from '../attacks/index.js';
import { attackGradients } from './attack-gradients.js';
import { attackMembership } from './attack-membership.js';
import type {
  AttackOptions,
  AttackResult,
  GradientAttackOptions,
  MembershipAttackOptions,
  WorldAttackOptions,
} from './attack-options.js';
import { attackWorld } from './attack-world.js';

/**
 * Attacks as an adversary would: `span`, `likelihood` and `decepticons` read text from gradients that a client shares, `membership` infers which
 * examples were in the training data of a model, and `mia`, `mia-r`, `lira` and `rmia` do so by comparing it with models of their own. Attacks never receive ground truth; only scoring does.
 */
export async function attack<Name extends AttackName>(
  name: Name,
  options: AttackOptions<Name>,
): Promise<AttackResult<Name>> {
  const found = findAttack(name);
  const result =
    found.sees === 'gradient'
      ? attackGradients(found, options as GradientAttackOptions)
      : found.sees === 'losses'
        ? attackMembership(found, options as MembershipAttackOptions)
        : attackWorld(found, options as WorldAttackOptions);
  return (await result) as AttackResult<Name>;
}
