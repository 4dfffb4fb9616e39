// `epsilens attack`: what an adversary gets out of gradients and models.

import { addDecepticonsAttack } from './attack-decepticons.js';
import { addMembershipAttack } from './attack-membership.js';
import { addSpanAttack } from './attack-span.js';
import type { Command } from './command.js';

export function addAttack(program: Command): void {
  const attack = program
    .command('attack')
    .description('attack as a real adversary would: shared gradients, trained models');
  addSpanAttack(attack);
  addDecepticonsAttack(attack);
  addMembershipAttack(attack);
}
