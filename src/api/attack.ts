// Attacks by name.

import { type AttackName, findAttack } from '../attacks/index.js';
import { attackGradients } from './attack-gradients.js';
import { attackMembership } from './attack-membership.js';
import type { AttackOptions, AttackResult, GradientAttackOptions, MembershipAttackOptions } from './attack-options.js';

/**
 * Attacks as an adversary would: `span`, `likelihood` and `decepticons` read text from gradients that a client shares, `membership` infers which
 * examples were in the training data of a model. Attacks never receive ground truth; only scoring does.
 */
export async function attack<Name extends AttackName>(
  name: Name,
  options: AttackOptions<Name>,
): Promise<AttackResult<Name>> {
  const found = findAttack(name);
  const result =
    found.sees === 'gradient'
      ? attackGradients(found, options as GradientAttackOptions)
      : attackMembership(found, options as MembershipAttackOptions);
  return (await result) as AttackResult<Name>;
}
