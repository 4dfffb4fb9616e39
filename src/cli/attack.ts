// `epsilens attack NAME`: what an adversary gets out of gradients and models. One command per attack of the registry.

import { attacks } from '../attacks/index.js';
import { addGradientAttack } from './attack-gradient.js';
import { addLossAttack } from './attack-losses.js';
import { addWorldAttack } from './attack-world.js';
import type { Command } from './command.js';
import { addExamples } from './examples.js';

export function addAttack(program: Command): void {
  const command = program
    .command('attack')
    .description('attack shared gradients or trained models as a real adversary would');
  for (const attack of attacks) {
    if (attack.sees === 'gradient') addGradientAttack(command, attack);
    else if (attack.sees === 'losses') addLossAttack(command, attack);
    else addWorldAttack(command, attack);
  }
  addExamples(
    command,
    'epsilens attack span --text "meet me at noon"',
    'epsilens attack membership --model run/model --data reviews.csv',
  );
}
